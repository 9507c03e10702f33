"""Error against the number of hops, one line for each depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from seprank.errors import InvalidInput
from seprank.parallel.measured import Measured
from seprank.plots.canvas import COLOURS, GREY, label, legend, sheet

MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def hop_errors(panels: Mapping[str, Sequence[Measured]], caption: str) -> Figure:
    """One panel for each table of errors, by its title: per cent wrong against k, one line a depth; estimates.

    Raises `InvalidInput` for no table, an empty one, or more than four. Source: sanford2024log, Figure 2.
    """
    if not 1 <= len(panels) <= 4 or not all(panels.values()):
        raise InvalidInput(f"panels must be 1 to 4 tables of errors, none empty, got {list(map(len, panels.values()))}")
    figure, axes = sheet(max(5.0, 3.7 * len(panels)), 3.4, caption, columns=len(panels))
    depths = sorted({row.depth for rows in panels.values() for row in rows})
    for ax, (title, rows) in zip(axes, panels.items(), strict=True):
        _panel(ax, rows, depths)
        label(ax, title, "hops k", "% wrong" if ax is axes[0] else "")
        ax.set_ylim(-2, 82)
    legend(axes[-1], title="depth L", title_fontsize=8)
    return figure


def _panel(ax: Axes, rows: Sequence[Measured], depths: Sequence[int]) -> None:
    ax.axhline(75, color=GREY, linewidth=0.8, linestyle=":")
    for place, depth in enumerate(depths):
        line = sorted((row.k, 100 * row.error) for row in rows if row.depth == depth)
        style: dict[str, Any] = {"color": COLOURS[place % len(COLOURS)], "marker": MARKERS[place % len(MARKERS)]}
        ax.plot(
            [k for k, _ in line], [error for _, error in line], label=str(depth), linewidth=1.3, markersize=4, **style
        )
    ax.set_xticks(sorted({row.k for row in rows}))
