"""Norm and correlation of very deep networks without layer norm, for several branch scales."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from seprank.plots.canvas import COLOURS, label, legend, sheet
from seprank.signal.depth_rows import LARGEST_VARIANCE, TokenRow

POWERS = (0.5, 1, 2, 5, 10, 20, 50, 100, 200)  # of ten, the ticks of the norm
CAPTION = """
Networks without layer norm at initialisation, softmax attention, mean over the seeds. Solid: ReLU, dotted: linear; thin
dashed: the theory for uniform attention and infinite width (an estimate), as far as it is followed. Left: squared norm
of the stream, as a power of ten on a logarithmic axis. Right: mean cosine of two tokens.
"""


def signal_very_deep(runs: Mapping[tuple[str, str], Sequence[TokenRow]]) -> Figure:
    """Norm and correlation against depth, by activation and branch scale.

    Source: noci2022signal, Fig. 9.
    """
    figure, (left, right) = sheet(9.0, 3.6, CAPTION, columns=2)
    colours = dict(zip(dict.fromkeys(alpha for _, alpha in runs), COLOURS, strict=False))
    for (activation, alpha), rows in runs.items():
        relu = activation == "relu"
        style: dict[str, Any] = {"color": colours[alpha], "linestyle": "-" if relu else ":"}
        name = f"$\\alpha$ = {alpha}" if relu else None
        passed = [row.layer - 1 for row in rows]
        left.plot(passed, [log10(row.norm.mean) for row in rows], label=name, **style)
        right.plot(passed, [row.cosine.mean for row in rows], label=name, **style)
        known = [row for row in rows if row.predicted.state.stream < LARGEST_VARIANCE]
        thin: dict[str, Any] = {"color": colours[alpha], "linestyle": "--", "linewidth": 0.8}
        left.plot([row.layer - 1 for row in known], [log10(row.predicted.norm) for row in known], **thin)
        right.plot([row.layer - 1 for row in known], [row.predicted.state.rho for row in known], **thin)
    left.set_yscale("log")
    left.yaxis.set_major_locator(FixedLocator(POWERS))
    left.yaxis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:g}"))
    left.yaxis.set_minor_locator(NullLocator())
    label(left, "Squared norm", "blocks passed", "$\\log_{10}$ of the squared norm")
    label(right, "Correlation of tokens", "blocks passed", "mean cosine")
    for ax in (left, right):
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        legend(ax)
    return figure
