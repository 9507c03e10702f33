"""R^2 with weights needs the weighted mean, not (1/n) sum y/sigma^2.   Source: levine2020depth, appendix D."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from proofs_check.plain.line_fit import fit_line, known_points
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="D2W.r2",
    title="R^2 of the weighted fit needs the weighted mean; the printed (1/n) sum y_i/sigma_i^2 is not a mean",
    statement=r"$R^2=1-\frac{\sum(y_i-\hat y_i)^2/\sigma_i^2}{\sum(y_i-\bar y)^2/\sigma_i^2}$ is the explained part "
    r"of the weighted "
    r"sum of squares for $\bar y=\sum w_iy_i/\sum w_i$, $w_i=1/\sigma_i^2$. The printed $\bar y=\frac1n\sum "
    r"y_i/\sigma_i^2$ "
    r"changes with the unit of $\sigma$ and can lie outside the data.",
    source="levine2020depth, appendix D",
    scope="sets of 5 and 6 points at the paper's depths with a known line and residuals, each also with all errors "
    "doubled and "
    "with 3 added to all y; exact fractions",
    expected=Verdict.CORRECTED,
    note="The published value 0.998 cannot be recomputed: the measured points (table 4) were not at hand. With the "
    "printed "
    "mean R^2 is nearer to 1, whatever the fit: the line is compared with a far-off constant.",
)


class Data(NamedTuple):
    """Number of points, a seed, a factor for the errors and a number added to all y."""

    n: int
    seed: int
    factor: int = 1
    shift: int = 0


def cases(level: str) -> Iterable[Data]:
    """Each set as it is, with doubled errors, and moved."""
    for n in (5, 6):
        for seed in range(6 if level == "full" else 2):
            yield from (Data(n, seed), Data(n, seed, factor=2), Data(n, seed, shift=3))


def points(case: Data) -> tuple[list[Fraction], list[Fraction], list[Fraction]]:
    """x, y and sigma; before the errors are scaled the fit is y = 5 + x/18 with known residuals."""
    x = [Fraction(6 * (i + 1)) for i in range(case.n)]
    sigma = [Fraction(1 + (i * i + case.seed) % 5, 40) for i in range(case.n)]
    wiggle = [Fraction((7 * i + 3 * case.seed) % 5 - 2) for i in range(case.n)]
    y, _ = known_points(x, sigma, Fraction(5 + case.shift), Fraction(1, 18), wiggle)
    return x, y, [case.factor * s for s in sigma]


def from_the_fit(case: Data) -> tuple[Fraction, Fraction]:
    """R^2 with the weighted mean and with the printed one, from the normal equations."""
    x, y, sigma = points(case)
    line = fit_line(x, y, sigma)
    printed_mean = sum((q / s**2 for q, s in zip(y, sigma, strict=True)), Fraction(0)) / case.n
    about_printed = sum((((q - printed_mean) / s) ** 2 for q, s in zip(y, sigma, strict=True)), Fraction(0))
    return 1 - line.residual / line.total, 1 - line.residual / about_printed


def from_projections(case: Data) -> tuple[Fraction, Fraction]:
    """The same in rational matrices of flint: squared lengths of projections in the weighted space."""
    import flint

    x, y, sigma = points(case)
    n = case.n

    def column(values: list[Fraction]) -> Any:
        return flint.fmpq_mat(n, 1, [flint.fmpq(v.numerator, v.denominator) for v in values])

    def rest(target: Any, *directions: Any) -> Any:
        """The part of `target` orthogonal to the directions."""
        width = len(directions)
        A = flint.fmpq_mat(n, width, [direction[i, 0] for i in range(n) for direction in directions])
        return target - A * (A.transpose() * A).solve(A.transpose() * target)

    def square(vector: Any) -> Fraction:
        value = (vector.transpose() * vector)[0, 0]
        return Fraction(int(value.p), int(value.q))

    one, slope = column([1 / s for s in sigma]), column([p / s for p, s in zip(x, sigma, strict=True)])
    target = column([q / s for q, s in zip(y, sigma, strict=True)])
    dot = (one.transpose() * target)[0, 0]
    left = square(rest(target, one, slope))
    return 1 - left / square(rest(target, one)), 1 - left / square(target - one * (dot / n))


def roads() -> Mapping[str, Road]:
    """R^2 with the weighted and with the printed mean, twice."""
    return {"normal equations, fractions": from_the_fit, "projections, flint": from_projections}


def explained(case: Data) -> Fraction:
    """The known answer: sum of squares of the line about its weighted mean, over that plus the residuals."""
    x, _, sigma = points(case._replace(factor=1, shift=0))
    wiggle = [Fraction((7 * i + 3 * case.seed) % 5 - 2) for i in range(case.n)]
    residual = known_points(x, sigma, Fraction(5), Fraction(1, 18), wiggle)[1]
    w = [1 / s**2 for s in sigma]
    mean = sum(map(Fraction.__mul__, w, x), Fraction(0)) / sum(w)
    line = sum((p * ((q - mean) / 18) ** 2 for p, q in zip(w, x, strict=True)), Fraction(0))
    return line / (line + residual)


def printed(case: Data, result: tuple[Fraction, Fraction]) -> bool:
    """The explained part, with the printed mean."""
    return result[1] == explained(case)


def holds(case: Data, result: tuple[Fraction, Fraction]) -> bool:
    """The explained part, with the weighted mean: the same for scaled errors and moved data."""
    return result[0] == explained(case)


def mutants() -> Mapping[str, Claim]:
    """Other means and no weights."""

    def without_weights(case: Data, result: tuple[Fraction, Fraction]) -> bool:
        x, y, _ = points(case)
        line = fit_line(x, y, [Fraction(1)] * case.n)
        return 1 - line.residual / line.total == result[0]

    def plain_mean(case: Data, result: tuple[Fraction, Fraction]) -> bool:
        x, y, sigma = points(case)
        mean = sum(y, Fraction(0)) / case.n
        about = sum((((q - mean) / s) ** 2 for q, s in zip(y, sigma, strict=True)), Fraction(0))
        return 1 - fit_line(x, y, sigma).residual / about == result[0]

    return {
        "the printed mean gives the same R^2": lambda case, result: result[0] == result[1],
        "no weights at all": without_weights,
        "the mean without weights": plain_mean,
    }
