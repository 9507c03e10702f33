"""The profile of one network: the rank of every bidegree block beside its proved bound."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from seprank.errors import InvalidInput
from seprank.plots.canvas import BLACK, BLUE, ORANGE, SMALL, label, legend, sheet
from seprank.plots.choose import Choice, chosen
from seprank.study.record import Record

MOST_WRITTEN = 16  # bars with their number above them
LARGEST = 1e300  # of what has a place on an axis
CAPTION = """
Ranks of the bidegree blocks k = 0, ..., C of the output, whose sum is the rank. Full bars: the rank meets the proved
upper bound of its block, so it is exact. Hatched bars: a rank modulo a prime below the bound, a proved lower bound
for almost all weights. Black steps: the best proved upper bound of each block, for all weights.
"""


def blocks(
    records: Sequence[Record], choice: Choice | None = None, L: int | None = None, dx: int | None = None
) -> Figure:
    """The block ranks of one measured network against their bounds.

    `choice`, `L` and `dx` name the network; where several remain, the one of the largest rank is shown. Raises
    `InvalidInput` where no measured record with blocks remains.
    """
    record, note = _one(records, choice or Choice(), L, dx)
    figure, (ax,) = sheet(7.0, 3.8, f"{CAPTION} {note}")
    k = np.array([block["k"] for block in record.blocks])
    ranks = [block["rank"] for block in record.blocks]
    limits = [block["bound"] for block in record.blocks]
    met = [rank == bound for rank, bound in zip(ranks, limits, strict=True)]
    for wanted, colour, hatch, name in (
        (True, BLUE, None, "rank, meets the bound"),
        (False, ORANGE, "////", "rank, below it"),
    ):
        places = [index for index, is_met in enumerate(met) if is_met == wanted]
        if places:
            heights = [float(ranks[index]) for index in places]
            ax.bar(k[places], heights, width=0.8, color=colour, hatch=hatch, edgecolor="white", label=name)
    if all(bound is not None and bound < LARGEST for bound in limits):
        edges = np.append(k - 0.5, k[-1] + 0.5)
        ax.stairs(list(map(float, limits)), edges, color=BLACK, linewidth=1.5, baseline=None, label="upper bound")
    if max(ranks) > 200 * max(1, min(rank for rank in ranks)):
        ax.set_yscale("log")
    else:
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    _write(ax, list(k), ranks)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    label(
        ax,
        f"Blocks: L = {record.L}, dx = {record.dx}, H = {record.H}",
        "block k (degree in the Gram matrix of side B)",
        "rank",
    )
    legend(ax, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def _write(ax: Axes, places: Sequence[int], ranks: Sequence[int]) -> None:
    """The ranks above their bars, where there is room for the digits."""
    if len(ranks) <= MOST_WRITTEN:
        for place, rank in zip(places, ranks, strict=True):
            ax.annotate(str(rank), (place, rank), (0, 3), textcoords="offset points", ha="center", fontsize=SMALL - 1)


def _one(records: Sequence[Record], choice: Choice, L: int | None, dx: int | None) -> tuple[Record, str]:
    """The record to show, and the sentence of the caption that names it."""
    sized = [r for r in records if r.blocks and L in (None, r.L) and dx in (None, r.dx)]
    if not sized:
        sizes = "".join(f" with {name} = {value}" for name, value in (("L", L), ("dx", dx)) if value is not None)
        raise InvalidInput(
            f"store must hold a measured rank with its blocks{sizes}, got none in {len(records)} records"
        )
    found = chosen(sized, choice).out_of(records)
    record = max(found.records, key=lambda record: record.rank or 0)
    status = "exact (certified)" if record.certified_exact else "a lower bound"
    return record, f"The rank {record.rank} is {status}. {found.note}"
