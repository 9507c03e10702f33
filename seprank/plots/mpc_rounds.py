"""Rounds against the number of vertices, one panel a family of graphs, one line a protocol."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from seprank.errors import InvalidInput
from seprank.parallel.round_counts import RoundCount
from seprank.plots.canvas import BLUE, GREEN, GREY, VERMILION, label, legend, sheet

STYLES = {
    "random-mate": (BLUE, "o"),
    "label-propagation": (VERMILION, "s"),
    "hook-and-shortcut": (GREEN, "^"),
}
CAPTION = """
Rounds of message exchange on simulated machines with enforced memory until the components are found and equal those
of networkx; exact counts for one seed each. Memory of a machine: s = c (input words)^{delta:g}. Label propagation is
what a message-passing graph network does: its rounds grow like the diameter. Kinks: the trees that keep the loads
within s get a level more or less. A transformer that runs a protocol of R rounds has depth R + 2.
"""


def mpc_rounds(counts: Sequence[RoundCount]) -> Figure:
    """Rounds (logarithmic) against vertices (logarithmic) for every family and protocol in `counts`; exact counts.

    Raises `InvalidInput` for no counts, more than six families, or several memory exponents at once.
    Source: sanford2024log, Corollary 3.3 and Section 5.1.
    """
    families = list(dict.fromkeys(count.case.family for count in counts))
    deltas = {count.case.delta for count in counts}
    if not 1 <= len(families) <= 6 or len(deltas) != 1:
        raise InvalidInput(
            f"counts must be of 1 to 6 families and one delta, got {len(families)} families and {sorted(deltas)}"
        )
    caption = CAPTION.format(delta=deltas.pop())
    figure, axes = sheet(max(4.5, 3.2 * len(families)), 3.4, caption, columns=len(families))
    for ax, family in zip(axes, families, strict=True):
        _panel(ax, [count for count in counts if count.case.family == family])
        label(ax, family, "vertices n", "rounds" if ax is axes[0] else "")
    low, high = min(ax.get_ylim()[0] for ax in axes), max(ax.get_ylim()[1] for ax in axes)
    for ax in axes:
        ax.set_ylim(low, high)
    legend(axes[0], loc="upper left")
    return figure


def _panel(ax: Axes, counts: Sequence[RoundCount]) -> None:
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    for protocol, (colour, marker) in STYLES.items():
        line = sorted((count.vertices, max(1, count.rounds)) for count in counts if count.case.protocol == protocol)
        if line:
            n, rounds = zip(*line, strict=True)
            ax.plot(n, rounds, color=colour, marker=marker, markersize=4, linewidth=1.3, label=protocol)
    ticks = sorted({count.vertices for count in counts})
    ax.xaxis.set_major_locator(FixedLocator(ticks[:: 1 + len(ticks) // 8]))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.yaxis.set_minor_locator(NullLocator())
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.grid(color=GREY, alpha=0.2, linewidth=0.5)
