"""On n tokens a side the growth in depth is rho(n) L.   Source: docs/theory.md, Gram bound, corollaries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import pairwise
from math import comb
from typing import NamedTuple

from proofs_check.plain.explicit_networks import product_rank
from proofs_check.plain.printed_bounds import gaps
from proofs_check.plain.schur import side_A, side_B
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition

Values = tuple[int, ...]

STATEMENT = Statement(
    id="NEW.short-inputs-growth",
    title="With n tokens on the smaller side log3 sep grows at most like rho(n) L, and for H = dx exactly so",
    statement=r"$\log_3\mathrm{sep}\le\rho(n)L+\log_3(n\,e)$, $\rho(n)=nd-\binom n2$ for $n\le d$: $D_B$ is a "
    r"polynomial of degree $\rho(n)-1$ in $k$, $D_A$ too, with leading coefficients $e/(\rho-1)!$ and $ne/(\rho-1)!$, "
    r"$e=\prod_{a<d-n}\binom{d+a}{d-n-a}/\binom{2a+1}a$. At $H=d$ the product network has "
    r"$\log_3\mathrm{sep}\ge\rho(n)L-\rho(\rho+1)/2$, so $\log_3\mathrm{sep}/L\to\rho(n)$.",
    source="docs/theory.md, Gram bound, corollaries",
    scope="growth of D_B, D_A: d <= 6, n <= d, degrees 0 to rho(n) + 4; the sandwich of the product network: d <= 8, "
    "n <= d, L up to 200, exact integers",
    expected=Verdict.HOLDS,
    note="The degrees are those of the Hilbert functions of symmetric matrices of rank at most n (docs/theory.md); e "
    "is the degree of that variety (Harris and Tu). The constants e and n e are checked on the scope, not proved on "
    "that page.",
)


class Short(NamedTuple):
    """Side "A" or "B" (values of its dimension), or "product" at depth L."""

    what: str
    d: int
    n: int
    L: int = 0


def cases(level: str) -> Iterable[Short]:
    """Both sides at all short and long n, then the product network from shallow to deep."""
    full = level == "full"
    yield from (Short(side, d, n) for side in "AB" for d in range(1, 7 if full else 5) for n in range(1, d + 1))
    depths = (1, 2, 5, 20, 60, 200) if full else (1, 5, 60)
    for d in range(1, 9 if full else 5):
        yield from (Short("product", d, n, L) for n in range(1, d + 1) for L in depths)


def _rho(d: int, n: int) -> int:
    return n * d - n * (n - 1) // 2


def _multiplicity(d: int, n: int) -> int:
    """Degree of the variety of symmetric d x d matrices of rank at most n."""
    value = Fraction(1)
    for a in range(d - n):
        value *= Fraction(comb(d + a, d - n - a), comb(2 * a + 1, a))
    return int(value)


def library(case: Short) -> Values:
    """The library's dimensions and product bound."""
    from seprank.closed_forms import explicit, gram

    if case.what == "product":
        exact = explicit.product_bound(Architecture(case.L, case.d, case.d), Partition(case.n, case.n)).exact
        return () if exact is None else (int(exact()[0]),)
    dimension = gram.side_A_dimension if case.what == "A" else gram.side_B_dimension
    return tuple(dimension(case.d, case.n, k) for k in range(_rho(case.d, case.n) + 5))


def plain(case: Short) -> Values:
    """Hook lengths, and the product of exponents plus one."""
    if case.what == "product":
        return (product_rank(case.L, _rho(case.d, case.n)),)
    dimension = side_A if case.what == "A" else side_B
    return tuple(dimension(case.d, case.n, k) for k in range(_rho(case.d, case.n) + 5))


def roads() -> Mapping[str, Road]:
    """Values, twice."""
    return {"library": library, "hook lengths, exponents": plain}


def _top_difference(values: Values, order: int) -> set[int]:
    for _ in range(order):
        values = tuple(b - a for a, b in pairwise(values))
    return set(values)


def _sandwich(case: Short, result: Values, rate: int) -> bool:
    low = rate * case.L - rate * (rate + 1) // 2
    return result[0] * 3 ** max(-low, 0) >= 3 ** max(low, 0)


def holds(case: Short, result: Values) -> bool:
    """Constant differences of order rho - 1, bounded values; the rank of the product network in its interval."""
    rho, e = _rho(case.d, case.n), _multiplicity(case.d, case.n)
    if case.what == "product":
        upper = case.n * e * comb(gaps(case.L) + rho, rho)
        return _sandwich(case, result, rho) and result[0] <= upper <= case.n * e * 3 ** (rho * case.L)
    factor = e * (case.n if case.what == "A" else 1)
    bounded = all(value <= factor * comb(k + rho - 1, rho - 1) for k, value in enumerate(result))
    return bounded and _top_difference(result, rho - 1) == {factor}


def mutants() -> Mapping[str, Claim]:
    """Other rates."""

    def full_degree(case: Short, result: Values) -> bool:
        order = case.n * case.d - 1
        return case.what == "product" or len(result) <= order or _top_difference(result, order) != {0}

    def rate_of_eq19(case: Short, result: Values) -> bool:
        return case.what != "product" or result[0] <= 3 ** (2 * case.d * case.L)

    def entries_of_tokens(case: Short, result: Values) -> bool:
        return case.what != "product" or _sandwich(case, result, case.n * case.d)

    return {
        "rate n dx: every entry of n tokens counts (product network)": entries_of_tokens,
        "rate at most 2 dx at every n": rate_of_eq19,
        "D_A and D_B of degree n dx - 1": full_degree,
    }
