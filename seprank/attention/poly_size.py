"""How many monomials the polynomial form has, in closed form, and the refusal of those that would not finish.

The output is linear in its own token and of degree ``C`` in the Gram matrix, so its degree is odd in its own
token and even in every other one. Derived from levine2020depth, Lemma 1.
"""

from __future__ import annotations

from dataclasses import replace
from math import comb, log2

from seprank.attention.architecture import Architecture
from seprank.errors import TooLarge

LIMIT = 200_000  # monomials of the result
STEPS = 250_000_000  # of work, as `steps` counts: up to about two minutes
_DEEPEST = 22  # beyond these sizes counting itself takes long, and the answer is known: too large
_WIDEST = 1500
_MOST_BITS = 1_000_000  # of a count that is written out by eq. 3


def token_monomials(architecture: Architecture, N: int) -> int:
    """The number of token monomials that an output entry at `N` positions can have: an upper bound for all weights.

    Generic weights reached it in every case computed. Takes any size; the work grows with ``dx * N`` only.

    >>> token_monomials(Architecture(L=1, dx=2), N=2), token_monomials(Architecture(L=2, dx=2), N=3)
    (10, 518)
    """
    d, C = architecture.dx, architecture.C
    # The part of degree 1 that skip connections add is the entry of the token itself.
    return _series(d, N - 1, 1, C, d * N + architecture.residual) - architecture.residual * (d - 1)


def expanded_terms(architecture: Architecture, N: int | None) -> int:
    """The number of terms of an output entry with symbolic weights, written out by eq. 3, before equal ones are joined.

    `N` None stands for tokens that are numbers. At ``L = 1`` no two are equal, so it is the number of monomials.

    >>> expanded_terms(Architecture(L=1, dx=2), N=2), expanded_terms(Architecture(L=1, dx=2), N=None)
    (64, 32)
    """
    H, da, dx = architecture.H, architecture.da, architecture.dx
    first = H * da**2 * dx**3 * N if N is not None else H * da**2 * dx**3
    terms = first + architecture.residual
    for _ in range(architecture.L - 1):
        terms = H * da**2 * dx**3 * (N or 1) * terms**3 + terms * architecture.residual
    return terms


def most_terms(architecture: Architecture, N: int, symbolic_weights: bool, symbolic_tokens: bool) -> int:
    """An upper bound on the number of terms in the stated variables, for all values of what is a number.

    >>> most_terms(Architecture(L=1, dx=2), 2, symbolic_weights=True, symbolic_tokens=True)
    64
    """
    tokens = token_monomials(architecture, N) if symbolic_tokens else 1
    if not symbolic_weights:
        return tokens
    by_degree = tokens * _weight_monomials(architecture)
    factor = architecture.H * architecture.da**2 * architecture.dx**3 * N
    if architecture.C * log2(factor + 1) > _MOST_BITS:
        return by_degree
    return min(by_degree, expanded_terms(architecture, N if symbolic_tokens else None))


def steps(architecture: Architecture, N: int, symbolic_weights: bool, symbolic_tokens: bool, terms: int) -> int:
    """About how much work a polynomial of that many terms is: products of two terms, weighed by their length."""
    d, L = architecture.dx, architecture.L
    weights = 4 * L * architecture.H * architecture.da * d
    variables = symbolic_tokens * d * N + symbolic_weights * weights
    digits = architecture.C * (4 + len(str(architecture.H * architecture.da**2 * d**3 * N)))
    products = symbolic_weights * terms + (d**2 * _last_products(architecture, N) if symbolic_tokens else 0)
    return products * (60 + digits + 6 * variables) // 60 + 5 * variables * (24 * variables + terms) + 10 * weights


def refuse_if_endless(
    architecture: Architecture, N: int, symbolic_weights: bool, symbolic_tokens: bool, limit: int = LIMIT
) -> None:
    """Raises `TooLarge` with the number of monomials when there may be more than `limit`, or they take too long.

    Takes any sizes and answers at once.
    """
    small, n = _reduced(architecture, N)
    cut = (small.L, small.dx, n) != (architecture.L, architecture.dx, N)
    terms = most_terms(small, n, symbolic_weights, symbolic_tokens)
    work = steps(replace(small, H=architecture.H, da=architecture.da), n, symbolic_weights, symbolic_tokens, terms)
    if cut or terms > limit or work > STEPS:
        rather = "up to" if (small, n) == (architecture, N) else "more than"
        work = max(work, STEPS) if cut else work
        raise TooLarge(
            f"the polynomial would have {rather} {short_count(terms)} monomials and take {rather} {short_count(work)} "
            f"steps; at most {limit} monomials and {STEPS} steps are tried: take a smaller L, dx, H or N"
        )


def _last_products(architecture: Architecture, N: int) -> int:
    """Products of two token monomials for one pair of entries in the last layer."""
    d, L, skip = architecture.dx, architecture.L, architecture.residual
    if L == 1:
        return d**2 * N
    gram = _series(d, N, 0, 3 ** (L - 1), d * N + skip)
    return gram * token_monomials(replace(architecture, L=L - 1), N)


def _series(d: int, even: int, odd: int, k: int, poles: int) -> int:
    """The coefficient of ``u**k`` in ``E(u)**even * O(u)**odd / (1 - u)**poles``.

    ``E(u) = sum_j C(d, 2j) u^j`` and ``O(u) = sum_j C(d, 2j+1) u^j``: over ``(1 - u)**d`` they count the monomials of
    degree ``2k`` and ``2k + 1`` in `d` variables.
    """
    shift = d * (even + odd) + 1  # bits; no coefficient of the numerator reaches 2**(d * (even + odd))
    E = sum(comb(d, 2 * j) << shift * j for j in range(d // 2 + 1))
    O = sum(comb(d, 2 * j + 1) << shift * j for j in range((d + 1) // 2))
    packed, mask, total = E**even * O**odd, (1 << shift) - 1, 0
    ways = comb(poles + k - 1, k)
    for m in range(k, -1, -1):  # ways is comb(poles + m - 1, m)
        total += (packed & mask) * ways
        packed >>= shift
        if not packed:
            break
        ways = ways * m // (poles + m - 1) if m else 0
    return total


def _weight_monomials(architecture: Architecture) -> int:
    """A bound from degrees: the weights of layer ``l`` occur ``3**(L-l)`` times, one row of the last output matrix."""
    H, da, dx, L = architecture.H, architecture.da, architecture.dx, architecture.L
    total = H * da * (da * dx) ** 3 + architecture.residual
    for layer in range(1, L):
        total *= comb(H * da * dx + architecture.residual + 3 ** (L - layer) - 1, 3 ** (L - layer)) ** 4
    return total


def _reduced(architecture: Architecture, N: int) -> tuple[Architecture, int]:
    """Sizes, no larger than given, at which counting takes no time; every count rises with every size.

    Where L, dx or N is reduced, the sizes given take more than `STEPS`.
    """
    fits = architecture.dx * N <= _WIDEST and architecture.L <= _DEEPEST
    width = _WIDEST if fits else _WIDEST // 10
    L, dx = min(architecture.L, _DEEPEST), min(architecture.dx, width)
    H = min(architecture.H, _WIDEST // dx)
    da = min(architecture.da, _WIDEST // (dx * H))
    return Architecture(L, dx, H, da, architecture.residual), min(N, width // dx)


def short_count(count: int) -> str:
    """A count in full up to nine digits, else in scientific notation.

    >>> short_count(518), short_count(10**30)
    ('518', '1.0e30')
    """
    if count < 10**9:
        return str(count)
    exponent = int((count.bit_length() - 1) * 0.30102999566398119)
    exponent += count >= 10 ** (exponent + 1)
    head = str(count // 10 ** (exponent - 1))
    return f"{head[0]}.{head[1]}e{exponent}"
