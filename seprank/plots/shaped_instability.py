"""When attention networks from large tokens blow up, beside the SDE."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from seprank.plots.canvas import COLOURS, GREY, label, legend, sheet
from seprank.shaped.figure_laws import Exits

CAPTION = """
Shaped attention on two tokens, rho = 0.2 at first, tau0 = 1, depth n; an exit is the first time at which
D = V_11 + V_22 - 2 V_12 reaches {radius:g}. Left: share of networks of width {n} that have left, from variance
{start:g} (steps), and the probability for the SDE (dashes; Fokker-Planck, right to 0.004). There the SDE is outside its
range, since the norm of V, {norm:.0f} at first, is not far below tau0 sqrt(n) = {root:.0f}: networks leave later.
Right: share by T = 1 with 95 per cent intervals (Wilson). Dotted: for the SDE over unlimited time (closed form).
"""


def shaped_instability(seed: int, found: Sequence[Exits]) -> Figure:
    """Exits against time from the largest start in the widest networks, and by T = 1 against gamma.

    Source: noci2023shaped, Fig. 5.
    """
    start, n = max(x.start for x in found), max(x.n for x in found)
    sizes = {"radius": found[0].radius, "n": n, "start": start, "root": np.sqrt(n)}
    caption = CAPTION.format(**sizes, norm=start * np.sqrt(2 + 2 * 0.2**2))
    note = f"{len(found[0].times)} networks at each point, seed {seed}."
    figure, (left, right) = sheet(11.0, 4.2, f"{caption} {note}", columns=2)
    for exits, colour in zip((x for x in found if (x.start, x.n) == (start, n)), COLOURS, strict=False):
        _against_time(left, exits, colour)
    left.set_xscale("log")
    left.set_xlim(found[0].sde_times[0], 1.1)
    label(left, f"Exits from variance {start:g}, width {n}", "time, layer / n", "share that has left")
    for (value, width), colour in zip(dict.fromkeys((x.start, x.n) for x in found), COLOURS, strict=False):
        _against_gamma(right, [x for x in found if (x.start, x.n) == (value, width)], colour)
    for place, value in enumerate(dict.fromkeys(x.start for x in found)):
        group = [x for x in found if (x.start, x.n) == (value, n)]
        right.plot(
            [x.gamma for x in group],
            [x.ever for x in group],
            color=GREY,
            linestyle=":",
            label="SDE, ever" if place == 0 else None,
        )
    label(right, "Exits by T = 1", "$\\gamma$", "share that has left")
    for ax in (left, right):
        ax.set_ylim(-0.03, 1.03)
        legend(ax, loc="best")
    return figure


def _against_time(ax: Axes, exits: Exits, colour: str) -> None:
    times = np.sort(exits.times[np.isfinite(exits.times)])
    shares = np.arange(1, len(times) + 1) / len(exits.times)
    first = exits.sde_times[0]
    ax.step([first, *times, 1.0], [0.0, *shares, exits.probability], where="post", color=colour, linewidth=1.6)
    ax.plot(exits.sde_times, exits.sde, color=colour, linewidth=1.2, linestyle="--")
    ax.plot([], [], color=colour, linewidth=1.6, label=f"$\\gamma$ = {exits.gamma:g}")


def _against_gamma(ax: Axes, group: Sequence[Exits], colour: str) -> None:
    shares = np.array([x.probability for x in group])
    low, high = np.transpose([x.interval for x in group])
    name = f"variance {group[0].start:g}, n = {group[0].n}"
    ax.errorbar(
        [x.gamma for x in group],
        shares,
        [shares - low, high - shares],
        color=colour,
        marker="o",
        ms=4,
        capsize=2,
        label=name,
    )
