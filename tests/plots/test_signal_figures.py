"""Figures of signal propagation: what is drawn is what was measured, and what captions claim is so."""

import numpy as np
import pytest

from seprank.plots.canvas import caption_of
from seprank.plots.signal_depth import predicted_queries, signal_depth
from seprank.plots.signal_grid import signal_grid
from seprank.plots.signal_layer_norm import signal_layer_norm
from seprank.plots.signal_norm_density import signal_norm_density
from seprank.plots.signal_pre_norm import signal_pre_norm
from seprank.plots.signal_scaling import signal_scaling
from seprank.plots.signal_sweeps import signal_sweeps
from seprank.plots.signal_very_deep import signal_very_deep
from seprank.signal import GaussianTokens, NetworkSizes, depth_run
from seprank.signal.figure_runs import (
    GRID,
    NormSamples,
    grid,
    layer_norm_runs,
    norm_samples,
    pre_norm_runs,
    scaling_runs,
    sweep_tokens,
    sweeps,
    very_deep_runs,
)


def line(ax, label):
    return next(line for line in ax.lines if line.get_label() == label)


def test_one_run():
    run = depth_run(NetworkSizes(L=4, d=16, norm="post"), GaussianTokens(n=4, d=16), 3)
    figure = signal_depth(run)
    left, right = figure.axes
    assert line(left, "mean cosine").get_xdata().tolist() == [0, 1, 2, 3, 4]
    assert line(left, "mean cosine").get_ydata().tolist() == [row.cosine.mean for row in (*run.layers, run.end)]
    assert line(left, "ratio of exp.").get_ydata().tolist() == [row.rho for row in (*run.layers, run.end)]
    for name in ("query", "key", "value"):
        assert list(line(right, name).get_ydata()) == [getattr(row, name).log10 for row in run.layers]
    wanted = [np.log10(row.ratio_at_tokens) + row.value.log10 for row in run.layers]
    assert predicted_queries(run.layers) == pytest.approx(wanted)
    assert run.diagnosis.sentence in caption_of(figure)
    assert "layer norm: post, alpha = 1, relu, softmax attention" in caption_of(figure)


def test_a_gradient_of_zero_leaves_a_gap():
    run = depth_run(NetworkSizes(L=2, d=4, norm="none"), GaussianTokens(n=3, d=4, rho=1.0), 2)
    assert np.isnan(predicted_queries(run.layers)[0])
    signal_depth(run)


@pytest.fixture(scope="module")
def deep():
    return scaling_runs(L=12, seeds=6)


def test_fig_3_scaled_branches(deep):
    left, centre, right = signal_scaling(deep).axes
    query, value = line(left, "query").get_ydata(), line(left, "value").get_ydata()
    assert query[0] - query[-1] > 3
    assert value[-1] > value[0]
    ends = {alpha: line(centre, f"$\\alpha$ = {alpha}").get_ydata()[-1] for alpha in deep}
    assert ends["1"] > 0.99 > 0.9 > ends["0.5"] > ends["1/sqrt(L)"]
    falls = {alpha: np.ptp(line(right, f"$\\alpha$ = {alpha}").get_ydata()) for alpha in deep}
    assert falls["1/sqrt(L)"] < 1.2 < 3 < falls["1"]


def test_fig_4_and_fig_10_layer_norm():
    runs = layer_norm_runs(L=12, seeds=6)
    (ax,) = signal_layer_norm(runs).axes
    ends = {name: line(ax, name).get_ydata()[-1] for name in runs}
    assert ends["POST-LN"] - ends["PRE-LN"] > 0.15
    assert max(ends["POST-LN, 1/sqrt(L)"], ends["no LN, 1/sqrt(L)"]) < 0.55
    _, _, right = signal_pre_norm(pre_norm_runs(L=12, seeds=6)).axes
    pre, post = line(right, "PRE-LN").get_ydata(), line(right, "POST-LN").get_ydata()
    assert pre[0] > pre[-1]
    assert post[0] < post[-1]


def test_fig_9_very_deep():
    runs = very_deep_runs(L=80, seeds=4)
    assert len(runs) == 6
    growth = {kind: np.log10(rows[-1].norm.mean / rows[0].norm.mean) for kind, rows in runs.items()}
    for activation in ("linear", "relu"):
        assert growth[activation, "1"] > 40
        assert 0.2 < growth[activation, "1/sqrt(L)"] < 1.2
        assert runs[activation, "1"][-1].gap < 1e-3
        assert runs[activation, "1/sqrt(L)"][-1].cosine.mean < 0.7
    left, _ = signal_very_deep(runs).axes
    assert line(left, "$\\alpha$ = 1").get_ydata()[-1] == pytest.approx(np.log10(runs["relu", "1"][-1].norm.mean))


def test_fig_11_norms():
    samples = norm_samples(60)
    assert [(round(s.sigma, 3), s.sizes.L) for s in samples][:4] == [(0.177, 4), (0.177, 16), (0.177, 32), (1.0, 4)]
    near, far = samples[0], samples[-2]
    assert near.distance < 0.2 < 0.7 < far.distance
    assert samples[0].uniform.std() < samples[1].uniform.std() < samples[2].uniform.std()
    figure = signal_norm_density(samples)
    assert len(figure.axes) == 3
    assert "60 networks" in caption_of(figure)


def test_distance_of_samples():
    sizes = NetworkSizes(L=1, d=2)
    same = NormSamples(1.0, sizes, np.array([1.0, 2.0, 3.0]), np.array([3.0, 1.0, 2.0]))
    apart = NormSamples(1.0, sizes, np.array([1.0, 2.0]), np.array([1.5, 3.0, 4.0, 5.0]))
    assert (same.distance, apart.distance) == (0.0, 0.75)


def test_fig_12_sweeps():
    found = sweeps(80)
    assert {name: len(points) for name, points in found.items()} == {k: len(v) for k, v in sweep_tokens().items()}
    small = [point for points in found.values() for point in points if point.tokens.sigma <= 0.2]
    assert all(abs(point.over_theory("query") - 1) < 5 * point.query.error / point.expected.query for point in small)
    assert all(point.validity.valid for point in small)
    large = [point for point in found["n"] if point.tokens.sigma == 1.0]
    assert {point.over_theory("query") > 1.1 for point in large} == {True, False}
    assert not any(point.validity.valid for point in large)
    figure = signal_sweeps(found)
    assert len(figure.axes) == 4
    assert "Elsewhere n = 16, d = 32, rho = 0.2." in caption_of(figure)


def test_fig_13_and_14_grid():
    points = grid(8)
    assert len(points) == np.prod([len(values) for values in GRID.values()])
    for of in ("ratio", "query", "key", "value"):
        figure = signal_grid(points, of)
        measured, expected = (ax.images[0].get_array() for ax in figure.axes[:2])
        assert measured.shape == expected.shape == (16, 16)
    by_place = {(point.tokens.rho, point.tokens.sigma, point.tokens.n, point.tokens.d): point for point in points}
    point = by_place[0.25, 0.5, 32, 16]
    assert expected[4 + 1, 4 + 3] == pytest.approx(np.log10(point.expected.value))
    assert measured[4 + 1, 4 + 3] == pytest.approx(np.log10(point.value.mean))
    small = abs(measured - expected)[:8]
    assert small.max() < 0.5
