"""chi^2_red of a weighted line fit divides by the points less two.   Source: levine2020depth, appendix D."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Context, Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from proofs_check.plain.line_fit import fit_line, known_points
from proofs_check.plain.transition import A, B, digits
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="D2W.chi2",
    title="Reduced chi-square of the depth-width fit: df = n - 2, and six depth pairs are not n = 5 points",
    statement=r"$\chi^2_{red}=\tfrac1{df}\sum_i(y_i-\hat y_i)^2/\sigma_i^2$ with $df=n-2$, $y_i=\log d_x$, "
    r"$\sigma_i=\Delta(\log d_x)=\Delta d_x/d_x$. The text lists six pairs of depths ($n=6$, $df=4$) but divides by "
    r"$df=3$ for "
    "$n=5$.",
    source="levine2020depth, appendix D and section 5 (Transition between regimes)",
    scope="eight sets of 5 and 6 points at the paper's depths 6, 12, ..., 36 with a known line and known residuals; "
    "three sets of "
    "widths with errors, y = log d_x; numbers to 9 digits; "
    "Delta(log d) = Delta d/d up to its cube",
    expected=Verdict.CORRECTED,
    note="The measured points (table 4) were not at hand, so the published 0.854 cannot be recomputed, "
    "and which "
    "pair was left out is not said. Each data set here is made so that its fit and its sum of squares are known.",
)

PAIRS = ((6, 12), (12, 18), (18, 24), (24, 30), (30, 36), (36, 48))


class Data(NamedTuple):
    """Depths, errors and how the points are made: "line" (known answer) or "widths" (log of whole widths)."""

    depths: tuple[int, ...]
    seed: int
    kind: str = "line"


def cases(level: str) -> Iterable[Data]:
    """All six listed depths, five of them, and rounded widths."""
    all_six = tuple(shallow for shallow, _ in PAIRS)
    for seed in range(4 if level == "full" else 2):
        yield from (Data(all_six, seed), Data(all_six[:5], seed))
    yield from (Data(all_six, seed, "widths") for seed in range(3 if level == "full" else 1))


def _fractions(case: Data) -> tuple[list[Fraction], list[Fraction], list[Fraction]]:
    """x, y, sigma. For "line": from y = 5 + x/18; for "widths": log of a width to 40 digits."""
    x = [Fraction(L) for L in case.depths]
    if case.kind == "line":
        sigma = [Fraction(1 + (i * i + case.seed) % 5, 40) for i in range(len(x))]
        wiggle = [Fraction((7 * i + 3 * case.seed) % 5 - 2) for i in range(len(x))]
        return x, known_points(x, sigma, Fraction(5), Fraction(1, 18), wiggle)[0], sigma
    widths = _widths(case)
    return x, [_log(d) for d, _ in widths], [Fraction(e, d) for d, e in widths]


def _widths(case: Data) -> list[tuple[int, int]]:
    """Whole widths near exp(a + b L) and errors of some percent."""
    exact = (Context(prec=40).exp(Decimal(A) + Decimal(B) * L) for L in case.depths)
    return [(round(d), 3 + round(d) * (3 + (i * i + case.seed) % 4) // 100) for i, d in enumerate(exact)]


def _log(d: int) -> Fraction:
    return Fraction(Context(prec=40).ln(Decimal(d)))


def normal_equations(case: Data) -> tuple[str, str, str, int]:
    """a, b, reduced chi-square and df, in fractions."""
    x, y, sigma = _fractions(case)
    line = fit_line(x, y, sigma)
    df = len(x) - 2
    quotient = [Context(prec=40).divide(Decimal(v.numerator), Decimal(v.denominator)) for v in line[:3]]
    return digits(quotient[0], 9), digits(quotient[1], 9), digits(quotient[2] / df, 9), df


def numpy_fit(case: Data) -> tuple[str, str, str, int]:
    """The same by numpy's polyfit (singular values), in floating point, rounded to 9 digits."""
    x, y, sigma = (np.array([float(v) for v in part]) for part in _fractions(case))
    b, a = np.polyfit(x, y, 1, w=1 / sigma)
    df = x.size - 2
    chi = float(np.sum(((y - a - b * x) / sigma) ** 2)) / df
    return digits(repr(float(a)), 9), digits(repr(float(b)), 9), digits(repr(chi), 9), df


def flint_fit(case: Data) -> tuple[str, str, str, int]:
    """The same by solving the 2 x 2 system in rational matrices of flint."""
    import flint

    x, y, sigma = _fractions(case)
    n = len(x)

    def rational(v: Fraction) -> flint.fmpq:
        return flint.fmpq(v.numerator, v.denominator)

    A = flint.fmpq_mat(n, 2, [rational(v) for p, s in zip(x, sigma, strict=True) for v in (1 / s, p / s)])
    c = flint.fmpq_mat(n, 1, [rational(q / s) for q, s in zip(y, sigma, strict=True)])
    solution = (A.transpose() * A).solve(A.transpose() * c)
    rest = c - A * solution
    values = [solution[0, 0], solution[1, 0], (rest.transpose() * rest)[0, 0] / (n - 2)]
    found = [Context(prec=40).divide(Decimal(int(v.p)), Decimal(int(v.q))) for v in values]
    return digits(found[0], 9), digits(found[1], 9), digits(found[2], 9), n - 2


def roads() -> Mapping[str, Road]:
    """The fit, three times."""
    return {
        "normal equations, fractions": normal_equations,
        "rational matrices, flint": flint_fit,
        "polyfit, floats": numpy_fit,
    }


def printed(case: Data, result: tuple[str, str, str, int]) -> bool:
    """df = 3 for the listed pairs of depths."""
    return len(case.depths) != len(PAIRS) or result[3] == 3


def holds(case: Data, result: tuple[str, str, str, int]) -> bool:
    """df = n - 2; the known line, and the known sum of squares over df."""
    if case.kind == "widths":
        near = abs(float(result[0]) - float(A)) < 0.01 and abs(float(result[1]) - float(B)) < 0.0005
        return near and result[3] == 4 and all(_error_is_relative(*pair) for pair in _widths(case))
    x, _, sigma = _fractions(case)
    wiggle = [Fraction((7 * i + 3 * case.seed) % 5 - 2) for i in range(len(x))]
    known = known_points(x, sigma, Fraction(5), Fraction(1, 18), wiggle)[1] / (len(x) - 2)
    expected = (digits("5", 9), digits(repr(1 / 18), 9), digits(repr(float(known)), 9), len(x) - 2)
    return result == expected


def _error_is_relative(d: int, error: int) -> bool:
    """Delta(log d) = Delta d/d, up to the cube of it."""
    relative = Fraction(error, d)
    return abs((_log(d + error) - _log(d - error)) / 2 - relative) <= relative**3


def mutants() -> Mapping[str, Claim]:
    """Other divisors and weights."""

    def weights_not_squared(case: Data, result: tuple[str, str, str, int]) -> bool:
        x, y, sigma = _fractions(case)
        total = sum(((q - 5 - p / 18) ** 2 / s for p, q, s in zip(x, y, sigma, strict=True)), Fraction(0))
        return case.kind != "line" or digits(repr(float(total / result[3])), 9) == result[2]

    return {
        "df = n - 1": lambda case, result: result[3] == len(case.depths) - 1,
        "df = 3 always": lambda case, result: result[3] == 3,
        "weights 1/sigma": weights_not_squared,
    }
