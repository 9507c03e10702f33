"""Figures of shaped transformers: what is drawn is what was simulated, and what the paper claims of each is so."""

import numpy as np
import pytest

from seprank.plots.canvas import caption_of
from seprank.plots.shaped_ablations import shaped_ablations
from seprank.plots.shaped_conditioning import shaped_conditioning
from seprank.plots.shaped_gradients import shaped_gradients
from seprank.plots.shaped_instability import shaped_instability
from seprank.plots.shaped_residual import shaped_residual
from seprank.shaped import Setup
from seprank.shaped.figure_data import (
    ablations,
    band,
    conditioning,
    correlation,
    gradient_bands,
    ks_distance,
    shown_layers,
)
from seprank.shaped.figure_laws import GAMMAS, exits, quantile_interval, residual_laws


def line(ax, label):
    return next(line for line in ax.lines if line.get_label() == label)


@pytest.fixture(scope="module")
def deep():
    return conditioning(n=100, depth=80, networks=600, paths=3000)


@pytest.fixture(scope="module")
def ablated():
    return ablations(n=100, depth=80, networks=400, paths=2000)


def test_fig_1_shaped_networks_stay_well_conditioned(deep):
    ends = {name: found.middle[-1] for name, found in deep.gaps.items()}
    shaped = {name: pair.network.middle[-1] for name, pair in deep.pairs.items()}
    assert min(shaped.values()) > 0.4
    assert ends["plain softmax"] < 1e-8
    assert ends["plain softmax, weights 1"] < 1e-20
    assert 0.005 < ends["Pre-LN attention"] < 0.02 < ends["Pre-LN attention and ReLU"] < 0.15
    tails = {name: pair.network.high[-1] for name, pair in deep.tails.items()}
    assert tails["shaped attention"] < tails["shaped transformer"] < 1


def test_fig_1_the_sde_has_the_law_of_the_networks(deep):
    for pairs in (deep.pairs, deep.tails):
        for pair in pairs.values():
            assert pair.critical == pytest.approx(1.358 * (1 / 600 + 1 / 3000) ** 0.5, rel=1e-3)
            assert pair.distance < 2 * pair.critical
    apart = {name: abs(pair.network.high - pair.sde.high).max() for name, pair in deep.tails.items()}
    assert max(apart.values()) < 0.08
    crossed = abs(deep.tails["shaped attention"].network.high[-1] - deep.tails["shaped transformer"].sde.high[-1])
    assert crossed > 2 * max(abs(pair.network.high[-1] - pair.sde.high[-1]) for pair in deep.tails.values())


def test_fig_1_draws_its_data(deep):
    left, right = (figure := shaped_conditioning(deep)).axes
    shown = np.array(shown_layers(80))[1:]
    for name, pair in deep.pairs.items():
        assert line(left, name).get_xdata().tolist() == shown.tolist()
        assert line(left, name).get_ydata().tolist() == pair.network.middle[1:].tolist()
        dashes = [found.get_ydata().tolist() for found in left.lines if found.get_linestyle() == "--"]
        assert all(values[1:].tolist() in dashes for values in (pair.sde.low, pair.sde.middle, pair.sde.high))
        assert line(right, name).get_ydata().tolist() == deep.tails[name].network.middle[1:].tolist()
    for name, found in deep.gaps.items():
        assert line(left, name).get_ydata().tolist() == found.middle[1:].tolist()
    caption = caption_of(figure)
    assert "600 networks of a kind, 3000 paths of the SDE, seed 0" in caption
    assert "norm of V passes 28.8" in caption
    pair = deep.pairs["shaped transformer"]
    assert f"shaped transformer: KS distance {pair.distance:.3f}" in caption
    assert f"{100 * pair.stopped[0]:.1f} % of networks and {100 * pair.stopped[1]:.1f} % of the SDE stopped" in caption


def test_fig_4_every_ingredient_is_needed(ablated):
    scales = {name: found.middle[-1] for name, found in ablated.scales.items()}
    assert abs(scales["shaped attention"]) < 0.3
    assert scales["no centring"] == pytest.approx(80 * np.log10(1.75) + np.log10(0.6), abs=0.5)
    assert scales["no identity"] == pytest.approx(80 * np.log10(0.75), abs=0.1)
    ends = {name: found.middle[-1] for name, found in ablated.gaps.items()}
    assert ends["no centring"] < 1e-12
    assert ends["no identity"] == pytest.approx(0.8, abs=0.02)
    shaped = ablated.pairs["shaped attention"]
    assert ends["no temperature"] < shaped.network.middle[-1] - 0.2
    assert shaped.distance < 2 * shaped.critical


def test_fig_4_draws_its_data(ablated):
    left, right = shaped_ablations(ablated).axes
    for name, found in ablated.scales.items():
        assert line(right, name).get_ydata().tolist() == found.middle[1:].tolist()
    for name, found in ablated.gaps.items():
        assert line(left, name).get_ydata().tolist() == found.middle[1:].tolist()
    dotted = [found.get_ydata()[-1] for found in right.lines if found.get_linestyle() == ":" and len(found.get_xdata())]
    assert dotted == pytest.approx([80 * np.log10(1.75) + np.log10(0.6), 80 * np.log10(0.75)])


def test_fig_2_gradients_keep_their_size():
    pytest.importorskip("torch")
    setup = Setup(4, 64, 48, 0.5, 1.0, "attention", paths=16)
    seen = []
    found = gradient_bands(setup, lambda *state: seen.append(state))
    assert seen == [(1, 3), (2, 3), (3, 3)]
    ratios = {name: each.middle[0] / each.middle[-1] for name, each in found.items()}
    assert 0.5 < ratios["shaped attention"] < 2
    assert ratios["plain softmax"] < 0.4
    assert ratios["Pre-LN attention"] > 10
    figure = shaped_gradients(setup, found)
    for name, each in found.items():
        assert line(figure.axes[0], name).get_ydata().tolist() == each.middle.tolist()
    assert "m = 4, n = 64, depth 48, gamma = 0.5, tau0 = 1; 16 networks of a kind, seed 0." in caption_of(figure)


@pytest.fixture(scope="module")
def residual():
    return residual_laws(n=50, networks=2000)


def test_fig_3_the_law_of_residual_networks(residual):
    assert [law.gamma for law in residual] == list(GAMMAS)
    golden = {0.1: (0.20305, -0.02761, 0.41317), 0.5: (0.28175, -0.73258, 0.91152), 1.0: (0.57779, -0.89510, 0.99754)}
    for law in residual:
        assert law.masses.sum() == pytest.approx(1)
        assert law.distance < 1.36 / 2000**0.5 * 2
        for (low, _, high), value in zip(law.intervals, law.quantiles, strict=True):
            assert low - 2 * (high - low) < value < high + 2 * (high - low)
        if law.gamma in golden:
            middle, low, high = golden[law.gamma]
            assert law.quantiles == pytest.approx((low, middle, high), abs=2e-5)
    tops = [law.quantiles[2] for law in residual]
    assert tops == sorted(tops)
    assert [law.intervals[2][1] for law in residual] == sorted(law.intervals[2][1] for law in residual)


def test_fig_3_draws_its_data(residual):
    left, right = (figure := shaped_residual(50, 0, residual)).axes
    drawn = line(left, "$\\gamma$ = 1")
    assert np.sum(drawn.get_ydata() * np.diff(residual[-1].edges)) == pytest.approx(1)
    assert list(line(right, "95 %").get_ydata()) == [law.quantiles[2] for law in residual]
    most = max(law.distance for law in residual)
    assert f"Largest KS distance of networks from the SDE {most:.4f}" in caption_of(figure)
    shaped_residual(50, 0, residual[:1])


@pytest.fixture(scope="module")
def left_early():
    return exits(networks=100, widths=(50, 200))


def test_fig_5_exits_are_fast_and_not_monotone_in_gamma(left_early):
    by_case = {(x.start, x.n, x.gamma): x for x in left_early}
    large = [by_case[100.0, 200, gamma] for gamma in (0.1, 0.3, 0.5, 0.7, 0.9)]
    shares = [x.probability for x in large]
    assert shares[0] < 0.1
    assert shares[1] > 0.75 > 0.55 > shares[4] > 0.15
    medians = [np.median(x.times[np.isfinite(x.times)]) for x in large[1:]]
    assert medians[0] > medians[1] > medians[3]
    assert max(x.probability for x in left_early if x.start == 1.0) < 0.08
    # The SDE is far out of its range from there: it leaves long before any network does.
    for x in large[1:3]:
        assert x.sde[np.searchsorted(x.sde_times, 1 / x.n)] > 0.4
        assert (x.times > 1 / x.n).all()


def test_fig_5_the_sde_leaves_by_its_closed_form(left_early):
    for x in left_early:
        assert (np.diff(x.sde) > -1e-9).all()
        assert x.sde[-1] < x.ever + 0.005
        low, high = x.interval
        assert 0 <= low <= x.probability <= high <= 1
        assert high - low > 0.01
    late = next(x for x in left_early if (x.start, x.gamma) == (100.0, 0.5))
    assert late.sde[-1] > late.ever - 0.03


def test_fig_5_draws_its_data(left_early):
    left, right = (figure := shaped_instability(0, left_early)).axes
    chosen = [x for x in left_early if (x.start, x.n) == (100.0, 200)]
    dashes = [found for found in left.lines if found.get_linestyle() == "--"]
    assert [found.get_ydata().tolist() for found in dashes] == [x.sde.tolist() for x in chosen]
    steps = [found for found in left.lines if found.get_drawstyle() == "steps-post"]
    assert [found.get_ydata()[-1] for found in steps] == [x.probability for x in chosen]
    drawn = {container.get_label(): container[0].get_ydata().tolist() for container in right.containers}
    assert drawn["variance 100, n = 200"] == [x.probability for x in chosen]
    assert "widths" not in caption_of(figure)
    assert "networks of width 200" in caption_of(figure)


def test_statistics():
    assert ks_distance([1.0, 2.0, 3.0], [3.0, 1.0, 2.0]) == 0.0
    assert correlation(np.array([[4.0, 1.0], [1.0, 1.0]])) == 0.5
    assert band([0], [[1.0], [2.0], [3.0]]).high.tolist() == pytest.approx([2.9])
    assert shown_layers(1) == (0, 1)
    sample = np.sort(np.random.default_rng(0).standard_normal(10001))
    low, middle, high = quantile_interval(sample, 0.5)
    assert low < middle < high
    assert high - low == pytest.approx(2 * 1.96 * np.sqrt(np.pi / 2 / 10001), rel=0.2)
    assert quantile_interval(np.array([1.0]), 0.95) == (1.0, 1.0, 1.0)
