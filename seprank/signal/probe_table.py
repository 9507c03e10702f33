"""What a probe of a model measured: one row an attention layer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from seprank.tabular import to_html

COLLAPSED = 0.99  # mean cosine of the tokens
SHOWN_DIGITS = 4


@dataclass(frozen=True)
class LayerProbe:
    """One attention layer at the weights and inputs of the probe; means over the sequences of the batch.

    The token matrix X (n, d) is what the query projection is applied to. `cosine` is the mean over pairs of different
    tokens, `effective_rank` the exponential of the entropy of the singular values over their sum (roy2007effective),
    `stable_rank` ||X||_F^2 / ||X||_2^2 and `norm` ||X||_F. `query_gradient` and its like are Frobenius norms, not
    squared, of the gradient of the loss by the layer's query, key and value weights; None for a frozen weight or one
    that the loss does not depend on. `logit_std` is the standard deviation of all unmasked logits of the layer (scale,
    positions and biases included where the softmax was seen), `attention_entropy` the mean entropy of the rows of the
    attention matrix in nats and `uniform_entropy` what it would be for uniform attention under the same mask.

    `mask` is "none", "causal" or "other". `logits` says where the logits come from: "softmax" or "sdpa" (the operands
    of the call that the model makes), "inputs" (exact, from the arguments of an nn.MultiheadAttention), "projections"
    (from the captured tokens and the projections: without rotary positions, the mask being causal where the module
    says so and none otherwise), "unknown". `calls` counts how often a shared layer ran; statistics are means over the
    calls, gradients their sum.
    """

    layer: int
    name: str
    n: int
    d: int
    heads: int | None
    calls: int
    cosine: float | None
    effective_rank: float | None
    stable_rank: float | None
    norm: float
    query_gradient: float | None
    key_gradient: float | None
    value_gradient: float | None
    logit_std: float | None
    attention_entropy: float | None
    uniform_entropy: float | None
    mask: str
    logits: str

    @property
    def query_over_value(self) -> float | None:
        """The query gradient over the value gradient, both un-squared norms; None where one is None or 0."""
        if self.query_gradient is None or not self.value_gradient:
            return None
        return self.query_gradient / self.value_gradient


@dataclass(frozen=True)
class Probe:
    """The layers of a model in the order in which they ran, with the loss and the attention layers that did not run."""

    model: str
    loss: float
    loss_kind: str
    layers: tuple[LayerProbe, ...]
    unreached: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.layers)

    def __iter__(self) -> Iterator[LayerProbe]:
        return iter(self.layers)

    def __getitem__(self, index: int) -> LayerProbe:
        return self.layers[index]

    def as_dicts(self) -> list[dict[str, Any]]:
        """One plain dictionary a layer."""
        return [asdict(layer) for layer in self.layers]

    @property
    def heading(self) -> str:
        """The model, the number of its attention layers, and the loss, on one line."""
        layers = f"{len(self)} attention layer{'s' if len(self) > 1 else ''}"
        return f"{self.model}, {layers}; loss {self.loss:.{SHOWN_DIGITS}g} ({self.loss_kind})"

    @property
    def collapse_layer(self) -> int | None:
        """The first layer whose tokens have a mean cosine above 0.99, or None."""
        return next((row.layer for row in self if row.cosine is not None and row.cosine > COLLAPSED), None)

    @property
    def conclusion(self) -> str:
        """What the numbers say, in whole sentences."""
        return " ".join(filter(None, (self._collapse(), self._gradients(), self._frozen(), self._unreached())))

    def _collapse(self) -> str:
        if self.collapse_layer is None:
            return f"No layer sees tokens of mean cosine above {COLLAPSED}."
        return f"Rank collapse: the mean cosine of the tokens is above {COLLAPSED} from layer {self.collapse_layer} on."

    def _gradients(self) -> str:
        known = [(row.layer, row.query_over_value) for row in self if row.query_over_value is not None]
        if not known:
            return ""
        ends = known[:1] if len(known) == 1 else [known[0], known[-1]]
        return f"Query over value gradient: {', '.join(f'{ratio:.3g} in layer {layer}' for layer, ratio in ends)}."

    def _frozen(self) -> str:
        lacking = [str(row.layer) for row in self if None in (row.query_gradient, row.key_gradient, row.value_gradient)]
        return f"Weights frozen or without influence on the loss in layers {', '.join(lacking)}." if lacking else ""

    def _unreached(self) -> str:
        return f"Attention layers that did not run: {', '.join(self.unreached)}." if self.unreached else ""

    def _repr_html_(self) -> str:
        return to_html([shown(row) for row in self], f"{self.heading}. {self.conclusion}")


def shown(row: LayerProbe) -> dict[str, object]:
    """A layer as the cells of a table for people."""
    return {
        "layer": row.layer,
        "name": row.name or "(the model itself)",
        "n": row.n,
        "d": row.d,
        "cosine": _short(row.cosine),
        "eff. rank": _short(row.effective_rank),
        "stable": _short(row.stable_rank),
        "norm": _short(row.norm),
        "grad q": _short(row.query_gradient),
        "grad k": _short(row.key_gradient),
        "grad v": _short(row.value_gradient),
        "logit std": _short(row.logit_std),
        "entropy": _short(row.attention_entropy),
        "uniform": _short(row.uniform_entropy),
        "mask": row.mask,
        "logits": row.logits,
    }


def _short(value: float | None) -> str | None:
    return None if value is None else f"{value:.{SHOWN_DIGITS}g}"
