"""Shaped networks keep the covariance of tokens well conditioned with depth, plain attention does not."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from seprank.plots.canvas import BLUE, GREEN, ORANGE, PINK, SKY, VERMILION, label, legend, sheet
from seprank.shaped.figure_data import Band, Depth, Pair

CAPTION = """
Left: 1 - rho of two tokens against depth, medians with the band of 5 to 95 per cent over networks at initialisation;
where it falls to 0 the covariance is singular (values below 1e-16 are not shown). Right: quantiles 5, 50 and 95 per
cent of |rho|. Black dashes: the same quantiles of the covariance SDE (estimates from paths).
"""
RELU = "Slopes (0, -1) with ReLU; half as many networks of Pre-LN attention and ReLU."
COLOURS = (BLUE, GREEN, VERMILION, ORANGE, PINK, SKY)


def shaped_conditioning(data: Depth) -> Figure:
    """1 - rho of shaped and other networks against depth, and |rho| of the shaped ones beside the SDE.

    Source: noci2023shaped, Fig. 1.
    """
    figure, (left, right) = sheet(11.0, 4.2, f"{CAPTION} {words(data)} {RELU}", columns=2)
    for (name, pair), colour in zip(data.pairs.items(), COLOURS, strict=False):
        beside_sde(left, pair, colour, name)
        beside_sde(right, data.tails[name], colour, name)
    for (name, found), colour in zip(data.gaps.items(), COLOURS[len(data.pairs) :], strict=False):
        quantiles(left, found, colour, name)
    as_gaps(left)
    label(right, "Correlation in shaped networks", "layer", "|$\\rho$|")
    right.set_xscale("log")
    right.set_ylim(0, 1.03)
    for ax in (left, right):
        sde_key(ax)
    legend(left, loc="lower left")
    legend(right, loc="upper left")
    return figure


def as_gaps(ax: Axes) -> None:
    """Both axes of 1 - rho against depth."""
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_ylim(1e-16, 5)
    label(ax, "Distance from collapse", "layer", "1 - $\\rho$")


def quantiles(ax: Axes, found: Band, colour: str, name: str) -> None:
    """Median of networks as a line with its band; layer 0 is left out, for a logarithmic axis."""
    shown = found.layers > 0
    ax.fill_between(found.layers[shown], found.low[shown], found.high[shown], color=colour, alpha=0.2, linewidth=0)
    ax.plot(found.layers[shown], found.middle[shown], color=colour, linewidth=1.8, label=name)


def beside_sde(ax: Axes, pair: Pair, colour: str, name: str) -> None:
    """Networks as a line with a band, and the quantiles of the SDE as dashes."""
    quantiles(ax, pair.network, colour, name)
    sde = pair.sde
    shown = sde.layers > 0
    for values, width in ((sde.low, 0.8), (sde.middle, 1.4), (sde.high, 0.8)):
        ax.plot(sde.layers[shown], values[shown], color="black", linewidth=width, linestyle="--")


def sde_key(ax: Axes) -> None:
    """The entry of the legend for the SDE."""
    ax.plot([], [], color="black", linewidth=1.4, linestyle="--", label="SDE")


def words(data: Depth) -> str:
    """Sizes, numbers of paths and how far SDE and networks are apart, for a caption."""
    setup = data.setup
    apart = "; ".join(f"{name}: {_distance(pair)}" for name, pair in data.pairs.items())
    return (
        f"m = 2, n = {setup.n}, gamma = {setup.gamma:g}, tau0 = {setup.tau0:g}, rho = {setup.start[0, 1]:g} at first; "
        f"{setup.paths} networks of a kind, {data.sde_paths} paths of the SDE, seed {setup.seed}; SDE and shaped "
        f"networks stop after the layer at which the norm of V passes {setup.stopping_radius:.1f}. "
        f"At layer {setup.depth}: {apart}."
    )


def _distance(pair: Pair) -> str:
    networks, sde = (f"{100 * share:.1f} %" for share in pair.stopped)
    return (
        f"KS distance {pair.distance:.3f} (95 % critical value {pair.critical:.3f}), {networks} of networks and {sde} "
        f"of the SDE stopped, largest norm {pair.validity:.1f} tau0 sqrt(n) (the limit asks for far below 1)"
    )
