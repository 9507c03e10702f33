"""Plans: the numbers of the paper, whole depths come back, and verdicts change where the band ends."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.plain.transition import GPT3 as PLAIN_GPT3
from seprank.errors import InvalidInput, OutOfScope
from seprank.planning import PAPER_FIT, TransitionFit, plan, plan_model
from seprank.planning.gpt3 import GPT3

SMALL = TransitionFit(2.0, 0.1, 0.0, 0.0, 0.0, 2, 20)


def test_the_plans_that_the_paper_states():
    assert plan(175e9).depth == 80
    trillion = plan(1e12)
    assert (trillion.depth, round(trillion.width, -3)) == (95, 30_000)
    assert round(trillion.curve_width) == 29_659
    gpt3 = plan_model(96, 12288)
    assert (gpt3.params, gpt3.depth, gpt3.verdict) == (12 * 96 * 12288**2, 80, "too deep")
    assert gpt3.transition_size == pytest.approx(1.17e12, rel=0.005)


def test_the_plan_of_a_transition_size_is_its_depth():
    for L in range(1, 436):
        found = plan(PAPER_FIT.size(L))
        assert found.depth == L
        assert found.width == pytest.approx(PAPER_FIT.width(L), abs=0.5 + 1e-9 * PAPER_FIT.width(L))
        assert found.curve_depth == pytest.approx(L)


@given(st.floats(1.6e5, 1e30))
def test_depth_and_width_spend_the_budget(params):
    found = plan(params)
    assert abs(found.curve_depth - found.depth) <= 0.5
    exact = math.sqrt(params / (12 * found.depth))
    assert abs(found.width - exact) <= 0.5 + 1e-9 * exact
    assert 1 <= found.depth_range[0] <= found.depth <= found.depth_range[1]
    assert (found.verdict, found.layers_off, found.transition_size) == (None, None, None)


@given(st.integers(1, 300), st.integers(60, 10**6))
def test_verdicts_agree_with_the_band_and_with_the_sizes(L, dx):
    if 12 * L * dx * dx < 2e5:
        return
    found = plan_model(L, dx)
    low, high = found.depth_range
    assert found.params == 12 * L * dx * dx
    assert found.layers_off == L - found.depth
    assert found.verdict == ("too shallow" if L < low else "too deep" if L > high else "near-optimal")
    # Independent of the inverse: a model beyond the band has a size that differs from that of its depth by more than
    # the error of the fit, in the stated direction; half a layer is the rounding of depths.
    moved = {"too shallow": L + 0.5, "too deep": L - 0.5}.get(found.verdict)
    if moved is not None:
        excess = (math.log(found.params) - PAPER_FIT.log_size(moved)) / PAPER_FIT.relative_error(moved)
        assert excess > 1 if found.verdict == "too shallow" else excess < -1


def test_a_verdict_changes_at_the_ends_of_the_range():
    size = plan(1e11)
    low, high = size.depth_range
    for L, expected in (
        (low - 1, "too shallow"),
        (low, "near-optimal"),
        (high, "near-optimal"),
        (high + 1, "too deep"),
    ):
        dx = round(math.sqrt(1e11 / (12 * L)))
        assert plan_model(L, dx).verdict == expected, L


def test_without_errors_the_range_is_the_optimum():
    found = plan(SMALL.size(10), SMALL)
    assert found.depth_range == (10, 10)
    assert plan_model(10, round(SMALL.width(10)), SMALL).verdict == "near-optimal"
    assert plan_model(9, round(SMALL.width(10)), SMALL).verdict == "too shallow"
    assert plan_model(12, round(SMALL.width(10)), SMALL).verdict == "too deep"


@pytest.mark.parametrize(
    ("depth", "model", "expected"),
    [(24, None, False), (48, None, False), (49, None, True), (5, None, True), (24, 4, True), (24, 24, False)],
)
def test_extrapolation_is_flagged(depth, model, expected):
    params = PAPER_FIT.size(depth)
    if model is None:
        assert plan(params).extrapolated is expected
    else:
        assert plan_model(model, round(math.sqrt(params / (12 * model)))).extrapolated is expected


def test_a_fit_of_other_depths_extrapolates_elsewhere():
    assert plan(SMALL.size(20), SMALL).extrapolated is False
    assert plan(SMALL.size(21), SMALL).extrapolated is True


def test_the_printed_gpt3_models_are_those_of_the_ledger():
    plain = {name: (f"GPT-3 {name}", *sizes) for name, sizes in PLAIN_GPT3.items()}
    assert [(model.name, model.params, model.L) for model in GPT3] == list(plain.values())
    assert [model.name for model in GPT3 if model.H * model.da != model.dx] == [m.name for m in GPT3 if m.note]


@pytest.mark.parametrize("model", GPT3, ids=lambda model: model.name)
def test_the_verdict_on_a_gpt3_model_is_the_same_by_either_count(model):
    by_formula, by_statement = plan_model(model.L, model.dx), plan(model.params)
    assert by_formula.verdict == ("too deep" if model.L == 96 else "too shallow")
    low, high = by_statement.depth_range
    assert (model.L > high) if model.L == 96 else (model.L < low)


def test_the_suggested_depths_of_the_gpt3_models():
    assert [plan_model(model.L, model.dx).depth for model in GPT3] == [23, 32, 37, 42, 47, 54, 60, 80]
    assert [plan(model.params).depth for model in GPT3] == [26, 33, 38, 42, 48, 55, 60, 80]  # as in the ledger


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (0, r"params must be a number from 1 to 1e\+30, got 0"),
        (-5, "got -5"),
        (math.nan, "got nan"),
        (math.inf, "got inf"),
        (1.1e30, r"got 1.1e\+30"),
        (10**31, "got about 1.000e31"),
        (10**5000, "got a number of over 1000 digits"),
        (True, "got True"),
        ("1e9", "got '1e9'"),
        (100_000, r"params must be at least 1.51e\+05, or the fit has no network of one layer, got 100000"),
    ],
    ids=lambda value: str(value)[:20] if not isinstance(value, int) or value < 10**40 else "long",
)
def test_numbers_of_parameters_that_are_none(params, message):
    with pytest.raises(InvalidInput, match=message):
        plan(params)


@pytest.mark.parametrize(
    ("L", "dx", "message"),
    [
        (0, 5, "L must be a whole number from 1 to 100000, got 0"),
        (100_001, 5, "L must be a whole number from 1 to 100000, got 100001"),
        (5, 2.5, "dx must be a whole number at least 1, got 2.5"),
        (2, 10**20, r"got about 2.400e41 \(12 L dx\^2\)"),
        (1, 1, "the fit has no network of one layer, got 12"),
    ],
)
def test_models_that_are_none(L, dx, message):
    with pytest.raises(InvalidInput, match=message):
        plan_model(L, dx)


def test_a_fit_without_a_slope_plans_nothing():
    with pytest.raises(OutOfScope, match="b must be positive"):
        plan(1e9, TransitionFit(5.0, 0.01, 0.1, 0.02, 0.0, 1, 10))
