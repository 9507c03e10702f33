"""Growth with depth: log3 of the rank against L, one line a width, between the proved bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from seprank.plots.canvas import BLACK, SMALL, label, legend, sheet
from seprank.plots.choose import Choice, chosen, log3
from seprank.study.record import Record

MOST_WIDTHS = 12  # lines that can be told apart
LINEAR = 1000  # largest log3 rank on a linear axis
CAPTION = """
log3 of the separation rank against depth, one colour a width. Filled markers: exact (certified), the rank meets a
proved upper bound. Open markers: a rank modulo a prime, a proved lower bound for almost all weights. Dashed: the best
proved upper bound for all weights. Dotted: the best proved closed lower bound for almost all weights.
"""


def rank_growth(records: Sequence[Record], choice: Choice | None = None) -> Figure:
    """log3 rank against depth for every width among the records that `choice` names, with the proved bounds.

    Raises `InvalidInput` where there is nothing to draw.

    Source: levine2020depth, Theorems 1 and 2.
    """
    found = chosen(records, choice or Choice())
    every = sorted({record.dx for record in found.records})
    last, count = len(every) - 1, min(len(every), MOST_WIDTHS)
    widths = [every[round(index * last / max(1, count - 1))] for index in range(count)]
    some = "" if widths == every else f" {len(widths)} of {len(every)} widths are drawn."
    figure, (ax,) = sheet(7.0, 4.2, f"{CAPTION} {found.note}{some}")
    for index, dx in enumerate(widths):
        colour = matplotlib.colormaps["viridis"](0.82 * index / max(1, len(widths) - 1))
        _width(ax, [record for record in found.records if record.dx == dx], colour)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    wide = ax.get_ylim()[1] > LINEAR
    if wide:
        ax.set_yscale("log")
        ax.set_ylim(bottom=0.5)
    else:
        ax.set_ylim(bottom=0)
    label(ax, f"Rank against depth: {found.words}", "depth L (layers)", "$\\log_3$ rank")
    options: dict[str, Any] = {"fontsize": SMALL, "title_fontsize": SMALL, "frameon": False, "reverse": True}
    figure.legend(title="width", loc="outside right center", **options)
    _key(ax, "lower right" if wide else "upper left")
    return figure


def _width(ax: Axes, records: list[Record], colour: tuple[float, float, float, float]) -> None:
    for name, style in (("best_upper_log3", "--"), ("best_lower_log3", ":")):
        points = [(record.L, value) for record in records if (value := getattr(record, name)) is not None]
        if points:
            ax.plot(*zip(*points, strict=True), color=colour, linestyle=style, linewidth=1.2, marker="_")
    measured = [record for record in records if record.rank]
    _points(ax, measured, color=colour, linewidth=1.8, label=f"dx = {records[0].dx}")
    for exact, fill in ((True, colour), (False, "white")):
        marked = [record for record in measured if bool(record.certified_exact) == exact]
        _points(ax, marked, color=colour, linestyle="", marker="o", markerfacecolor=fill, zorder=3)


def _points(ax: Axes, records: list[Record], **style: Any) -> None:
    ax.plot([record.L for record in records], [log3(record.rank) for record in records if record.rank], **style)


def _key(ax: Axes, place: str) -> None:
    """What markers and lines mean."""
    styles: dict[str, dict[str, Any]] = {
        "exact (certified)": {"marker": "o", "linestyle": "-"},
        "lower bound (measured)": {"marker": "o", "linestyle": "-", "markerfacecolor": "white"},
        "upper bound (proved)": {"linestyle": "--"},
        "lower bound (proved)": {"linestyle": ":"},
    }
    handles = [Line2D([], [], color=BLACK, linewidth=1.2, **style) for style in styles.values()]
    legend(ax, handles=handles, labels=list(styles), loc=place)
