"""The lower form of Theorem 1 is positive for H < dx, not for H = dx.   Source: levine2020depth, Theorem 1 (remark)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from proofs_check.plain.logs import intervals
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.thm1-remark",
    title="log3(dx - H) + a > 0 for L < log3 dx holds for H < dx and fails for H = dx",
    statement=r"The paper notes $\log_3(d_x-H)+a>0$ for $L<\log_3d_x$, $a=-L+2-\log_32$. For $H\mid d_x$, $H<d_x$ it "
    r"is true, "
    r"and more: the left side is above $\log_3\tfrac94$. At $H=d_x$ it is $-\infty$.",
    source="levine2020depth, Theorem 1 (remark)",
    scope="L = 1..6, dx from 3^L + 1 to 3^L + 40 and 2 3^L, 10 3^L, every H dividing dx",
    expected=Verdict.CORRECTED,
    note="Proved for all sizes: H <= dx/2 gives 2 (dx - H) >= dx > 3^L, which is the claim with log3(9/4).",
)


class Sizes(NamedTuple):
    """An architecture below the threshold."""

    L: int
    dx: int
    H: int


def cases(level: str) -> Iterable[Sizes]:
    """From the least width of every depth on, every H, H = dx included."""
    full = level == "full"
    for L in range(1, 7 if full else 5):
        widths = (*range(3**L + 1, 3**L + 41), 2 * 3**L, 10 * 3**L) if full else (3**L + 1, 3**L + 2, 2 * 3**L)
        yield from (Sizes(L, dx, H) for dx in widths for H in range(1, dx + 1) if dx % H == 0)


def whole_numbers(case: Sizes) -> tuple[bool, bool]:
    """Whether the form is above 0, and above log3(9/4), by whole numbers."""
    nine_times = 9 * (case.dx - case.H)
    return nine_times > 2 * 3**case.L, 4 * nine_times > 9 * 2 * 3**case.L


def as_printed(case: Sizes) -> tuple[bool, bool] | None:
    """The same in interval arithmetic, where log 0 is minus infinity."""
    ctx = intervals()
    log3 = ctx.log(3)
    form = ctx.log(ctx.mpf(case.dx - case.H)) / log3 - case.L + (2 - ctx.log(2) / log3)
    limits = (ctx.mpf(0), ctx.log(ctx.mpf(9) / 4) / log3)
    decided = [form.a > limit.b or form.b < limit.a for limit in limits]
    return (bool(form.a > limits[0].b), bool(form.a > limits[1].b)) if all(decided) else None


def closed_form(case: Sizes) -> tuple[bool, bool] | None:
    """The library's bound of Theorem 1, over 3^(L-2), for H < dx: above 0, above log3(9/4) by 1e-30."""
    from seprank.attention.architecture import Architecture
    from seprank.closed_forms.paper import theorem1_lower

    if case.H == case.dx:
        return None
    form = theorem1_lower(Architecture(*case)).log3 / 3 ** (case.L - 2)
    limit = theorem1_lower(Architecture(2, 11, 2, da=1)).log3 - theorem1_lower(Architecture(2, 5, 1)).log3  # 9/2 over 2
    return bool(form > 0), bool(form > limit + 1e-30)


def roads() -> Mapping[str, Road]:
    """Three ways to the sign."""
    return {"whole numbers": whole_numbers, "printed formula in intervals": as_printed, "closed form": closed_form}


def printed(case: Sizes, result: tuple[bool, bool]) -> bool:
    """Positive throughout the regime."""
    return result[0]


def holds(case: Sizes, result: tuple[bool, bool]) -> bool:
    """Above log3(9/4), hence positive, exactly for H < dx."""
    return result == ((case.H < case.dx),) * 2


def mutants() -> Mapping[str, Claim]:
    """Other limits on the number of heads."""
    return {
        "positive for H <= dx, even at H = dx": lambda case, result: result[0],
        "positive for H <= dx/4 only": lambda case, result: result[0] == (4 * case.H <= case.dx),
        "a = -L in place of -L + 2 - log3 2": lambda case, result: case.H == case.dx or case.dx - case.H > 3**case.L,
    }
