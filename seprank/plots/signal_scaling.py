"""What branch scales do to a POST-LN network: gradient norms against correlation, and both against depth."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from seprank.plots.canvas import COLOURS, GREEN, VERMILION, label, legend, sheet
from seprank.plots.signal_depth import correlation, log10, words
from seprank.signal.depth import DepthRun

CAPTION = """
Measured at initialisation, softmax attention. Left: squared gradient norms under a random linear loss, geometric means,
against the mean cosine of the tokens that enter a layer; one marker a layer. Centre: mean cosine with two standard
errors; dashed: the theory for uniform attention and infinite width (an estimate). Right: query gradients.
"""


def signal_scaling(runs: Mapping[str, DepthRun]) -> Figure:
    """Gradient norms and correlation of POST-LN runs, by branch scale; the first is that of the left panel.

    Source: noci2022signal, Fig. 3.
    """
    first = next(iter(runs.values()))
    figure, axes = sheet(11.0, 3.5, f"{CAPTION} {words(first, scale=False)}.", columns=3)
    _against_correlation(axes[0], first)
    label(axes[0], "Gradients against correlation", "mean cosine of tokens", "$\\log_{10}$ squared gradient norm")
    for (alpha, run), colour in zip(runs.items(), COLOURS, strict=False):
        correlation(axes[1], run, colour, f"$\\alpha$ = {alpha}")
        layers = [row.layer for row in run.layers]
        axes[2].plot(layers, [log10(row.query) for row in run.layers], color=colour, label=f"$\\alpha$ = {alpha}")
    label(axes[1], "Correlation of tokens", "blocks passed", "mean cosine")
    label(axes[2], "Query gradients", "layer", "$\\log_{10}$ squared gradient norm")
    for ax in axes:
        legend(ax)
    for ax in axes[1:]:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def _against_correlation(ax: Axes, run: DepthRun) -> None:
    cosines = [row.cosine.mean for row in run.layers]
    for name, colour in (("query", VERMILION), ("value", GREEN)):
        ax.plot(cosines, [log10(getattr(row, name)) for row in run.layers], "o-", color=colour, ms=4, label=name)
