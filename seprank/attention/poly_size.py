"""How many monomials the polynomial form has, in closed form, and the refusal of those that would not finish.

The output is linear in its own token and of degree ``C`` in the Gram matrix, so its degree is odd in its own
token and even in every other one. Derived from levine2020depth, Lemma 1.
"""

from __future__ import annotations

from math import comb

from seprank.attention.architecture import Architecture
from seprank.errors import TooLarge

LIMIT = 200_000  # terms of the result
WORK_LIMIT = 50_000_000  # products of two terms on the way to it: about half a minute
_CAP = Architecture(L=7, dx=40, H=40, da=40)
_CAP_N = 40


def token_monomials(architecture: Architecture, N: int) -> int:
    """The number of token monomials that an output entry at `N` positions can have: an upper bound for all weights.

    Generic weights reached it in every case computed. Takes any size; the work grows with ``dx * N`` only.

    >>> token_monomials(Architecture(L=1, dx=2), N=2), token_monomials(Architecture(L=2, dx=2), N=3)
    (10, 518)
    """
    d, C = architecture.dx, architecture.C
    return _series(d, N - 1, 1, C, d * N + architecture.residual)


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
    expanded = expanded_terms(architecture, N if symbolic_tokens else None)
    return min(expanded, tokens * _weight_monomials(architecture))


def refuse_if_endless(
    architecture: Architecture, N: int, symbolic_weights: bool, symbolic_tokens: bool, limit: int = LIMIT
) -> None:
    """Raises `TooLarge`, with the number of monomials, when there may be more than `limit` or they take too long."""
    small, n = _capped(architecture), min(N, _CAP_N)
    cut = (small, n) != (architecture, N)
    terms = most_terms(small, n, symbolic_weights, symbolic_tokens)
    if terms > limit or cut:
        more = "more than" if cut else "up to"
        raise TooLarge(
            f"the polynomial would have {more} {_short(terms)} monomials, and at most {limit} are written out: "
            "take a smaller L, dx or N"
        )
    if not symbolic_weights and work(architecture, N) > WORK_LIMIT:
        raise TooLarge(
            f"the polynomial would have up to {_short(terms)} monomials, from {_short(work(architecture, N))} products "
            f"of terms, and at most {WORK_LIMIT} are tried: take a smaller L, dx or N"
        )


def work(architecture: Architecture, N: int) -> int:
    """About how many products of two terms the last layer takes with numeric weights."""
    d = architecture.dx
    if architecture.L == 1:
        return d**2 * N * d**2
    below = Architecture(architecture.L - 1, d, architecture.H, architecture.da, architecture.residual)
    gram = _series(d, N, 0, 3 ** (architecture.L - 1), d * N + architecture.residual)
    return d**2 * gram * token_monomials(below, N)


def _series(d: int, even: int, odd: int, k: int, poles: int) -> int:
    """The coefficient of ``u**k`` in ``E(u)**even * O(u)**odd / (1 - u)**poles``.

    ``E(u) = sum_j C(d, 2j) u^j`` and ``O(u) = sum_j C(d, 2j+1) u^j``: over ``(1 - u)**d`` they count the monomials of
    degree ``2k`` and ``2k + 1`` in `d` variables.
    """
    shift = d * (even + odd) + 1  # bits; no coefficient of the numerator reaches 2**(d * (even + odd))
    E = sum(comb(d, 2 * j) << shift * j for j in range(d // 2 + 1))
    O = sum(comb(d, 2 * j + 1) << shift * j for j in range((d + 1) // 2))
    packed, mask, total = E**even * O**odd, (1 << shift) - 1, 0
    for j in range(k + 1):
        if not packed:
            break
        total += (packed & mask) * comb(poles + k - j - 1, k - j)
        packed >>= shift
    return total


def _weight_monomials(architecture: Architecture) -> int:
    """A bound from degrees: the weights of layer ``l`` occur ``3**(L-l)`` times, one row of the last output matrix."""
    H, da, dx, L = architecture.H, architecture.da, architecture.dx, architecture.L
    total = H * da * (da * dx) ** 3 + architecture.residual
    for layer in range(1, L):
        total *= comb(H * da * dx + architecture.residual + 3 ** (L - layer) - 1, 3 ** (L - layer)) ** 4
    return total


def _capped(architecture: Architecture) -> Architecture:
    """Sizes no larger than given at which counting takes no time; every count rises with every size."""
    sizes = {name: min(getattr(architecture, name), getattr(_CAP, name)) for name in ("L", "dx", "H", "da")}
    return Architecture(**sizes, residual=architecture.residual)


def _short(count: int) -> str:
    """A count in full up to nine digits, else in scientific notation.

    >>> _short(518), _short(10**30)
    ('518', '1.0e30')
    """
    if count < 10**9:
        return str(count)
    exponent = int((count.bit_length() - 1) * 0.30102999566398119)
    exponent += count >= 10 ** (exponent + 1)
    head = str(count // 10 ** (exponent - 1))
    return f"{head[0]}.{head[1]}e{exponent}"
