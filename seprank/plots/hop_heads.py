"""The heads of a model against the targets find^j: the share of weight that each puts on each."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from matplotlib.figure import Figure

from seprank.errors import InvalidInput
from seprank.parallel.inspection import HeadLook
from seprank.plots.canvas import SMALL, label, sheet

MOST_HEADS = 96


def hop_heads(heads: Sequence[HeadLook], title: str) -> Figure:
    """One row for each head, one column for each target, the share written in the cell; estimates over strings.

    Raises `InvalidInput` for no heads or more than 96. Source: sanford2024log, Section 4 (comparison with find^j).
    """
    if not 1 <= len(heads) <= MOST_HEADS:
        raise InvalidInput(f"heads must be 1 to {MOST_HEADS} for a figure, got {len(heads)}")
    names = list(heads[0].shares)
    shares = np.array([[look.shares[name] for name in names] for look in heads])
    caption = (
        "Mean share of a position's attention on each target, over positions beyond the first fifth of fresh strings, "
        f"dropout off. Targets may coincide, so a row may add up to more than 1. Equal weights would give "
        f"{heads[0].uniform:.2f}. find^b: b times to the last earlier occurrence "
        "and one step to the right."
    )
    figure, (ax,) = sheet(max(4.6, 0.8 * len(names) + 1.6), 0.24 * len(heads) + 1.2, caption)
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for (row, column), share in np.ndenumerate(shares):
        colour = "white" if share > 0.6 else "black"
        ax.text(column, row, f"{share:.2f}", ha="center", va="center", fontsize=SMALL - 1, color=colour)
    ax.set_xticks(range(len(names)), names)
    ax.set_yticks(range(len(heads)), [f"{look.layer}.{look.head}" for look in heads])
    for row, (above, look) in enumerate(pairwise(heads)):
        if above.layer != look.layer:
            ax.axhline(row + 0.5, color="black", linewidth=0.8)
    label(ax, f"Where the heads look: {title}", "", "layer.head")
    return figure
