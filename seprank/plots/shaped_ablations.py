"""Shaped attention without its centring, its identity or its temperature."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from seprank.plots.canvas import BLUE, GREY, ORANGE, PINK, VERMILION, label, legend, sheet
from seprank.plots.shaped_conditioning import as_gaps, beside_sde, quantiles, sde_key, words
from seprank.shaped.figure_data import Depth

CAPTION = """
Attention networks at initialisation, medians with the band of 5 to 95 per cent. Black dashes, left: the same quantiles
of the covariance SDE (estimates from paths). Dotted: leading laws of the ablations: without centring the part of V
along the average token grows by 1 + 3 gamma^2 a layer; without identity V shrinks by 1 - gamma^2 and rho is frozen;
without temperature none is known.
"""
COLOURS = (VERMILION, ORANGE, PINK)


def shaped_ablations(data: Depth) -> Figure:
    """1 - rho and log10 of the variance against depth, with one ingredient removed at a time.

    Source: noci2023shaped, Fig. 4.
    """
    figure, (left, right) = sheet(11.0, 4.2, f"{CAPTION} {words(data)}", columns=2)
    for (name, found), colour in zip(data.gaps.items(), COLOURS, strict=True):
        quantiles(left, found, colour, name)
        quantiles(right, data.scales[name], colour, name)
    for name, pair in data.pairs.items():
        beside_sde(left, pair, BLUE, name)
        quantiles(right, data.scales[name], BLUE, name)
    as_gaps(left)
    sde_key(left)
    _predictions(right, data)
    label(right, "Scale of the tokens", "layer", "$\\log_{10} V_{11}$")
    for ax in (left, right):
        legend(ax, loc="lower left" if ax is left else "upper left")
    return figure


def _predictions(ax: Axes, data: Depth) -> None:
    for place, (name, logs) in enumerate(data.predictions.items()):
        layers = data.gaps[name].layers
        ax.plot(layers, logs, color=GREY, linewidth=1.4, linestyle=":", label="leading law" if place == 0 else None)
