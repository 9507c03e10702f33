"""Gradients of shaped attention keep their size through the depth."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.figure import Figure

from seprank.plots.canvas import BLUE, PINK, VERMILION, label, legend, sheet
from seprank.shaped.figure_data import Band
from seprank.shaped.setup import Setup

CAPTION = """
Squared norm of the gradient of a random linear loss with respect to the tokens behind each layer, attention networks
with their weights at initialisation (estimates): median and band of 5 to 95 per cent. 1 would be no change on the way
back (a heuristic for lambda^2 + gamma^2 = 1; no limit theorem is known).
"""
COLOURS = (BLUE, VERMILION, PINK)


def shaped_gradients(setup: Setup, found: Mapping[str, Band]) -> Figure:
    """Squared gradients against the layer, by kind of attention.

    Source: noci2023shaped, Fig. 2.
    """
    sizes = f"m = {setup.m}, n = {setup.n}, depth {setup.depth}, gamma = {setup.gamma:g}, tau0 = {setup.tau0:g}"
    figure, (ax,) = sheet(7.0, 4.0, f"{CAPTION} {sizes}; {setup.paths} networks of a kind, seed {setup.seed}.")
    ax.axhline(1.0, color="black", linewidth=0.8, linestyle=":")
    for (name, band), colour in zip(found.items(), COLOURS, strict=True):
        ax.fill_between(band.layers, band.low, band.high, color=colour, alpha=0.2, linewidth=0)
        ax.plot(band.layers, band.middle, color=colour, linewidth=1.8, label=name)
    ax.set_yscale("log")
    label(ax, "Gradients through the depth", "layer", "squared gradient norm")
    legend(ax, loc="upper right")
    return figure
