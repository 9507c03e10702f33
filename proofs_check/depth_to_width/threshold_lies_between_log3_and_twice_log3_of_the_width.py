"""Double-exponential growth lasts to about log3 d and ends by 2 log3 d.   Source: docs/theory.md, Gram bound, "
"corollaries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from proofs_check.plain.bounds import gram_bound, multiset
from proofs_check.plain.logs import floor_log3, real_floor
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture

STATEMENT = Statement(
    id="NEW.threshold",
    title="Double-exponential growth with depth lasts at least to log3 d and ends by 2 log3 d, for every H",
    statement=r"For $2\le L\le\log_3d$ and every $N\ge2$: $\log_3\mathrm{sep}\ge3^{L-2}\log_3\tfrac92$. For every $L$: "
    r"$\log_3\mathrm{sep}\le\tfrac{d(d+1)}2L$, which at $L=2\log_3d+j$ is the part $\tfrac12(1+\tfrac1d)L\,3^{-j}$ of "
    r"$3^L$.",
    source="docs/theory.md, Gram bound, corollaries, and One constant is enough",
    scope="d = 9, 10, 26, 27, 28, 50, 81, 100, all L from 2 to 2 log3 d + 2; log3 of the lower bound "
    "multiset(floor((d+1)/2), "
    "3^(L-2)) and of the Gram bound, rounded down",
    expected=Verdict.HOLDS,
    note="The paper puts the threshold at log3 d. Where between the two it lies is open; if generic ranks stay near "
    "the Gram "
    "bound it is near 2 log3 d for H = 1.",
)


class Sizes(NamedTuple):
    """Width and depth."""

    d: int
    L: int

    @property
    def k(self) -> int:
        """3^(L-2)."""
        return 3 ** (self.L - 2)

    @property
    def before(self) -> bool:
        """Whether L <= log3 d."""
        return 3**self.L <= self.d


def cases(level: str) -> Iterable[Sizes]:
    """Widths at and around powers of 3, all depths past the second threshold."""
    for d in (9, 10, 26, 27, 28, 50, 81, 100) if level == "full" else (9, 27, 50):
        last = next(L for L in range(1, 20) if 3**L >= d * d) + 2
        yield from (Sizes(d, L) for L in range(2, last + 1))


def whole_numbers(case: Sizes) -> tuple[int, int]:
    """Both logarithms, rounded down, from exact integers."""
    return floor_log3(multiset((case.d + 1) // 2, case.k)), floor_log3(gram_bound(case.d, case.L))


def closed_forms(case: Sizes) -> tuple[int, int]:
    """The same from the library's magnitudes."""
    from seprank.closed_forms.gram import gram_bound as library_bound
    from seprank.closed_forms.paper import all_heads_base, multiset_power

    arch = Architecture(case.L, case.d)
    lower = multiset_power(all_heads_base(arch), case.L).log3
    return real_floor(lower), real_floor(library_bound(arch, None).magnitude.log3)


def roads() -> Mapping[str, Road]:
    """log3 of the lower and the upper bound."""
    return {"whole numbers": whole_numbers, "closed forms, logarithms": closed_forms}


def holds(case: Sizes, result: tuple[int, int]) -> bool:
    """At least (9/2)^(3^(L-2)) before log3 d; at most s L, and that part of 3^L, always."""
    d, L, s = case.d, case.L, case.d * (case.d + 1) // 2
    double = multiset((d + 1) // 2, case.k) * 2**case.k >= 9**case.k
    return result[0] <= result[1] < s * L and (double or not case.before)


def mutants() -> Mapping[str, Claim]:
    """A later or an earlier end of the growth, as far as the bounds go."""

    def lower_bound_to_the_end(case: Sizes, result: tuple[int, int]) -> bool:
        return 3**case.L > case.d**2 or multiset((case.d + 1) // 2, case.k) * 2**case.k >= 9**case.k

    def ends_at_log3(case: Sizes, result: tuple[int, int]) -> bool:
        return case.before or result[1] <= 2 * case.d * case.L

    return {
        "the lower bound grows like (9/2)^(3^(L-2)) up to 2 log3 d": lower_bound_to_the_end,
        "from log3 d on the upper bound is at most 2 d L": ends_at_log3,
    }
