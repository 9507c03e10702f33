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
    "signal-depth": "Token correlation and gradient norms of a deep network, layer by layer.",
    "signal-scaling": "What scaled branches do to correlation and gradients, POST-LN.",
    "signal-layer-norm": "Correlation against depth with PRE-LN, POST-LN and without.",
    "signal-very-deep": "Norm and correlation of 200 blocks, scaled and unscaled.",
    "signal-pre-norm": "Correlation and gradients with PRE-LN beside POST-LN.",
    "signal-norm-density": "Density of the representation norm, softmax against uniform attention.",
    "signal-sweeps": "Query gradients of one layer, measured against eq. 18.",
    "signal-grid": "Heat maps of gradient norms over four parameters, measured and expected.",
    "shaped-conditioning": "Correlation with depth: shaped networks and their SDE, plain softmax, Pre-LN.",
    "shaped-gradients": "Gradients layer by layer: shaped attention, plain softmax, Pre-LN.",
    "shaped-residual": "Law of the correlation in residual networks, beside the SDE.",
    "shaped-ablations": "Shaped attention without centring, identity or temperature.",
    "shaped-instability": "When attention networks blow up, beside the SDE.",
    "hop-attention": "Where a k-hop construction looks, and a trained model on the same string.",
    "hop-errors": "Error of trained models against the hops, one line a depth.",
    "mpc-rounds": "Rounds of protocols for components against the size of the graph.",
    "mpc-loads": "Words sent, received and kept in every round of a protocol.",
}
command = lazy_group("Draw a figure into a PNG, SVG or PDF file.", FIGURES, "plot_")
