"""The fit reproduces the numbers of the paper's text, and its inverse is one."""

import dataclasses
import math

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.plain.transition import COVARIANCE, ERROR_A, ERROR_B, A, B
from seprank.errors import InvalidInput, OutOfScope
from seprank.planning import PAPER_FIT, TransitionFit


def quoted(size, relative_error):
    """Whether sizes and errors are those of the text: 1.17 +- 0.23 e12 at 96, 1.65 +- 0.25 e11 at 80, 0.2 at 100."""
    return (
        f"{size(96):.2e}" == "1.17e+12"
        and f"{size(96) * relative_error(96):.1e}" == "2.3e+11"
        and f"{size(80):.2e}" == "1.65e+11"
        and f"{size(80) * relative_error(80):.1e}" == "2.5e+10"
        and f"{relative_error(100):.1f}" == "0.2"
        and f"{relative_error(100):.2f}" == "0.20"
    )


def test_the_text_of_the_paper_is_reproduced():
    assert quoted(PAPER_FIT.size, PAPER_FIT.relative_error)


@pytest.mark.parametrize(
    "change",
    [
        {"b": 0.0555},
        {"a": 5.05},
        {"covariance": 0.0},
        {"covariance": 3.7e-5},
        {"covariance": -3.9e-5},
        {"error_b": 0.0014},
    ],
    ids=str,
)
def test_other_constants_do_not_give_it(change):
    other = dataclasses.replace(PAPER_FIT, **change)
    assert not quoted(other.size, other.relative_error)


def test_other_formulas_do_not_give_it():
    fit, error = PAPER_FIT, PAPER_FIT.relative_error
    assert not quoted(lambda L: 12 * L * fit.width(L), error)
    assert not quoted(lambda L: 4 * L * fit.width(L) ** 2, error)
    assert not quoted(lambda L: 12 * L * 10 ** (2 * fit.log_width(L)), error)
    assert not quoted(fit.size, lambda L: error(L) / 2)


def test_the_constants_are_those_of_the_ledger():
    assert (PAPER_FIT.a, PAPER_FIT.b, PAPER_FIT.covariance) == (float(A), float(B), float(COVARIANCE))
    assert (PAPER_FIT.error_a, PAPER_FIT.error_b) == (float(ERROR_A), float(ERROR_B))
    assert (PAPER_FIT.shallowest, PAPER_FIT.deepest, PAPER_FIT.heads, PAPER_FIT.vocabulary) == (6, 48, 2, 2000)


@pytest.mark.parametrize("size", [3e5, 1e8, 1.75e11, 1e12, 1e30])
def test_the_depth_is_that_of_lamberts_function(size):
    with mpmath.workdps(30):
        b = mpmath.mpf(B)
        expected = mpmath.lambertw(b * size * mpmath.exp(-2 * mpmath.mpf(A)) / 6).real / (2 * b)
    assert PAPER_FIT.depth(size) == pytest.approx(float(expected), rel=1e-12)


@given(st.floats(0.01, 600))
def test_the_depth_of_the_size_of_a_depth(L):
    assert PAPER_FIT.depth(PAPER_FIT.size(L)) == pytest.approx(L, rel=1e-9)


@given(st.floats(1e6, 1e30), st.sampled_from([1.0, 2.0, 5.0]))
def test_the_band_encloses_the_depth_and_has_the_stated_error(size, sigmas):
    least, depth, most = (PAPER_FIT.depth(size, k) for k in (sigmas, 0, -sigmas))
    assert least < depth < most
    for L, sign in ((least, 1), (most, -1)):
        moved = PAPER_FIT.log_size(L) + sign * sigmas * PAPER_FIT.relative_error(L)
        assert moved == pytest.approx(math.log(size), rel=1e-12)


@given(
    st.floats(-20, 20),
    st.floats(1e-4, 2),
    st.floats(0, 0.9),
    st.floats(1, 1e30),
)
def test_every_fit_with_a_slope_has_an_inverse(a, b, share, size):
    fit = TransitionFit(a, b, 0.1, share * b, 0.0, 1, 10)
    for sigmas in (-1.0, 0.0, 1.0):
        L = fit.depth(size, sigmas)
        assert fit.log_size(L) + sigmas * fit.relative_error(L) == pytest.approx(math.log(size), abs=1e-6)


@pytest.mark.parametrize(("b", "error_b", "sigmas"), [(-0.1, 0.01, 0.0), (0.0, 0.0, 0.0), (0.01, 0.01, 1.0)])
def test_a_slope_that_may_not_rise_gives_no_depth(b, error_b, sigmas):
    with pytest.raises(OutOfScope, match=r"b must be positive and above its standard error .* got b="):
        TransitionFit(5.0, b, 0.1, error_b, 0.0, 1, 10).depth(1e9, sigmas)


def test_sizes_beyond_floats_are_infinite_with_a_logarithm():
    assert PAPER_FIT.size(10_000) == math.inf
    assert PAPER_FIT.log_size(10_000) == pytest.approx(math.log(120_000) + 2 * 5.039 + 20_000 * 0.05551)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": math.nan}, "a must be a number from -100 to 100, got nan"),
        ({"a": 101}, "a must be a number from -100 to 100, got 101"),
        ({"b": "1"}, "b must be a number from -100 to 100, got '1'"),
        ({"error_a": -1.0}, r"error_a must be a number from 0 to 1e\+100, got -1.0"),
        ({"error_b": math.inf}, "error_b must be a number"),
        ({"covariance": -4e-5}, "covariance must be at most error_a error_b = 3.9e-05 in size, got -4e-05"),
        ({"shallowest": 0}, "shallowest must be a whole number at least 1, got 0"),
        ({"deepest": 5}, "deepest must be a whole number at least 6, got 5"),
    ],
    ids=str,
)
def test_a_fit_that_breaks_a_rule_is_refused(change, message):
    with pytest.raises(InvalidInput, match=message):
        dataclasses.replace(PAPER_FIT, **change)


@pytest.mark.parametrize("L", [0, -1, math.nan, math.inf, "3", True])
def test_a_depth_that_is_none_is_refused(L):
    for call in (PAPER_FIT.width, PAPER_FIT.size):
        with pytest.raises(InvalidInput, match="L must be a positive number"):
            call(L)
