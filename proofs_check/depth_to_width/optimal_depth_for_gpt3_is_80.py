"""The fit, solved for the depth: 80 layers for 175e9 parameters, 95 for 1e12.   Source: levine2020depth, section 5, "
"table 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal, localcontext
from typing import Any

from proofs_check.plain.transition import GPT3, TRILLION, A, B
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="D2W.table1",
    title="The fit gives depth 80 for GPT-3's size, depth 95 and width 30K for 1e12; smaller GPT-3 models are too "
    "shallow",
    statement=r"The size $N=12Ld_x^2$ and $\log d_x=a+bL$ have one solution, $L=W(bNe^{-2a}/6)/(2b)$. With $a=5.039$, "
    r"$b=0.05551$: "
    r"$N=1.75\cdot10^{11}$ gives $L=80$ (trained: 96), $N=10^{12}$ gives $L=95$, $d_x=30$ thousand. The seven smaller "
    r"GPT-3 "
    "models have fewer layers than the fit asks for.",
    source="levine2020depth, section 5 (Projecting to larger networks) and table 1",
    scope="the eight sizes of Brown et al. 2020, table 2.1, and 1e12 parameters; depth to the nearest layer, width to "
    "the "
    "nearest whole number and to thousands",
    expected=Verdict.HOLDS,
    note="Table 1 itself was not at hand, only the two sizes quoted in the text. The other depths computed here "
    "are 26, 33, "
    "38, 42, 48, 55, 60 for 125M, 350M, 760M, 1.3B, 2.7B, 6.7B, 13B parameters (trained: 12, 24, 24, 24, 32, 32, 40). "
    "Sizes count as non-embedding parameters, as in the paper. b = 0.0555 would give 81 for GPT-3 (80.51).",
)

Row = tuple[str, int]
DEPTHS = {"Small": 26, "Medium": 33, "Large": 38, "XL": 42, "2.7B": 48, "6.7B": 55, "13B": 60, "175B": 80, "1T": 95}


def cases(level: str) -> Iterable[Row]:
    """Name and number of parameters."""
    yield from ((name, size) for name, (size, _) in GPT3.items())
    yield "1T", TRILLION


def by_bisection(case: Row) -> tuple[int, int]:
    """Depth and width from N(L) = 12 L exp(2 a + 2 b L), halving the interval; decimals of 40 digits."""
    with localcontext() as context:
        context.prec = 40
        a, b, low, high = Decimal(A), Decimal(B), Decimal(1), Decimal(200)
        for _ in range(100):
            middle = (low + high) / 2
            too_small = 12 * middle * (2 * a + 2 * b * middle).exp() < case[1]
            low, high = (middle, high) if too_small else (low, middle)
        return round(low), round((case[1] / (12 * low)).sqrt())


def by_lambert(case: Row) -> tuple[int, int]:
    """The same with Lambert's W in mpmath, and the width as exp(a + b L)."""
    import mpmath

    ctx = mpmath.MPContext()
    ctx.dps = 40
    a, b = ctx.mpf(A), ctx.mpf(B)
    L = ctx.lambertw(b * case[1] * ctx.exp(-2 * a) / 6).real / (2 * b)
    return int(ctx.nint(L)), int(ctx.nint(ctx.exp(a + b * L)))


def roads() -> Mapping[str, Road]:
    """Depth and width, twice."""
    return {"bisection, decimals": by_bisection, "Lambert W, mpmath": by_lambert}


def holds(case: Row, result: tuple[int, int]) -> bool:
    """The listed depth; width 30 thousand at 1e12; trained depths below it but for GPT-3 175B."""
    name, _ = case
    if name == "1T":
        return result[0] == DEPTHS[name] and round(result[1], -3) == 30_000
    trained = GPT3[name][1]
    return result[0] == DEPTHS[name] and (trained > result[0]) == (name == "175B")


def mutants() -> Mapping[str, Claim]:
    """Other verdicts and another size formula."""

    def as_trained(case: Row, result: Any) -> bool:
        return case[0] == "1T" or GPT3[case[0]][1] < result[0]

    def common_logarithm(case: Row, result: Any) -> bool:
        # With log10 the width at the printed depth would be 10^(a + b L).
        return round(Decimal(10) ** (Decimal(A) + Decimal(B) * result[0])) <= 2 * result[1]

    return {
        "every GPT-3 model is too shallow, 175B too": as_trained,
        "log is to base 10": common_logarithm,
        "width 12 thousand at 1e12": lambda case, result: case[0] != "1T" or round(result[1], -3) == 12_000,
    }
