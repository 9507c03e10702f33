"""One sentence on a depth run: do tokens collapse, does softmax saturate instead, or is the network healthy?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from seprank.signal.advice import COLLAPSED
from seprank.signal.depth_rows import LayerRow, TokenRow

SATURATED = 0.9  # mean largest attention weight from which on softmax is said to pick single tokens


@dataclass(frozen=True)
class Diagnosis:
    """`kind` is "collapses", "saturates" or "healthy"; `layer` the first layer of the first two (None: healthy).

    Tokens collapse where attention sees a mean cosine above 0.99; softmax saturates where its mean largest weight is
    above 0.9. Whichever comes first names the kind.
    """

    kind: str
    layer: int | None
    sentence: str


def diagnose(layers: Sequence[LayerRow], end: TokenRow) -> Diagnosis:
    """The diagnosis of the layers of a run and what leaves the last. Source: docs/signal.md, Deep networks."""
    collapse = next((row for row in (*layers, end) if row.gap < 1.0 - COLLAPSED), None)
    saturation = next((row for row in layers if row.peak > SATURATED and row.gap >= 1.0 - COLLAPSED), None)
    last = layers[-1]
    if saturation is not None and (collapse is None or saturation.layer < collapse.layer):
        return Diagnosis("saturates", saturation.layer, _saturates(saturation, last, collapse))
    if collapse is not None:
        return Diagnosis("collapses", collapse.layer, _collapses(collapse, last, end))
    return Diagnosis("healthy", None, _healthy(layers, end))


def _collapses(row: TokenRow, last: LayerRow, end: TokenRow) -> str:
    where = f"at layer {row.layer}" if row is not end else f"behind the last layer, {last.layer}"
    return (
        f"Tokens collapse {where}: their mean cosine is {_cosine(row)} there; in layer {last.layer} squared query "
        f"gradients are {_ratio(last)}."
    )


def _saturates(row: LayerRow, last: LayerRow, collapse: TokenRow | None) -> str:
    later = "" if collapse is None else f"; tokens collapse later, at layer {collapse.layer}"
    return (
        f"Softmax saturates at layer {row.layer}, tokens do not collapse there: logits spread by "
        f"{row.logit_spread:.2g}, the largest weight of a row is {row.peak:.2f} and the mean cosine {_cosine(row)}; in "
        f"layer {last.layer} squared query gradients are {_ratio(last)} for that reason{later}."
    )


def _healthy(layers: Sequence[LayerRow], end: TokenRow) -> str:
    highest = min((*layers, end), key=lambda row: row.gap)
    where = f"in layer {highest.layer}" if highest is not end else "behind the last layer"
    ratios = [row for row in layers if row.ratio is not None]
    least = min(ratios, key=lambda row: row.ratio or 0.0) if ratios else layers[-1]
    return (
        f"Healthy: the mean cosine of tokens is at most {_cosine(highest)} ({where}), and squared query gradients are "
        f"at least {_ratio(least)} (layer {least.layer})."
    )


def _cosine(row: TokenRow) -> str:
    if row.gap > 5e-4:
        return f"{row.cosine.mean:.3f}"
    return f"1 - {row.gap:.1e}" if row.gap else "1"


def _ratio(row: LayerRow) -> str:
    return "0" if row.ratio is None else f"{row.ratio:.2g} times value gradients"
