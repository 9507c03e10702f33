"""Query gradients of one layer, measured by autograd against eq. 18, along four sweeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from seprank.plots.canvas import COLOURS, label, legend, sheet
from seprank.signal.layer_measure import LayerPoint

AXES = {"d": "width d", "n": "tokens n", "rho": "correlation of tokens", "sigma": "std of token entries"}
CAPTION = """
Squared query gradient of one softmax layer under a random linear loss, Gaussian tokens, dk = dv = d. Markers: measured
by autograd, with two standard errors; lines: eq. 18 with its exact factor, for uniform attention. Filled markers are
within the range of the theory, open ones outside (logit std above 0.25 or a correction above 0.15).
"""


def signal_sweeps(sweeps: Mapping[str, Sequence[LayerPoint]]) -> Figure:
    """Measured and expected query gradients along sweeps by name ("d", "n", "rho", "sigma").

    Source: noci2022signal, Fig. 12.
    """
    figure, axes = sheet(13.0, 3.4, f"{CAPTION} {_centre(sweeps)}", columns=len(sweeps))
    for ax, (name, points) in zip(axes, sweeps.items(), strict=True):
        groups = [list(points)] if name == "sigma" else _by_sigma(points)
        for group, colour in zip(groups, COLOURS, strict=False):
            _line(ax, name, group, colour)
        ax.set_yscale("log")
        if name != "rho":
            ax.set_xscale("log", base=10 if name == "sigma" else 2)
        label(ax, f"against {AXES[name]}", AXES[name], "squared query gradient" if ax is axes[0] else "")
        if name != "sigma":
            legend(ax)
    return figure


def _line(ax: Axes, name: str, points: Sequence[LayerPoint], colour: str) -> None:
    places = [getattr(point.tokens, name) for point in points]
    ax.plot(places, [point.expected.query for point in points], color=colour, linewidth=1.2)
    for place, point in zip(places, points, strict=True):
        fill = colour if point.validity.valid else "white"
        error = 2 * (point.query.error or 0.0)
        ax.errorbar(place, point.query.mean, error, color=colour, marker="o", ms=5, markerfacecolor=fill, linestyle="")
    if name != "sigma":
        ax.plot([], [], color=colour, marker="o", label=f"$\\sigma$ = {points[0].tokens.sigma:g}")


def _by_sigma(points: Sequence[LayerPoint]) -> list[list[LayerPoint]]:
    groups: dict[float, list[LayerPoint]] = {}
    for point in points:
        groups.setdefault(point.tokens.sigma, []).append(point)
    return list(groups.values())


def _centre(sweeps: Mapping[str, Sequence[LayerPoint]]) -> str:
    fixed = {}
    for name in ("n", "d", "rho"):
        other = next(points for sweep, points in sweeps.items() if sweep != name)
        fixed[name] = getattr(other[0].tokens, name)
    return "Elsewhere " + ", ".join(f"{name} = {value:g}" for name, value in fixed.items()) + "."
