"""Heat maps of attention on one string: where every layer and head looks, with the targets find^j marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from seprank.errors import InvalidInput
from seprank.parallel.attention_maps import AttentionMap
from seprank.plots.canvas import BLACK, GREEN, NORMAL, ORANGE, PINK, SKY, SMALL, VERMILION, sheet

MOST_MAPS = 48
LETTERS_UP_TO = 40  # longer strings, and signs that the font may lack, have numbers on their axes
COLOURS = {"previous": ORANGE, "self": GREEN, "find^1": VERMILION, "find^2": SKY, "find^4": PINK}


def hop_attention(rows: Mapping[str, Sequence[AttentionMap]], word: Sequence[str], caption: str) -> Figure:
    """One row of heat maps for each network in `rows`, by its name; `word` holds the letters of the string.

    Row i of a map is the position that looks, column j the one that is looked at; rings mark the target named in the
    title. Weights are exact for the networks given. Raises `InvalidInput` for more than 48 maps, or none.
    """
    count = sum(map(len, rows.values()))
    if not 1 <= count <= MOST_MAPS:
        raise InvalidInput(f"maps must be 1 to {MOST_MAPS} layers and heads, got {count}")
    across = min(4, max(map(len, rows.values())))
    lines = [(name, maps[i : i + across]) for name, maps in rows.items() for i in range(0, len(maps), across)]
    figure, _ = sheet(2.9 * across + 0.2, 3.2 * len(lines) + 0.15, f"{caption} {_words()}", columns=0)
    layout = figure.get_layout_engine()
    assert isinstance(layout, ConstrainedLayoutEngine)
    layout.set(h_pad=0.12)
    for line, (name, maps) in enumerate(lines):
        for place, each in enumerate(maps):
            ax = figure.add_subplot(len(lines), across, line * across + place + 1)
            _map(ax, each, word)
            if place == 0:
                ax.set_ylabel(f"{name}\nposition i", fontsize=NORMAL)
            if line == len(lines) - 1 or lines[line + 1][0] != name:
                ax.set_xlabel("position j looked at", fontsize=NORMAL)
    return figure


def _words() -> str:
    return (
        "Dark: all weight of row i on column j; white: none. Rings: the target in the title (the token with the "
        "largest mean share of weight, which is given); no ring: no single target, or none from there. find^b(i): b "
        "times to the last earlier occurrence and one step to the right. Weight on a start or task token before the "
        "letters is not shown."
    )


def _map(ax: Axes, each: AttentionMap, word: Sequence[str]) -> None:
    N = len(each.weights)
    ax.imshow(each.weights, cmap="Greys", vmin=0, vmax=1, extent=(0.5, N + 0.5, N + 0.5, 0.5), interpolation="nearest")
    there = np.flatnonzero(each.targets)
    if len(there):
        size = max(2.5, min(8.0, 190 / N))
        colour = COLOURS.get(each.look.looks_at, VERMILION)
        ax.plot(
            each.targets[there], there + 1, "o", color=colour, fillstyle="none", markersize=size, markeredgewidth=1.2
        )
    what = each.look.looks_at
    named = what if what == "spread" else f"{_power(what)} ({each.look.share:.2f})"
    ax.set_title(f"layer {each.look.layer}, head {each.look.head}: {named}", fontsize=NORMAL, loc="left", color=BLACK)
    if N <= LETTERS_UP_TO and all(len(sign) == 1 and sign.isprintable() and sign < "\u0100" for sign in word):
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_ticks(range(1, N + 1), list(word), fontsize=min(SMALL, max(3.5, 190 / N)), parse_math=False)
        ax.tick_params(length=0, pad=1)
    else:
        ax.tick_params(labelsize=SMALL)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _power(name: str) -> str:
    """find^12 with its exponent set above the line."""
    stem, _, power = name.partition("^")
    return f"{stem}$^{{{power}}}$" if power else name


def letters(symbols: Sequence[int]) -> list[str]:
    """Symbols as letters a, b, c, ..., as numbers where there are more than 26.

    >>> letters([0, 2, 1]), letters([30])
    (['a', 'c', 'b'], ['30'])
    """
    few = max(symbols, default=0) < 26
    return [chr(ord("a") + symbol) if few else str(symbol) for symbol in symbols]
