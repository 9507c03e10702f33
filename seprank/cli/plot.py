"""`seprank plot`: the group of commands that draw a figure each."""

from __future__ import annotations

from seprank.cli.lazy import lazy_group

# One line a figure; its command is in plot_<name>.py, its function in seprank/plots.
FIGURES = {
    "regimes": "Ranks over depth and width, with bounds and thresholds, from a results store.",
    "rank-growth": "log3 rank against depth, one line a width, from a results store.",
    "blocks": "The block ranks of one network against their bounds, from a results store.",
    "head-count": "Rank against the number of heads, from a results store.",
    "guideline": "Optimal size against depth, with models placed on it.",
    "transition": "The fit of transition widths, the paper's or your own, and the sizes that follow.",
}
command = lazy_group("Draw a figure into a PNG, SVG or PDF file.", FIGURES, "plot_")
