"""Exact arithmetic modulo a prime: random residues, products, elimination and rank.

The public names are loaded on first use, so that importing this room costs nothing.
"""

from typing import TYPE_CHECKING

from seprank.lazy_names import lazy_names

if TYPE_CHECKING:
    from seprank.field.draw import residues
    from seprank.field.elimination import Pivots, pivots, rank
    from seprank.field.kernels import thread_limit
    from seprank.field.primes import DEFAULT_PRIME, MAX_PRIME, check_prime, is_prime
    from seprank.field.products import matmul
    from seprank.field.roads import NARROW_PRIME, elimination_bytes, exact_dtypes

_HOME = {
    "DEFAULT_PRIME": "primes",
    "MAX_PRIME": "primes",
    "NARROW_PRIME": "roads",
    "Pivots": "elimination",
    "check_prime": "primes",
    "elimination_bytes": "roads",
    "exact_dtypes": "roads",
    "is_prime": "primes",
    "matmul": "products",
    "pivots": "elimination",
    "rank": "elimination",
    "residues": "draw",
    "thread_limit": "kernels",
}

__all__ = [
    "DEFAULT_PRIME",
    "MAX_PRIME",
    "NARROW_PRIME",
    "Pivots",
    "check_prime",
    "elimination_bytes",
    "exact_dtypes",
    "is_prime",
    "matmul",
    "pivots",
    "rank",
    "residues",
    "thread_limit",
]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
