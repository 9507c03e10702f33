"""The smallest depth of trained models for every k, against the floor and the ceiling rule."""

from __future__ import annotations

from matplotlib.figure import Figure

from seprank.parallel.measured import FRESH
from seprank.parallel.thresholds import CAVEAT, ThresholdTable
from seprank.plots.canvas import BLACK, BLUE, VERMILION, label, legend, sheet

KINDS = {
    "authors": f"Trained models of the authors' table. Caveat: {CAVEAT}.",
    "without dropout": "The authors' models, evaluated without dropout.",
    "own runs": "Own runs, evaluated without dropout.",
}


def hop_thresholds(found: ThresholdTable, source: str = "authors") -> Figure:
    """Smallest depth below the level of `found` for each k, an estimate, and the two rules.

    `source`, a key of `KINDS`, says where the errors come from.
    Source: sanford2024log, Figure 2 and Section 4.
    """
    strings = "fresh strings" if found.samples == FRESH else f"{found.samples} training strings"
    caption = (
        f"Points: smallest depth with an error below {100 * found.level:g} %, {found.heads} heads, {strings}; an open "
        f"triangle: no depth of the table. {KINDS[source]} Lines: depth of exact constructions; trained models are "
        "approximate and are bound by neither."
    )
    figure, (ax,) = sheet(6.6, 3.8, caption)
    k = [row.k for row in found.rows]
    rules = {"floor": [row.floor_rule for row in found.rows], "ceiling": [row.ceiling_rule for row in found.rows]}
    ax.step(k, rules["floor"], where="mid", color=BLUE, linewidth=1.4, label="floor(log2 k) + 2")
    ax.step(k, rules["ceiling"], where="mid", color=VERMILION, linewidth=1.4, linestyle="--", label="ceil(log2 k) + 2")
    there = [(row.k, row.smallest) for row in found.rows if row.smallest is not None]
    if there:
        ax.plot(*zip(*there, strict=True), "o", color=BLACK, markersize=5, zorder=3, label="trained models")
    beyond = [(row.k, max(found.depths) + 1) for row in found.rows if row.smallest is None]
    if beyond:
        ax.plot(*zip(*beyond, strict=True), "^", color=BLACK, markerfacecolor="white", markersize=6, label="deeper")
    ax.set_xticks(k)
    ax.set_yticks(range(2, max([*found.depths, *rules["ceiling"]]) + 2))
    label(ax, "Depth for k hops", "hops k", "depth L (layers)")
    legend(ax, loc="lower right")
    return figure
