"""The guideline: optimal size against depth with its error band, and models placed on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from seprank.errors import InvalidInput
from seprank.planning.gpt3 import gpt3_plans
from seprank.planning.guideline import Plan
from seprank.planning.transition_fit import PAPER_FIT, TransitionFit
from seprank.plots.canvas import BLACK, BLUE, GREEN, ORANGE, SKY, SMALL, VERMILION, label, sheet

DEEPEST = 1000
Place = tuple[int, int | float, str | None]  # depth, parameters, verdict
VERDICTS = {
    "too shallow": (ORANGE, "^", ": deepen"),
    "near-optimal": (GREEN, "o", ""),
    "too deep": (VERMILION, "v", ": widen"),
}
# Where the name of a model goes, away from the curve: offset in points, sides of the text.
NAMES = {"too shallow": ((-6, 0), "right", "center"), "too deep": ((0, -6), "center", "top")}
CAPTION = """
Parameters without embeddings against depth. Line: sizes at which the depth is optimal, N = 12 L exp(2 a + 2 b L), an
empirical estimate; band: one standard error of the fit. Solid where networks were trained, dashed where the fit is
extrapolated. Models are placed at 12 L dx^2 and marked by their verdict.
"""


def guideline(plans: Mapping[str, Plan] | None = None, fit: TransitionFit = PAPER_FIT) -> Figure:
    """Optimal size against depth by `fit`, its error band, and models by name with their verdicts.

    `plans` are those of models by the same fit; left out, those of the GPT-3 family. All values are estimates of an
    empirical fit. Raises `InvalidInput` for a plan without a model, or with one of more than 1,000 layers.

    Source: levine2020depth, figures 3(b) and 4.
    """
    plans = gpt3_plans(fit) if plans is None else plans
    models = {name: (_depth(name, plan), plan.params, plan.verdict) for name, plan in plans.items()}
    deepest = max([100, fit.deepest, *(L for L, _, _ in models.values())])
    figure, (ax,) = sheet(7.0, 4.6, f"{CAPTION} {fit_words(fit)}")
    depths = np.linspace(1, 1.05 * deepest, 400)
    curve(ax, depths, fit, [fit.size(L) for L in depths], 1.0)
    for verdict, (colour, marker, advice) in VERDICTS.items():
        there = [(L, params) for L, params, found in models.values() if found == verdict]
        if there:
            L, params = zip(*there, strict=True)
            ax.scatter(L, params, color=colour, marker=marker, s=30, zorder=4, label=f"{verdict}{advice}")
    for (depth, size, found), names in _by_place(models).items():
        offset, ha, va = NAMES.get(str(found), ((7, -7), "left", "center"))
        style: dict[str, Any] = {"ha": ha, "va": va, "fontsize": SMALL - 1, "zorder": 4, "gid": "model"}
        ax.annotate("\n".join(names), (depth, size), offset, textcoords="offset points", **style)
    ax.set_yscale("log")
    ax.set_xlim(0, 1.05 * deepest)
    label(ax, "Optimal size for a depth", "depth L (layers)", "parameters without embeddings")
    ax.legend(fontsize=SMALL, frameon=False, loc="upper left", bbox_to_anchor=(0.06, 1.0))
    return figure


def _by_place(models: Mapping[str, Place]) -> dict[Place, list[str]]:
    """Names of the models at each place, so that models of the same sizes share a label."""
    places: dict[Place, list[str]] = {}
    for name, place in models.items():
        places.setdefault(place, []).append(name)
    return places


def _depth(name: str, plan: Plan) -> int:
    if plan.L is None:
        raise InvalidInput(f"plans must be those of models, got a plan without a model for {name!r}")
    if plan.L > DEEPEST:
        raise InvalidInput(f"L must be at most {DEEPEST} for a place on the figure, got {plan.L} for {name!r}")
    return plan.L


def curve(ax: Axes, depths: np.ndarray, fit: TransitionFit, values: Sequence[float], share: float) -> None:
    """The curve of a fit with its band, dashed beyond the measured depths.

    `share` is how much of the relative error of the size the plotted quantity has: 1 for the size, 1/2 for the width.
    """
    line = np.array(values)
    spread = np.exp([share * fit.relative_error(L) for L in depths])
    ax.fill_between(
        depths, line / spread, line * spread, color=SKY, alpha=0.35, linewidth=0, label="one standard error"
    )
    inside = (depths >= fit.shallowest) & (depths <= fit.deepest)
    ax.plot(depths, line, color=BLUE, linewidth=1.2, linestyle="--", label="extrapolated")
    ax.plot(depths[inside], line[inside], color=BLUE, linewidth=2.2, label="fit, measured depths")
    for edge in (fit.shallowest, fit.deepest):
        ax.axvline(edge, color=BLACK, linewidth=0.5, linestyle=":")


def fit_words(fit: TransitionFit) -> str:
    """The fit in one sentence for the caption."""
    about = [f"{fit.heads} heads"] if fit.heads is not None else []
    about += [f"vocabulary {fit.vocabulary}"] if fit.vocabulary is not None else []
    networks = f" with {' and '.join(about)}" if about else ""
    source = f" ({fit.source})" if fit.source else ""
    return (
        f"Fit: a = {fit.a:.4f}, b = {fit.b:.5f}, measured on depths {fit.shallowest} to {fit.deepest}"
        f"{networks}{source}."
    )
