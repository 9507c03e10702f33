"""The guideline and the transition: curves, bands, models, points."""

import numpy as np
import pytest

from proofs_check.plain.transition import A, B
from seprank.errors import InvalidInput, OutOfScope
from seprank.planning import PAPER_FIT, TransitionFit, TransitionPoint, fit_points, plan, plan_model
from seprank.planning.gpt3 import GPT3
from seprank.plots.canvas import caption_of, image
from seprank.plots.guideline import guideline
from seprank.plots.transition import transition

POINTS = [TransitionPoint(L, width, 0.05 * width) for L, width in ((6, 216), (12, 318), (18, 405), (24, 610))]


def line(ax, name):
    return next(line for line in ax.lines if line.get_label() == name)


def test_the_curve_is_that_of_the_paper():
    ax = guideline().axes[0]
    L, size = line(ax, "extrapolated").get_data()
    a, b = float(A), float(B)
    np.testing.assert_allclose(size, 12 * L * np.exp(2 * a + 2 * b * L), rtol=1e-12)
    assert L[0] == 1
    assert L[-1] > 100
    inside = line(ax, "fit, measured depths").get_xdata()
    assert 6 <= inside.min() < 6.5
    assert 47.5 < inside.max() <= 48


def test_the_band_is_one_standard_error():
    ax = guideline().axes[0]
    (band,) = (collection for collection in ax.collections if collection.get_label() == "one standard error")
    vertices = band.get_paths()[0].vertices
    at = vertices[np.abs(vertices[:, 0] - 100) < 0.2]
    ratio = at[:, 1].max() / at[:, 1].min()
    # e^(2 x 0.204), and a little for the depths within 0.2 of 100
    assert np.log(ratio) == pytest.approx(2 * 0.204, abs=0.06)


def test_gpt3_is_placed_with_its_verdicts():
    figure = guideline()
    ax = figure.axes[0]
    offsets = {collection.get_label(): collection.get_offsets() for collection in ax.collections}
    shallow = offsets["too shallow: deepen"]
    np.testing.assert_allclose(shallow, [(m.L, 12 * m.L * m.dx**2) for m in GPT3[:-1]])
    np.testing.assert_allclose(offsets["too deep: widen"], [(96, 12 * 96 * 12288**2)])
    assert [text.get_text() for text in ax.texts] == [model.name for model in GPT3]


def test_models_of_one_place_share_a_label():
    plans = {"one": plan_model(24, 2048), "two": plan_model(24, 2048), "three": plan_model(80, 13000)}
    ax = guideline(plans).axes[0]
    assert [text.get_text() for text in ax.texts] == ["one\ntwo", "three"]
    assert "near-optimal" in {collection.get_label() for collection in ax.collections}


def test_names_of_the_axes_and_the_caption():
    figure = guideline()
    ax = figure.axes[0]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("depth L (layers)", "parameters without embeddings")
    assert ax.get_yscale() == "log"
    assert "an empirical estimate; band: one standard error of the fit" in caption_of(figure)
    assert "measured on depths 6 to 48 with 2 heads and vocabulary 2000 (levine2020depth" in caption_of(figure)


def test_the_sheet_grows_with_a_deep_model_and_without_models():
    assert guideline({"deep": plan_model(500, 5000)}).axes[0].get_xlim()[1] > 500
    assert image(guideline({}), "svg")


def test_plans_that_have_no_place():
    with pytest.raises(InvalidInput, match="plans must be those of models, got a plan without a model for 'budget'"):
        guideline({"budget": plan(1e9)})
    with pytest.raises(InvalidInput, match="L must be at most 1000 for a place on the figure, got 2000 for 'deep'"):
        guideline({"deep": plan_model(2000, 5000)})
    with pytest.raises(OutOfScope, match="b must be positive"):
        guideline(fit=TransitionFit(5.0, 0.01, 0.1, 0.02, 0.0, 1, 10))


def test_the_transition_of_the_paper_without_points():
    figure = transition()
    left, right = figure.axes
    L, width = line(left, "extrapolated").get_data()
    np.testing.assert_allclose(np.log(width), float(A) + float(B) * L)
    L, size = line(right, "extrapolated").get_data()
    np.testing.assert_allclose(size, 12 * L * width**2)
    assert (left.get_ylabel(), right.get_ylabel()) == ("width dx", "parameters without embeddings")
    assert not left.containers
    assert "The measured points of the paper are not drawn" in caption_of(figure)


def test_the_band_of_widths_is_half_as_wide_as_that_of_sizes():
    left, right = transition().axes
    spread = []
    for ax in (left, right):
        vertices = ax.collections[0].get_paths()[0].vertices
        end = vertices[np.isclose(vertices[:, 0], vertices[:, 0].max())]
        spread.append(np.log(end[:, 1].max() / end[:, 1].min()))
    assert spread[1] == pytest.approx(2 * spread[0])
    assert spread[1] == pytest.approx(2 * PAPER_FIT.relative_error(60))


def test_the_transition_of_ones_own_points():
    found = fit_points(POINTS, source="mine.csv")
    figure = transition(found)
    left, right = (ax.containers[0] for ax in figure.axes)
    np.testing.assert_allclose(left.lines[0].get_data(), [[6, 12, 18, 24], [216, 318, 405, 610]])
    np.testing.assert_allclose(right.lines[0].get_ydata(), [12 * p.depth * p.width**2 for p in POINTS])
    (bars,) = right.lines[2]
    low, high = bars.get_segments()[0][:, 1]
    assert (high - low) / 2 == pytest.approx(12 * 6 * 216**2 * 2 * 0.05)
    assert f"chi-square {found.chi2:.3g} for 2 degrees of freedom" in caption_of(figure)
    assert "(mine.csv)" in caption_of(figure)
    assert image(figure, "pdf")
