"""The law of the correlation in residual networks: SDE and networks, for several branch weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from seprank.plots.canvas import BLUE, COLOURS, GREY, VERMILION, label, legend, sheet
from seprank.shaped.figure_laws import LEVELS, ResidualLaw

BINS = 50
SHOWN = 4
CAPTION = """
Correlation rho of two tokens in shaped residual networks at T = depth / n = 1. Left: densities; filled: networks,
line: the SDE. Right: quantiles against gamma; line: the SDE, markers: networks with 95 per cent intervals by order
statistics. The SDE is solved by its Fokker-Planck equation (deterministic, right to 1e-6), without stopping.
"""


def shaped_residual(n: int, seed: int, laws: Sequence[ResidualLaw]) -> Figure:
    """Densities for up to four values of gamma, and quantiles against gamma.

    Source: noci2023shaped, Fig. 3.
    """
    networks = len(laws[0].sample)
    most, critical = max(law.distance for law in laws), 1.358 / np.sqrt(networks)
    sizes = (
        f"n = depth = {n}, slopes (0, -1), rho = 0.2 at first, {networks} networks for each gamma, seed {seed}. "
        f"Largest KS distance of networks from the SDE {most:.4f} (95 % critical value of one test {critical:.4f})."
    )
    figure, (left, right) = sheet(11.0, 4.2, f"{CAPTION} {sizes}", columns=2)
    chosen = np.unique(np.linspace(0, len(laws) - 1, min(SHOWN, len(laws))).round().astype(int))
    for index, colour in zip(chosen, COLOURS, strict=False):
        _density(left, laws[index], colour)
    left.set_ylim(0, 4)
    label(left, "Density of the correlation", "$\\rho$", "density")
    legend(left, loc="upper left")
    for place, (level, colour) in enumerate(zip(LEVELS, (GREY, BLUE, VERMILION), strict=True)):
        _quantile(right, laws, place, f"{100 * level:.0f} %", colour)
    label(right, "Quantiles against $\\gamma$", "$\\gamma$", "$\\rho$")
    legend(right, loc="lower left")
    return figure


def _density(ax: Axes, law: ResidualLaw, colour: str) -> None:
    ax.hist(law.sample, bins=np.linspace(-1, 1, BINS + 1).tolist(), density=True, color=colour, alpha=0.25)
    middles = (law.edges[1:] + law.edges[:-1]) / 2
    ax.plot(middles, law.masses / np.diff(law.edges), color=colour, linewidth=1.6, label=f"$\\gamma$ = {law.gamma:.3g}")


def _quantile(ax: Axes, laws: Sequence[ResidualLaw], place: int, name: str, colour: str) -> None:
    gammas = [law.gamma for law in laws]
    ax.plot(gammas, [law.quantiles[place] for law in laws], color=colour, linewidth=1.4, label=name)
    low, middle, high = np.transpose([law.intervals[place] for law in laws])
    ax.errorbar(gammas, middle, [middle - low, high - middle], color=colour, marker="o", ms=4, linestyle="", capsize=2)
