"""A small causal transformer with explicit weights and real softmax attention, in numpy or torch.

A layer is the heads, each ``softmax(Q K^T) V`` under the causal mask with ``Q = Z W_Q``, ``K = Z W_K``, ``V = Z W_V``,
and then a row-wise step that makes the next state out of the old one and the heads' outputs. There is no
``1/sqrt(m)``. Source: sanford2024log, Section 2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = Any  # a numpy array or a torch tensor; the steps use what both share
Step = Callable[[Array, Sequence[Array], "Rows"], Array]


@dataclass(frozen=True, eq=False)
class Head:
    """The three matrices of a head, shapes ``(width, m)``, ``(width, m)``, ``(width, values)``, float64."""

    W_Q: NDArray[np.float64]
    W_K: NDArray[np.float64]
    W_V: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Layer:
    """Heads that attend side by side, and the row-wise step behind them (the layer's MLP), with its name."""

    heads: tuple[Head, ...]
    step: Step
    name: str


@dataclass
class Rows:
    """What row-wise steps compute with: the array module, and the worst deviation of a rounding so far.

    `deviation` is the largest distance of a rounded number from the whole number it was rounded to, over the rows
    where it matters; the rounding is right while the true error stays below 1/2.
    """

    xp: Any
    deviation: float = 0.0

    def nearest(self, values: Array, used: Array) -> Array:
        """`values` rounded to whole numbers; rows that are `used` count for the deviation."""
        rounded = self.xp.round(values)
        self.note(self.xp.abs(values - rounded), used)
        return rounded

    def note(self, distance: Array, used: Array) -> None:
        """Take down the largest of `distance` over the rows that are `used`."""
        worst = self.xp.where(used, distance, self.xp.zeros_like(distance))
        if worst.shape and 0 not in worst.shape:
            self.deviation = max(self.deviation, float(worst.max()))

    def circle(self, state: Array, column: int, x: Array, n: int) -> None:
        """Write the point ``2 pi x / n`` of the unit circle into two columns of `state`."""
        angle = x * (2 * np.pi / n)
        state[..., column] = self.xp.cos(angle)
        state[..., column + 1] = self.xp.sin(angle)


def attend(Z: Array, W_Q: Array, W_K: Array, W_V: Array, xp: Any) -> tuple[Array, Array]:
    """The output of a head, ``(..., N, values)``, and its weights ``(..., N, N)``; row i sees rows up to i.

    >>> Z = np.ones((2, 1))
    >>> attend(Z, Z[:1], Z[:1], Z[:1], np)[1].tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    logits = (Z @ W_Q) @ (Z @ W_K).swapaxes(-1, -2)
    N = Z.shape[-2]
    seen = xp.tril(xp.ones((N, N), dtype=Z.dtype)) > 0
    weights = softmax(xp.where(seen, logits, xp.full_like(logits, -np.inf)), xp)
    return weights @ (Z @ W_V), weights


def softmax(logits: Array, xp: Any) -> Array:
    """Softmax over the last axis.

    >>> softmax(np.log([[1.0, 3.0]]), np).tolist()
    [[0.25, 0.75]]
    """
    weights = xp.exp(logits - xp.amax(logits, -1)[..., None])
    return weights / weights.sum(-1)[..., None]


@dataclass(frozen=True, eq=False)
class Run:
    """A run of a decoder: the last state, the number of layers that attended, the worst rounding, all weights."""

    state: NDArray[Any]
    depth: int
    deviation: float
    weights: tuple[tuple[NDArray[Any], ...], ...]


def run_layers(layers: Sequence[Layer], Z: NDArray[Any], keep_weights: bool = False) -> Run:
    """Apply `layers` to the state `Z` of shape ``(..., N, width)`` in numpy, in the number type of `Z`.

    The depth is counted here, one for each layer that called attention. Attention weights are kept only when asked
    for, as ``weights[layer][head]`` of shape ``(..., N, N)``.
    """
    rows, depth, kept = Rows(np), 0, []
    for layer in layers:
        found = [
            attend(Z, head.W_Q.astype(Z.dtype), head.W_K.astype(Z.dtype), head.W_V.astype(Z.dtype), np)
            for head in layer.heads
        ]
        depth += bool(found)
        Z = layer.step(Z, [output for output, _ in found], rows)
        if keep_weights:
            kept.append(tuple(weights for _, weights in found))
    return Run(Z, depth, rows.deviation, tuple(kept))
