"""Past the threshold a shallower network of polynomial width has the larger rank.   Source: levine2020depth, "
"Corollary 2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from proofs_check.plain.bounds import gram_bound, multiset
from proofs_check.plain.logs import floor_log3, intervals
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture

STATEMENT = Statement(
    id="D2W.cor2",
    title="Past log3 d, depth log3 d + b and width 3^b d overtake depth L: b = log3((d+1) L) + 2 is enough, b = 0 is "
    "not",
    statement=r"For $L>\log_3d$ and $\beta_2\ge\log_3((d+1)L)+2$ the network of depth $\log_3d+\beta_2$ and width "
    r"$3^{\beta_2}d$ has "
    r"the larger separation rank, every $H$: "
    r"$\left(\!\binom{\lfloor(3^{\beta_2}d+1)/2\rfloor}{3^{\log_3d+\beta_2-2}}\!\right)"
    r">3^{sL}$. The printed $\beta_2=O(\log H\cdot\log d\cdot\log L)$ is $0$ at $H=1$ and then false.",
    source="levine2020depth, Corollary 2",
    scope="d = 3, 9, 27, 81; L = 12, 50, 96 at d = 27, 81 (least whole beta_2 from the printed and the corrected "
    "upper bound), "
    "L = log3 d + 1, 12, 50, 96 for the sufficient one; H = 1, beta_2 = 0 at (d, L) = (3, 4), (9, 6), (27, 8), (81, "
    "12)",
    expected=Verdict.CORRECTED,
    note="Printed / corrected least beta_2: d = 27: 5/6, 6/8, 7/8; d = 81: 4/6, 6/9, 6/9 at L = 12, 50, 96 (Theorem "
    "2's "
    "printed upper side, resp. the Gram bound, against multiset). It is a shallower network only if log3 d + beta_2 < "
    "L. "
    "Read 1 + log H for log H. Proved for all sizes: multiset(n, k) >= (n/k)^k with n = 3^b d/2, k = 3^b d/9 is "
    "4.5^(3^b d/9), and 3^(b-2) >= "
    "(d + 1) L makes it exceed 3^(s L), the corrected upper bound.",
)


class Case(NamedTuple):
    """log3 of the width, the depth, and the question: "least", "enough" or "zero"."""

    e: int
    L: int
    ask: str

    @property
    def d(self) -> int:
        """The width."""
        return 3**self.e

    @property
    def enough(self) -> int:
        """The least whole beta_2 that is at least log3((d + 1) L) + 2."""
        return next(b for b in range(2, 99) if 3 ** (b - 2) >= (self.d + 1) * self.L)


TABLE = {(27, 12): (5, 6), (27, 50): (6, 8), (27, 96): (7, 8), (81, 12): (4, 6), (81, 50): (6, 9), (81, 96): (6, 9)}


def cases(level: str) -> Iterable[Case]:
    """The table, the sufficient value, and one head with beta_2 = 0."""
    full = level == "full"
    yield from (Case(e, L, "least") for e in (3, 4) for L in (12, 50, 96) if full or (e, L) == (3, 12))
    yield from (Case(e, L, "enough") for e in (1, 2, 3, 4) for L in (e + 1, 12, 50, 96) if full or e * L < 30)
    yield from (Case(e, L, "zero") for e, L in ((1, 4), (2, 6), (3, 8), (4, 12)))


def _binomial(n: int, k: int) -> int:
    """multiset(n, k) by flint, quick for long results."""
    import flint

    return int(flint.fmpz.bin_uiui(n + k - 1, min(k, n - 1)))


def whole_numbers(case: Case) -> tuple[int, ...]:
    """Exact integers throughout; the printed bound in intervals."""
    d, e, L = case.d, case.e, case.L
    s = d * (d + 1) // 2
    if case.ask == "zero":
        return (int(multiset((d + 1) // 2, 3 ** (L - 2)) > gram_bound(d, e)),)

    def shallow(b: int) -> int:
        return _binomial((3**b * d + 1) // 2, 3 ** (e + b - 2)) if e + b >= 2 else 1

    if case.ask == "enough":
        return (int(shallow(case.enough) > 3 ** (s * L)),)
    above = gram_bound(d, L)
    corrected = next(b for b in range(99) if shallow(b) > above)
    ctx = intervals()
    log3 = ctx.log(3)
    c2 = -2 * d * ctx.log(d / (2 * ctx.sqrt(2 * ctx.e))) / log3 + ctx.log(d) / log3
    return next(b for b in range(99) if floor_log3(shallow(b)) > (2 * d * L + L + c2).b), corrected


def logarithms(case: Case) -> tuple[int, ...]:
    """The library's magnitudes, in logarithms of 50 digits."""
    from seprank.closed_forms.gram import gram_bound as library_bound
    from seprank.closed_forms.paper import all_heads_base, multiset_power, theorem2_upper

    def lower(d: int, L: int) -> Any:
        return multiset_power(all_heads_base(Architecture(L, d)), L).log3 if L >= 2 else 0

    def upper(d: int, L: int) -> Any:
        return library_bound(Architecture(L, d), None).magnitude.log3

    d, e, L = case.d, case.e, case.L
    if case.ask == "zero":
        return (int(lower(d, L) > upper(d, e)),)
    if case.ask == "enough":
        return (int(lower(3**case.enough * d, e + case.enough) > d * (d + 1) // 2 * L),)
    limits = theorem2_upper(Architecture(L, d)).log3, upper(d, L)
    found = [next(b for b in range(99) if lower(3**b * d, e + b) > limit) for limit in limits]
    return found[0], found[1]


def roads() -> Mapping[str, Road]:
    """Least values of beta_2, or yes and no as 1 and 0."""
    return {"whole numbers": whole_numbers, "logarithms": logarithms}


def printed(case: Case, result: tuple[int, ...]) -> bool:
    """beta_2 = 0 gives the larger rank at H = 1: false where the deep lower bound exceeds the shallow upper one."""
    return case.ask != "zero" or result == (0,)


def holds(case: Case, result: tuple[int, ...]) -> bool:
    """The table, at most the sufficient value; the sufficient value suffices."""
    if case.ask == "least":
        return result == TABLE[case.d, case.L] and result[1] <= case.enough
    return case.ask == "zero" or result == (1,)


def mutants() -> Mapping[str, Claim]:
    """Smaller widths."""

    def without_the_width(case: Case, result: tuple[int, ...]) -> bool:
        return case.ask != "least" or 3 ** (result[1] - 2) <= 3 * case.L

    return {
        "beta_2 = 0 is enough at H = 1": lambda case, result: case.ask != "zero" or result == (0,),
        "beta_2 = log3 L + 2 is enough with the Gram bound": without_the_width,
        "the corrected upper bound changes nothing": lambda case, result: case.ask != "least" or result[0] == result[1],
    }
