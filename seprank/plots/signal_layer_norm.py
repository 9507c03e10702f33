"""Correlation of tokens against depth for the places of layer norm."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from seprank.plots.canvas import COLOURS, label, legend, sheet
from seprank.plots.signal_depth import correlation, words
from seprank.signal.depth import DepthRun

CAPTION = """
Mean cosine of the tokens that enter attention, measured at initialisation with softmax attention, with two standard
errors. Dashed: the theory for uniform attention and infinite width (an estimate).
"""


def signal_layer_norm(runs: Mapping[str, DepthRun]) -> Figure:
    """Correlation against depth of several runs by name.

    Source: noci2022signal, Fig. 4.
    """
    first = next(iter(runs.values()))
    figure, (ax,) = sheet(7.0, 4.0, f"{CAPTION} {words(first, scale=False, norm=False)}.")
    for (name, run), colour in zip(runs.items(), COLOURS, strict=False):
        correlation(ax, run, colour, name)
    label(ax, "Correlation of tokens and layer norm", "blocks passed", "mean cosine")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    legend(ax, loc="center right", bbox_to_anchor=(1.0, 0.62))
    return figure
