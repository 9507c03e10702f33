"""One head: powers of isotropic directions are in the kernel of a block, which lowers its rank.

Source: docs/theory.md, Isotropic directions
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import NamedTuple

from proofs_check.heads._networks import Net, derivative_blocks, sampled_blocks
from proofs_check.plain import isotropic
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict
from seprank.attention.architecture import Architecture

STATEMENT = Statement(
    id="NEW.isotropic",
    title="One head: block k loses the powers of isotropic directions, for every k above their degree",
    statement=r"For a set $T$ of links, perhaps with the row $a$, and $X_T=\{u:u^TB_lu=0\ (l\in T),\ a^Tu=0\}$: the "
    r"degree of the output in $\tau$ at $G+\tau uu^T$ is at most $\tau_T$, the largest set of positions "
    "of the word without neighbours joined by a link of $T$; and "
    r"$\mathrm{rank}(y_k)\le\min(S_s(k)-h_{X_T}(2k),\,dS_s(C-k))$ for $k>\tau_T$, $h$ read off "
    "$(1-z^2)^c/(1-z)^n$ for $c$ quadrics in $n$ coordinates.",
    source="docs/theory.md, Isotropic directions",
    scope=r"$\tau_T$ for all T at L = 2, 3 (over all sets of positions); $h(2k)$ against the rank of the powers "
    "$u^{2k}$ at points of random diagonal quadrics over F_65537 for (coordinates, quadrics, degree) = (3,2,14), "
    "(4,2,14), (5,2,14), (3,1,6), (4,1,8), (4,3,10), (4,2,6); block ranks of (2,d,1), d <= 6, (3,2,1), (3,3,1), "
    "(4,2,1), also with a third of zeros, never above the bound",
    expected=Verdict.HOLDS,
    note="Proved in docs/theory.md. Where it bites, the rank meets it at (3,4): NEW.gram-missed-at-3-4.",
)


class Degree(NamedTuple):
    """tau_T at a depth."""

    L: int
    links: frozenset[int]
    row: bool


class Powers(NamedTuple):
    """Hilbert function of a complete intersection of quadrics."""

    coordinates: int
    quadrics: int
    degree: int


def cases(level: str) -> Iterable[Degree | Powers | Net]:
    """Degrees, Hilbert functions, ranks."""
    full = level == "full"
    found: list[Degree | Powers | Net] = []
    for L in (2, 3):
        sets = [frozenset(c) for size in range(L + 1) for c in combinations(range(1, L + 1), size)]
        found += [Degree(L, links, row) for links in sets for row in (False, True) if full or L == 2 or len(links) == 2]
    found += [Powers(*sizes) for sizes in ((3, 2, 14), (3, 1, 6), (4, 1, 8), (4, 3, 10), (4, 2, 6))]
    found += [Net(2, d) for d in (2, 3, 4)] + [Net(3, 2), Net(2, 4, weights="sparse")]
    if full:
        found += [Powers(4, 2, 14), Powers(5, 2, 14), Net(2, 5), Net(2, 6), Net(3, 3), Net(4, 2)]
        found += [Net(3, 2, weights="sparse"), Net(3, 3, weights="sparse")]
    return found


def library(case: Degree | Powers | Net) -> Result:
    """The library's two-state walk, its alternating sum, and measured blocks."""
    from seprank.closed_forms.isotropic import degree_in_isotropic_direction, hilbert_function

    if isinstance(case, Degree):
        return degree_in_isotropic_direction(case.L, case.links, case.row)
    return hilbert_function(*case) if isinstance(case, Powers) else sampled_blocks(case)


def from_definitions(case: Degree | Powers | Net) -> Result:
    """All sets of positions, the powers at actual points, derivatives."""
    if isinstance(case, Degree):
        return isotropic.degree_by_subsets(case.L, case.links, case.row)
    return isotropic.power_rank(*case) if isinstance(case, Powers) else derivative_blocks(case)


def by_doubling(case: Degree | Powers | Net) -> Result:
    """Tables of first and last position; the series multiplied out."""
    if isinstance(case, Degree):
        return isotropic.degree_by_doubling(case.L, case.links, case.row)
    return isotropic.complete_intersection(*case) if isinstance(case, Powers) else None


def roads() -> Mapping[str, Road]:
    """Formulas against definitions."""
    return {"library": library, "from the definitions": from_definitions, "tables and series": by_doubling}


def _bounded(net: Net, result: Result, degree_less: int = 0) -> bool:
    arch: Architecture = net.architecture
    s, d, C = arch.s, arch.dx, arch.C
    whole = frozenset(range(1, net.L + 1))
    for k, rank in enumerate(result):
        lost = isotropic.loss(net.L, d, k)
        if degree_less and d > 1 and k > isotropic.degree_by_doubling(net.L, whole - {net.L}, True) - degree_less:
            lost = max(lost, isotropic.complete_intersection(d, 1, 2 * k))
        if rank > min(isotropic.multiset(s, k) - lost, d * isotropic.multiset(s, C - k)):
            return False
    return True


def holds(case: Degree | Powers | Net, result: Result) -> bool:
    """The known values at (3, {1, 2}, a) and in the table of widths; no measured block above its bound."""
    if isinstance(case, Net):
        return _bounded(case, result)
    if isinstance(case, Degree):
        return result == 6 if case == (3, frozenset({1, 2}), True) else 0 < result <= (3**case.L - 1) // 2
    return result == {(3, 2, 14): 4, (4, 2, 14): 56, (5, 2, 14): 421}.get(case, result)


def mutants() -> Mapping[str, Claim]:
    """A degree that is too small, and quadrics counted as independent conditions."""

    def every_other(case: Degree | Powers | Net, result: Result) -> bool:
        return not isinstance(case, Degree) or not case.links or result <= ((3**case.L - 1) // 2 + 1) // 2

    def linear(case: Degree | Powers | Net, result: Result) -> bool:
        return not isinstance(case, Powers) or result == isotropic.multiset(
            case.coordinates - case.quadrics, case.degree
        )

    def one_less(case: Degree | Powers | Net, result: Result) -> bool:
        return not isinstance(case, Net) or _bounded(case, result, degree_less=2)

    return {
        "at most every other position, whatever T": every_other,
        "quadrics lower the number of coordinates": linear,
        "the conditions of T = {a, 1, ..., L-1} counted for one quadric": one_less,
    }
