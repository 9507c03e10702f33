"""Heat maps of the gradient norms of one layer over correlation, input variance, tokens and width."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log10

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from seprank.plots.canvas import GREY, SEQUENCE, SMALL, label, sheet
from seprank.signal.layer_measure import LayerPoint

OF = {
    "query": "squared query gradient",
    "key": "squared key gradient",
    "value": "squared value gradient",
    "ratio": "squared gradients, queries over values",
}
CAPTION = """
log10 of the {what} of one softmax layer, Gaussian tokens, dk = dv = d. Left: measured by autograd; right: expected for
uniform attention (eq. 17, eq. 18 with its exact factor). Outer axes: correlation and entry variance of the tokens;
inside each square, tokens n = {n} to the right and width d = {d} upwards. The largest difference is {most:.2f} at sigma
up to 0.5 and {above:.2f} above, where attention is not uniform.
"""


def signal_grid(points: Sequence[LayerPoint], of: str = "ratio") -> Figure:
    """Measured and expected heat maps of `of` ("query", "key", "value", "ratio") at all combinations of four values.

    Source: noci2022signal, Fig. 13 and 14.
    """
    measured, expected = _measured(of), _expected(of)
    axes_values = {
        name: sorted({getattr(point.tokens, name) for point in points}) for name in ("rho", "sigma", "n", "d")
    }
    differences = {point: abs(measured(point) - expected(point)) for point in points}
    most, above = (
        max((x for point, x in differences.items() if (point.tokens.sigma <= 0.5) == small), default=0.0)
        for small in (True, False)
    )
    n, d = (", ".join(map(str, axes_values[name])) for name in ("n", "d"))
    caption = CAPTION.format(what=OF[of], n=n, d=d, most=most, above=above)
    figure, (left, right) = sheet(10.0, 4.6, caption, columns=2)
    maps = [_map(points, axes_values, value) for value in (measured, expected)]
    limits = {"vmin": min(map(np.min, maps)), "vmax": max(map(np.max, maps))}
    for ax, image, title in ((left, maps[0], "measured"), (right, maps[1], "theory")):
        shown = ax.imshow(image, origin="lower", cmap=SEQUENCE, aspect="auto", **limits)
        _axes(ax, axes_values)
        label(ax, f"{OF[of]}: {title}", "correlation of tokens", "entry variance of tokens")
    bar = figure.colorbar(shown, ax=[left, right], pad=0.02)
    bar.set_label("$\\log_{10}$", fontsize=SMALL)
    bar.ax.tick_params(labelsize=SMALL)
    return figure


def _measured(of: str) -> Callable[[LayerPoint], float]:
    if of == "ratio":
        return lambda point: log10(point.query.mean / point.value.mean)
    return lambda point: log10(getattr(point, of).mean)


def _expected(of: str) -> Callable[[LayerPoint], float]:
    if of == "ratio":
        return lambda point: log10(point.expected.query / point.expected.value)
    return lambda point: log10(getattr(point.expected, of))


def _map(
    points: Sequence[LayerPoint], values: dict[str, list[float]], value: Callable[[LayerPoint], float]
) -> np.ndarray:
    """Rows: sigma, inside d; columns: rho, inside n."""
    image = np.full((len(values["sigma"]) * len(values["d"]), len(values["rho"]) * len(values["n"])), np.nan)
    for point in points:
        place = {name: values[name].index(getattr(point.tokens, name)) for name in values}
        row = place["sigma"] * len(values["d"]) + place["d"]
        image[row, place["rho"] * len(values["n"]) + place["n"]] = value(point)
    return image


def _axes(ax: Axes, values: dict[str, list[float]]) -> None:
    across, up = len(values["n"]), len(values["d"])
    ax.set_xticks([across * (i + 0.5) - 0.5 for i in range(len(values["rho"]))], [f"{x:g}" for x in values["rho"]])
    ax.set_yticks([up * (i + 0.5) - 0.5 for i in range(len(values["sigma"]))], [f"{x**2:.3g}" for x in values["sigma"]])
    for i in range(1, len(values["rho"])):
        ax.axvline(across * i - 0.5, color=GREY, linewidth=1.5)
    for i in range(1, len(values["sigma"])):
        ax.axhline(up * i - 0.5, color=GREY, linewidth=1.5)
