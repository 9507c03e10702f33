"""Words sent, received and kept by the busiest machine in every round of a protocol, against the memory."""

from __future__ import annotations

from matplotlib.figure import Figure

from seprank.parallel.graph_input import Components
from seprank.plots.canvas import BLACK, BLUE, GREEN, VERMILION, label, legend, sheet

KINDS = (("sent", BLUE, "-"), ("received", VERMILION, "-"), ("kept", GREEN, "--"))


def mpc_loads(found: Components, name: str, protocol: str) -> Figure:
    """The three loads of every round of the run `found`, exact counts; `name` is the graph's."""
    loads, sizes = found.run.loads, found.sizes
    caption = (
        f"{protocol} on {name}: {sizes.machines} machines of s = {sizes.words} words, {found.run.rounds} rounds in "
        f"{found.iterations} iterations. Largest number of words over the machines, counted by the simulator, which "
        "stops a run where one exceeds s (dotted); the last point is the state after the last round."
    )
    figure, (ax,) = sheet(7.0, 3.4, caption)
    rounds = range(1, len(loads) + 1)
    marker = "." if len(loads) <= 80 else ""
    for (kind, colour, style), values in zip(KINDS, zip(*loads, strict=True), strict=True):
        ax.plot(rounds, values, color=colour, linestyle=style, marker=marker, linewidth=1.2, label=kind)
    ax.axhline(sizes.words, color=BLACK, linewidth=1.0, linestyle=":", label=f"memory s = {sizes.words}")
    ax.set_ylim(0, 1.25 * sizes.words)
    label(ax, "Loads in every round", "round", "words of the busiest machine")
    legend(ax, loc="upper right", ncols=4)
    return figure
