"""The regime map: ranks over depth and width, against the proved bounds and the two thresholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PolyCollection
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure

from seprank.plots.canvas import GREY, NORMAL, SEQUENCE, SMALL, VERMILION, label, legend, sheet
from seprank.plots.choose import Choice, chosen, log3, power_text
from seprank.study.record import Record

MOST_WRITTEN = 90  # cells; a larger map is left to its colours
CAPTION = """
Separation ranks of networks of depth L and width dx. "=": exact (certified), a rank or a known value meets a proved
upper bound. "≥": a rank modulo a prime, a proved lower bound for almost all weights. "≤": the best proved upper bound.
Hatched: no rank measured, the colour is that of the upper bound. Solid line: L = log3 dx, up to which growth in depth
is double exponential; dashed line: L = 2 log3 dx, by which it is over (both up to constants).
"""


def regimes(records: Sequence[Record], choice: Choice | None = None) -> Figure:
    """The regime map of the records that `choice` names: one cell for each (L, dx).

    A cell is coloured by log3 of the measured rank, or of the best proved upper bound (hatched) where none was
    measured; its text tells exact ranks, lower and upper bounds apart. Raises `InvalidInput` where there is nothing to
    draw.

    Source: levine2020depth, Theorems 1 and 2, figure 1(b).
    """
    found = chosen(records, choice or Choice())
    widths = sorted({record.dx for record in found.records})
    depths = sorted({record.L for record in found.records})
    size = (max(6.0, 2.0 + 0.72 * min(len(widths), 13)), max(2.6, 1.3 + 0.5 * min(len(depths), 14)))
    figure, (ax,) = sheet(*size, f"{CAPTION} {found.note}")
    norm = _norm([_log(record) for record in found.records])
    columns, rows = ({value: index for index, value in enumerate(values)} for values in (widths, depths))
    cells = {(columns[record.dx], rows[record.L]): record for record in found.records}
    _colours(ax, cells, (len(widths), len(depths)), norm)
    if len(cells) <= MOST_WRITTEN:
        for (x, y), record in cells.items():
            _write(ax, x, y, record, norm)
    _thresholds(ax, widths, depths)
    ax.set_xlim(-0.5, len(widths) - 0.5)
    ax.set_ylim(-0.5, len(depths) - 0.5)
    _ticks(ax, widths, depths)
    label(ax, f"Regimes: {found.words}", "width dx", "depth L (layers)")
    bar = figure.colorbar(ScalarMappable(norm, SEQUENCE), ax=ax, pad=0.02)
    bar.set_label("$\\log_3$ rank", fontsize=NORMAL)
    bar.ax.tick_params(labelsize=SMALL)
    legend(ax, loc="lower right", bbox_to_anchor=(1.01, 0.985), ncols=2)
    return figure


def _log(record: Record) -> float:
    """log3 of the rank or of the upper bound; one of them is there, since the record was chosen."""
    return log3(record.rank) if record.rank else record.best_upper_log3 or 0.0


def _norm(logs: Sequence[float]) -> Normalize:
    low, high = min(logs), max(logs)
    if low > 0 and high / low > 30:
        return LogNorm(low, high)
    return Normalize(0, max(high, 1.0))


def _colours(ax: Axes, cells: Mapping[tuple[int, int], Record], shape: tuple[int, int], norm: Normalize) -> None:
    """Colour the cells, and hatch those without a measured rank."""
    values = np.ma.masked_all(shape[::-1])
    for (x, y), record in cells.items():
        values[y, x] = _log(record)
    lines: Any = {"edgecolors": "white", "linewidth": 1} if len(cells) <= MOST_WRITTEN else {}
    edges = [np.arange(size + 1) - 0.5 for size in shape]
    ax.pcolormesh(*edges, values, cmap=SEQUENCE, norm=norm, gid="cells", **lines)
    unmeasured = [_square(x, y) for (x, y), record in cells.items() if record.rank is None]
    hatched = PolyCollection(unmeasured, facecolor="none", edgecolor="white", linewidth=0, hatch="////", gid="hatched")
    ax.add_collection(hatched)


def _square(x: int, y: int) -> list[tuple[float, float]]:
    return [(x - 0.5, y - 0.5), (x + 0.5, y - 0.5), (x + 0.5, y + 0.5), (x - 0.5, y + 0.5)]


def _write(ax: Axes, x: int, y: int, record: Record, norm: Normalize) -> None:
    colour = matplotlib.colormaps[SEQUENCE](norm(_log(record)))
    ink = "black" if np.dot(colour[:3], (0.299, 0.587, 0.114)) > 0.5 else "white"
    box = {"boxstyle": "round,pad=0.15", "facecolor": colour, "edgecolor": "none"}
    ax.text(x, y, _text(record), ha="center", va="center", fontsize=SMALL - 1, color=ink, bbox=box, zorder=5)


def _text(record: Record) -> str:
    upper = power_text(record.best_upper_value, record.best_upper_log3)
    if record.rank is None:
        known = record.best_lower_value is not None and record.best_lower_value == record.best_upper_value
        return f"= {upper}" if known else f"≤ {upper}"
    rank = power_text(record.rank, None)
    return f"= {rank}" if record.certified_exact else f"≥ {rank}\n≤ {upper}"


def _thresholds(ax: Axes, widths: list[int], depths: list[int]) -> None:
    """Both thresholds, exact at the middle of every column and level to the edges of the map."""
    columns = np.concatenate([[-0.5], np.arange(len(widths)), [len(widths) - 0.5]])
    logs = np.log(np.array([widths[0], *widths, widths[-1]], dtype=float)) / np.log(3)
    for factor, style, name in ((1, "-", "$L = \\log_3 d_x$"), (2, "--", "$L = 2\\,\\log_3 d_x$")):
        rows = _row(factor * logs, depths)
        ax.plot(columns, rows, color="white", linewidth=4, zorder=3)
        ax.plot(columns, rows, color=VERMILION, linewidth=2, linestyle=style, label=name, zorder=4)


def _row(values: np.ndarray, depths: list[int]) -> np.ndarray:
    """Where real depths lie between the rows of the map, which may skip depths."""
    inside = np.interp(values, depths, np.arange(len(depths)))
    below, above = np.minimum(values - depths[0], 0), np.maximum(values - depths[-1], 0)
    return inside + below + above


def _ticks(ax: Axes, widths: list[int], depths: list[int]) -> None:
    for axis, values in ((ax.xaxis, widths), (ax.yaxis, depths)):
        step = 1 + len(values) // 25
        axis.set_ticks(range(0, len(values), step), [str(value) for value in values[::step]])
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_edgecolor(GREY)
