"""The transition: the width, and the size, at which deepening starts to pay, with the points of a fit of one's own."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from seprank.planning.least_squares import LineFit
from seprank.planning.transition_fit import PAPER_FIT, TransitionFit
from seprank.plots.canvas import VERMILION, label, legend, sheet
from seprank.plots.guideline import curve, fit_words

CAPTION = """
Left: transition width against depth, log dx = a + b L. Right: the size 12 L dx^2 that follows, in parameters without
embeddings. Lines: an empirical estimate; bands: one standard error of the fit. Solid where networks were trained,
dashed where the fit is extrapolated.
"""
WITHOUT_POINTS = "The measured points of the paper are not drawn: its Table 4(a) is not at hand."


def transition(line: LineFit | None = None) -> Figure:
    """The fit of transition widths and the sizes that follow; of `line` with its points, or of the paper without.

    All values are estimates.

    Source: levine2020depth, figure 3(a) and (b).
    """
    fit: TransitionFit = PAPER_FIT if line is None else line.fit
    words = WITHOUT_POINTS
    if line is not None:
        words = (
            f"Points: measured widths with their errors, chi-square {line.chi2:.3g} for {line.df} degrees of freedom."
        )
    figure, axes = sheet(7.6, 3.5, f"{CAPTION} {words} {fit_words(fit)}", columns=2)
    depths = np.linspace(1, max(60, 1.25 * fit.deepest), 300)
    curve(axes[0], depths, fit, [fit.width(L) for L in depths], 0.5)
    curve(axes[1], depths, fit, [fit.size(L) for L in depths], 1.0)
    if line is not None:
        L = np.array([point.depth for point in line.points])
        width = np.array([point.width for point in line.points])
        error = np.array([point.error for point in line.points])
        style: dict[str, Any] = {
            "fmt": "o",
            "color": VERMILION,
            "markersize": 4,
            "capsize": 3,
            "zorder": 4,
            "label": "measured",
        }
        axes[0].errorbar(L, width, yerr=error, **style)
        axes[1].errorbar(L, 12 * L * width**2, yerr=24 * L * width * error, **style)
    label(axes[0], "Transition width", "depth L (layers)", "width dx")
    label(axes[1], "Transition size", "depth L (layers)", "parameters without embeddings")
    for ax in axes:
        ax.set_yscale("log")
        ax.set_xlim(0, depths[-1])
    axes[0].yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes[0].yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes[0].yaxis.set_minor_formatter(NullFormatter())
    legend(axes[0], loc="upper left", bbox_to_anchor=(0.1, 1.0))
    return figure
