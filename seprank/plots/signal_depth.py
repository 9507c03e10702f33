"""A deep network at initialisation: token correlation and gradient norms layer by layer, measured and predicted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from seprank.plots.canvas import BLACK, BLUE, GREEN, GREY, ORANGE, VERMILION, label, legend, sheet
from seprank.signal.depth import DepthRun
from seprank.signal.depth_rows import Gradient, LayerRow

CAPTION = """
Left: correlation of the tokens that enter attention; mean cosine with two standard errors, ratio of expectations, and
the theory for uniform attention and infinite width (an estimate, dashed). Right: squared gradient norms under a random
linear loss, geometric means over the seeds; dashed: queries predicted from the measured values by eq. 18 over eq. 17.
"""


def signal_depth(run: DepthRun) -> Figure:
    """Correlation and gradient norms of one depth run against the layer.

    Measured values are means over the seeds, with their errors; predictions are estimates.

    Source: noci2022signal, Fig. 1.
    """
    figure, (left, right) = sheet(9.0, 3.6, f"{CAPTION} {words(run)}. {run.diagnosis.sentence}", columns=2)
    correlation(left, run, BLUE, "mean cosine")
    rows = [*run.layers, run.end]
    left.plot([row.layer - 1 for row in rows], [row.rho for row in rows], ".", color=BLACK, label="ratio of exp.")
    label(left, "Correlation of tokens", "blocks passed", "correlation")
    left.set_ylim(min(-0.05, left.get_ylim()[0]), 1.03)
    legend(left, loc="best")
    gradients(right, run)
    label(right, "Squared gradient norms", "layer", "$\\log_{10}$ of the squared norm")
    legend(right, loc="best")
    for ax in (left, right):
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def correlation(ax: Axes, run: DepthRun, colour: str, name: str) -> None:
    """Mean cosine with a band of two standard errors, and the theory dashed, against the blocks passed."""
    rows = [*run.layers, run.end]
    passed = [row.layer - 1 for row in rows]
    means = np.array([row.cosine.mean for row in rows])
    errors = 2 * np.array([row.cosine.error or 0.0 for row in rows])
    ax.fill_between(passed, means - errors, means + errors, color=colour, alpha=0.2, linewidth=0)
    ax.plot(passed, means, color=colour, linewidth=1.8, label=name)
    ax.plot(passed, [row.predicted.state.rho for row in rows], color=colour, linewidth=1.0, linestyle="--")


def gradients(ax: Axes, run: DepthRun) -> None:
    """log10 of the squared gradient norms against the layer, and the predicted queries dashed."""
    layers = [row.layer for row in run.layers]
    for name, colour, style in (("query", VERMILION, "-"), ("key", ORANGE, ":"), ("value", GREEN, "-")):
        logs = [log10(getattr(row, name)) for row in run.layers]
        ax.plot(layers, logs, color=colour, linestyle=style, linewidth=1.8, label=name)
    ax.plot(layers, predicted_queries(run.layers), color=GREY, linewidth=1.0, linestyle="--", label="query, eq. 18/17")


def predicted_queries(layers: Sequence[LayerRow]) -> list[float]:
    """log10 of the squared query gradients that eq. 18 over eq. 17 gives from the measured value gradients."""
    found = []
    for row in layers:
        ratio = row.ratio_at_tokens
        found.append(float(np.log10(ratio)) + log10(row.value) if ratio else float("nan"))
    return found


def log10(found: Gradient) -> float:
    """log10 of a squared gradient norm, geometric mean over the seeds; not a number where a gradient is 0."""
    return float("nan") if found.log10 is None else found.log10


def words(run: DepthRun, scale: bool = True, norm: bool = True) -> str:
    """Sizes and kind of a run, in one clause for a caption; without its branch scale or its layer norm if asked."""
    sizes, tokens = run.sizes, run.tokens
    parts = [f"L = {sizes.L}", f"n = {tokens.n}", f"d = {sizes.d}", *([f"H = {sizes.H}"] if sizes.H > 1 else [])]
    parts += [f"layer norm: {sizes.norm}"] if norm else []
    parts += [f"alpha = {sizes.alpha1:.3g}"] if scale else []
    parts += [
        sizes.activation,
        f"{sizes.attention} attention",
        f"sigma = {tokens.sigma:.3g}",
        f"rho = {tokens.rho:.3g}",
    ]
    return f"{', '.join(parts)}; {len(run.seeds)} seeds"
