"""The weighted fit against scipy and exact arithmetic, and against wrong readings of the formulas."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import curve_fit

from seprank.errors import InvalidInput
from seprank.planning import TransitionPoint, fit_points

POINTS = tuple(
    TransitionPoint(*row) for row in [(6, 216, 7), (12, 318, 9), (18, 405, 15), (24, 610, 25), (36, 1130, 60)]
)
positive = st.floats(1.0, 1e5)
rows = st.lists(st.tuples(st.integers(1, 100), positive, st.floats(0.001, 1.0)), min_size=3, max_size=12)


def arrays(points):
    depth, width, error = (np.array([getattr(p, name) for p in points], float) for name in ("depth", "width", "error"))
    return depth, np.log(width), error / width


def by_scipy(points):
    """a, b, their covariance matrix and chi-square by a general optimiser."""
    x, y, sigma = arrays(points)
    (a, b), covariance = curve_fit(lambda L, a, b: a + b * L, x, y, (0.0, 0.0), sigma, absolute_sigma=True)
    return a, b, covariance, float((((y - a - b * x) / sigma) ** 2).sum())


def numbers(found):
    fit = found.fit
    return fit.a, fit.b, fit.error_a, fit.error_b, fit.covariance, found.chi2


def test_a_general_optimiser_finds_the_same():
    a, b, covariance, chi2 = by_scipy(POINTS)
    expected = (a, b, math.sqrt(covariance[0, 0]), math.sqrt(covariance[1, 1]), covariance[0, 1], chi2)
    assert numbers(fit_points(POINTS)) == pytest.approx(expected, rel=1e-5)


@given(rows)
def test_the_normal_equations_hold_in_exact_arithmetic(rows):
    points = [TransitionPoint(L, width, width * share) for L, width, share in rows]
    assume(len({point.depth for point in points}) > 1)
    w = [Fraction(point.width / point.error) ** 2 for point in points]
    x, y = [Fraction(p.depth) for p in points], [Fraction(math.log(p.width)) for p in points]

    def total(*columns):
        return sum((math.prod(row, start=Fraction(1)) for row in zip(w, *columns, strict=True)), Fraction(0))

    determinant = total() * total(x, x) - total(x) ** 2
    b = (total() * total(x, y) - total(x) * total(y)) / determinant
    a = (total(y) - b * total(x)) / total()
    chi2 = total([(v - a - b * u) ** 2 for u, v in zip(x, y, strict=True)])
    assume(abs(a) < 99 and abs(b) < 99)  # fits with larger constants are refused
    found = fit_points(points)
    fit = found.fit
    assert (fit.a, fit.b) == pytest.approx((float(a), float(b)), rel=1e-7, abs=1e-9)
    assert fit.error_a**2 == pytest.approx(float(total(x, x) / determinant), rel=1e-9)
    assert fit.error_b**2 == pytest.approx(float(total() / determinant), rel=1e-9)
    assert fit.covariance == pytest.approx(float(-total(x) / determinant), rel=1e-9)
    assert found.chi2 == pytest.approx(float(chi2), rel=1e-6, abs=1e-6)
    mean = total(y) / total()
    spread = total([(v - mean) ** 2 for v in y])
    if found.r2 is not None and spread > Fraction(1, 10**6):
        assert found.r2 == pytest.approx(float(1 - chi2 / spread), abs=1e-6)


def test_the_measures_of_the_fit():
    found = fit_points(POINTS)
    assert (found.df, found.chi2_reduced) == (3, found.chi2 / 3)
    assert found.correlation == pytest.approx(found.fit.covariance / found.fit.error_a / found.fit.error_b)
    assert -1 < found.correlation < 0
    assert 0.9 < found.r2 < 1
    assert (found.fit.shallowest, found.fit.deepest) == (6, 36)


def test_wrong_readings_give_other_numbers():
    x, y, sigma = arrays(POINTS)
    found = fit_points(POINTS)
    right = pytest.approx(found.fit.b, rel=1e-4)
    assert by_scipy(POINTS)[1] == right
    assert np.polyfit(x, y, 1)[0] != right  # without weights
    assert np.polyfit(x, y, 1, w=1 / sigma**2)[0] != right  # weights squared twice
    assert np.polyfit(x, y, 1, w=1 / (sigma * np.exp(y)))[0] != right  # the error of dx taken for that of log dx
    assert np.polyfit(x, y / math.log(10), 1, w=1 / sigma)[0] != right  # logarithm to base 10
    scaled = np.polyfit(x, y, 1, w=1 / sigma, cov=True)[1]  # errors rescaled by chi-square
    assert found.fit.error_b**2 != pytest.approx(scaled[0, 0], rel=1e-3)


def test_the_printed_mean_would_give_another_r2():
    _, y, sigma = arrays(POINTS)
    w = 1 / sigma**2
    found = fit_points(POINTS)
    assert found.r2 == pytest.approx(1 - found.chi2 / (w * (y - np.average(y, weights=w)) ** 2).sum(), rel=1e-9)
    as_printed = 1 - found.chi2 / (w * (y - (w * y).sum() / len(y)) ** 2).sum()
    assert abs(found.r2 - as_printed) > 1e-3


def test_points_on_a_line_are_fitted_exactly():
    points = [TransitionPoint(L, math.exp(5 + 0.05 * L), 3.0) for L in (6, 12, 18, 24)]
    found = fit_points(points)
    assert (found.fit.a, found.fit.b) == pytest.approx((5.0, 0.05), rel=1e-12)
    assert found.chi2 == pytest.approx(0, abs=1e-18)
    assert found.r2 == pytest.approx(1)


def test_equal_widths_have_no_r2():
    found = fit_points([TransitionPoint(L, 100.0, 5.0) for L in (1, 2, 3)])
    assert found.r2 is None
    assert found.fit.b == 0


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (POINTS[:2], "points must be at least 3 for a line and its chi-square, got 2"),
        ((), "points must be at least 3 for a line and its chi-square, got 0"),
        ((POINTS[0],) * 4, "points must lie at two depths or more, with comparable errors, got depths 6"),
    ],
    ids=["two", "none", "one depth"],
)
def test_points_that_make_no_line(points, message):
    with pytest.raises(InvalidInput, match=message):
        fit_points(points)


@pytest.mark.parametrize(
    ("point", "message"),
    [
        ((0, 100.0, 5.0), "depth must be a whole number at least 1, got 0"),
        ((2.5, 100.0, 5.0), "depth must be a whole number at least 1, got 2.5"),
        ((6, 0.0, 5.0), "width must be a positive number, got 0.0"),
        ((6, math.nan, 5.0), "width must be a positive number, got nan"),
        ((6, 100.0, -1.0), "error must be a positive number, got -1.0"),
        ((6, 100.0, math.inf), "error must be a positive number, got inf"),
        ((6, 100.0, True), "error must be a positive number, got True"),
        ((6, 1e300, 1e-300), "error must be from 1e-9 to 1e9 times the width, got 1e-300 for 1e\\+300"),
    ],
    ids=str,
)
def test_points_that_are_none(point, message):
    with pytest.raises(InvalidInput, match=message):
        TransitionPoint(*point)
