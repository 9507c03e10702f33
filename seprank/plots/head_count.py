"""Rank against the number of heads, one panel a depth, one line a width."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

from seprank.errors import InvalidInput
from seprank.plots.canvas import COLOURS, SMALL, label, sheet
from seprank.plots.choose import Choice, chosen, power_text
from seprank.study.record import Record

MOST_PANELS, MOST_LINES = 3, 7
LARGEST = 1e300  # of what has a place on an axis
CAPTION = """
Rank against the number of heads H. Filled markers: exact (certified), the rank meets a proved upper bound. Open
markers: a rank modulo a prime, a proved lower bound for almost all weights. Dashed: the best proved upper bound at
that H, for all weights.
"""


def head_count(records: Sequence[Record], choice: Choice | None = None) -> Figure:
    """Measured ranks against the number of heads, for every (L, dx) with two of them, if there are any such.

    `choice` names the kind of network and input; its `H` does not matter. Of more than three depths the deepest three
    are shown, of more than seven widths the widest seven. Raises `InvalidInput` where no rank was measured.
    """
    measured = [record for record in records if record.rank]
    if not measured:
        raise InvalidInput(f"store must hold a measured rank to draw, got none in {len(records)} records")
    found = chosen(_comparable(measured), dataclasses.replace(choice or Choice(), H=None), heads=False).out_of(records)
    lines = _lines(found.records)
    widths = sorted({dx for _, dx in lines})[-MOST_LINES:]
    depths = sorted({L for L, dx in lines if dx in widths})[-MOST_PANELS:]
    figure, axes = sheet(max(5.5, 2.7 * len(depths) + 1.0), 3.6, f"{CAPTION} {found.note}", columns=len(depths))
    for ax, L in zip(axes, depths, strict=True):
        shown = {dx: lines[L, dx] for dx in widths if (L, dx) in lines}
        for dx, line in shown.items():
            _line(ax, line, COLOURS[widths.index(dx)])
        _axes(ax, [record for line in shown.values() for record in line])
        label(ax, f"L = {L}", "heads H", "rank" if ax is axes[0] else "")
    handles = [Line2D([], [], color=COLOURS[widths.index(dx)], marker="o") for dx in reversed(widths)]
    names = [f"dx = {dx}" for dx in reversed(widths)]
    figure.legend(handles, names, fontsize=SMALL, frameon=False, loc="outside right center")
    return figure


def _comparable(records: list[Record]) -> list[Record]:
    """Those that differ from another one in the number of heads only, or all where no two do."""
    heads: dict[tuple[object, ...], set[int]] = {}
    for record in records:
        heads.setdefault(_all_but_heads(record), set()).add(record.H)
    return [record for record in records if len(heads[_all_but_heads(record)]) > 1] or records


def _all_but_heads(record: Record) -> tuple[object, ...]:
    return record.L, record.dx, record.NA, record.NB, record.residual, record.variant


def _lines(records: Sequence[Record]) -> dict[tuple[int, int], list[Record]]:
    """The records of each (L, dx), by number of heads."""
    lines: dict[tuple[int, int], list[Record]] = {}
    for record in records:
        lines.setdefault((record.L, record.dx), []).append(record)
    return lines


def _line(ax: Axes, records: list[Record], colour: str) -> None:
    uppers = {record.H: float(value) for record in records if 0 < (value := record.best_upper_value or 0) < LARGEST}
    ranks = {record.H: float(record.rank) for record in records if record.rank}
    ax.plot(list(uppers), list(uppers.values()), color=colour, linewidth=1, linestyle="--")
    ax.plot(list(ranks), list(ranks.values()), color=colour, linewidth=1.5)
    for record in records:
        place = (record.H, ranks[record.H])
        fill = colour if record.certified_exact else "white"
        ax.plot(*place, marker="o", color=colour, markerfacecolor=fill, zorder=3)
        ax.annotate(power_text(record.rank, None), place, (5, 3), textcoords="offset points", fontsize=SMALL - 1)


def _axes(ax: Axes, records: list[Record]) -> None:
    """Heads in octaves with a tick for each number there is, ranks in decades."""
    heads = sorted({record.H for record in records})
    values = [value for record in records for value in (record.rank, record.best_upper_value) if value]
    decades = [math.log10(value) for value in values if value < LARGEST]
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_locator(FixedLocator(heads))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xlim(heads[0] / 1.2, heads[-1] * 1.5)
    ax.set_yscale("log")
    ax.yaxis.set_minor_formatter(NullFormatter())
    bottom = math.floor(min(decades))
    ax.set_ylim(10.0**bottom, 10.0 ** max(bottom + 1, max(decades) + 0.2))
