"""Weighted least squares of a line, from the normal equations in fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

Numbers = Sequence[Fraction]


class Line(NamedTuple):
    """y = a + b x, the weighted sum of squared residuals, and that about the weighted mean."""

    a: Fraction
    b: Fraction
    residual: Fraction
    total: Fraction


def fit_line(x: Numbers, y: Numbers, sigma: Numbers) -> Line:
    """Minimise sum ((y - a - b x)/sigma)^2."""
    w = [1 / s**2 for s in sigma]

    def mean(values: Numbers) -> Fraction:
        return sum((p * v for p, v in zip(w, values, strict=True)), Fraction(0)) / sum(w)

    xm, ym = mean(x), mean(y)
    b = mean([(p - xm) * (q - ym) for p, q in zip(x, y, strict=True)]) / mean([(p - xm) ** 2 for p in x])
    a = ym - b * xm
    residual = mean([(q - a - b * p) ** 2 for p, q in zip(x, y, strict=True)]) * sum(w)
    return Line(a, b, residual, mean([(q - ym) ** 2 for q in y]) * sum(w))


def known_points(
    x: Numbers, sigma: Numbers, a: Fraction, b: Fraction, seed: Numbers
) -> tuple[list[Fraction], Fraction]:
    """Values y whose fit is exactly (a, b), and their weighted sum of squared residuals.

    The residuals sigma e have e orthogonal to 1/sigma and x/sigma, made from `seed` by projection.
    """
    columns = [[1 / s for s in sigma], [p / s for p, s in zip(x, sigma, strict=True)]]
    first = columns[0]
    second = _without(columns[1], first)
    e = _without(_without(list(seed), first), second)
    y = [a + b * p + s * r for p, s, r in zip(x, sigma, e, strict=True)]
    return y, sum((r * r for r in e), Fraction(0))


def _without(v: Numbers, u: Numbers) -> list[Fraction]:
    """v less its projection on u."""
    factor = sum(map(Fraction.__mul__, v, u), Fraction(0)) / sum(map(Fraction.__mul__, u, u), Fraction(0))
    return [p - factor * q for p, q in zip(v, u, strict=True)]
