"""PRE-LN beside POST-LN: correlation, query and value gradients against depth."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from seprank.plots.canvas import COLOURS, label, legend, sheet
from seprank.plots.signal_depth import correlation, log10, words
from seprank.signal.depth import DepthRun

CAPTION = """
Measured at initialisation with softmax attention. Left: mean cosine with two standard errors, theory dashed (uniform
attention and infinite width, an estimate). Centre and right: squared gradient norms under a random linear loss,
geometric means over the seeds.
"""


def signal_pre_norm(runs: Mapping[str, DepthRun]) -> Figure:
    """Correlation and gradient norms against depth of several runs by name.

    Source: noci2022signal, Fig. 10.
    """
    first = next(iter(runs.values()))
    figure, axes = sheet(11.0, 3.5, f"{CAPTION} {words(first, norm=False)}.", columns=3)
    for (name, run), colour in zip(runs.items(), COLOURS, strict=False):
        correlation(axes[0], run, colour, name)
        layers = [row.layer for row in run.layers]
        for ax, weight in zip(axes[1:], ("query", "value"), strict=True):
            ax.plot(layers, [log10(getattr(row, weight)) for row in run.layers], color=colour, label=name)
    label(axes[0], "Correlation of tokens", "blocks passed", "mean cosine")
    label(axes[1], "Query gradients", "layer", "$\\log_{10}$ squared norm")
    label(axes[2], "Value gradients", "layer", "$\\log_{10}$ squared norm")
    for ax in axes:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        legend(ax)
    return figure
