"""Attention evaluated token by token, modulo a prime: with a causal mask, with a feed-forward block, or with both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from seprank.attention.gram_kernels import Field, field_constants
from seprank.attention.weights import Weights
from seprank.field.kernels import run_tiles
from seprank.field.products import matmul
from seprank.variants.token_kernels import add_square, applied, mapped, power

Residues = NDArray[np.int64]
_ENTRIES, _COLUMNS = 2**20, 256  # residues held for a tile of pairs, and its most columns


@dataclass(frozen=True, eq=False)
class FeedForward:
    """What follows the attention of a layer: ``z -> down (up z)^power``, the power entry by entry."""

    up: Residues
    down: Residues
    power: int


@dataclass(frozen=True, eq=False)
class Layer:
    """Attention as ``x -> sum_h outer_h G inner_h x``: `inner` holds ``K_h^T Q_h`` below one another, `outer`
    ``O_h V_h`` side by side; then a feed-forward block, if there is one."""

    inner: Residues
    outer: Residues
    feed_forward: FeedForward | None = None


@dataclass(frozen=True, eq=False)
class TokenNetwork:
    """Entry 0 at position `read` of a network on positions whose sides are the letters of `order`, modulo `prime`.

    With `causal`, position i attends to positions j <= i only. Called with the tokens of A and of B in their order,
    shapes ``(RA, NA, dx)`` and ``(RB, NB, dx)``, it returns residues ``(RA, RB)``.
    """

    layers: tuple[Layer, ...]
    order: str
    read: int
    causal: bool
    prime: int

    def __call__(self, tokens_A: Residues, tokens_B: Residues, /) -> Residues:
        values = np.empty((len(tokens_A), len(tokens_B)), np.int64)

        def fill(tile: tuple[slice, slice]) -> None:
            rows, columns = tile
            x = self._paired(tokens_A[rows], tokens_B[columns])
            values[tile] = self._output(x).reshape(values[tile].shape)

        run_tiles(fill, self._tiles(*values.shape))
        return values

    def _tiles(self, rows: int, columns: int) -> Iterator[tuple[slice, slice]]:
        """Rows and columns of tiles of so many pairs that what is held for them stays in the cache."""
        inner, dx = self.layers[0].inner.shape
        pairs = max(1, _ENTRIES // (dx**2 + 2 * len(self.order) * dx + 2 * inner))
        wide = min(_COLUMNS, pairs)
        return product(_slices(rows, max(1, pairs // wide)), _slices(columns, wide))

    def _paired(self, tokens_A: Residues, tokens_B: Residues) -> list[Residues]:
        """The tokens of every pair, one array ``(dx, T)`` for each position."""
        rows, columns = len(tokens_A), len(tokens_B)
        side_A = iter(np.moveaxis(np.repeat(tokens_A, columns, axis=0), 0, -1))
        side_B = iter(np.moveaxis(np.tile(tokens_B, (rows, 1, 1)), 0, -1))
        return [np.ascontiguousarray(next(side_A if side == "A" else side_B)) for side in self.order]

    def _output(self, x: list[Residues]) -> Residues:
        field = field_constants(self.prime)
        for number, layer in enumerate(self.layers):
            last = number == len(self.layers) - 1
            x = self._layer(layer, x, [self.read] if last else range(len(x)), field)
        return x[0][0]

    def _layer(self, layer: Layer, x: list[Residues], wanted: range | list[int], field: Field) -> list[Residues]:
        """The output of a layer at the positions `wanted`."""
        gram = np.zeros((x[0].shape[0], *x[0].shape), np.int64)
        found = []
        if not self.causal:
            for token in x:
                add_square(token, gram, field)
        for i, token in enumerate(x):
            if self.causal:
                add_square(token, gram, field)
            if i in wanted:
                found.append(_attended(layer, token, gram, field))
        return found


def layers_of(weights: Weights, prime: int, feed_forward: tuple[FeedForward, ...] | None = None) -> tuple[Layer, ...]:
    """The layers of `weights`, with a feed-forward block each where they are given."""
    found = []
    for number, layer in enumerate(zip(*weights.as_residues(prime), strict=True)):
        heads = list(zip(*layer, strict=True))
        inner = np.concatenate([matmul(key.T, query, prime) for query, key, _, _ in heads])
        outer = np.concatenate([matmul(output, value, prime) for _, _, value, output in heads], axis=1)
        found.append(Layer(inner, np.ascontiguousarray(outer), feed_forward[number] if feed_forward else None))
    return tuple(found)


def _attended(layer: Layer, x: Residues, gram: Residues, field: Field) -> Residues:
    d, T = x.shape
    asked = np.empty((layer.inner.shape[0], T), np.int64)
    mapped(layer.inner, x, asked, field)
    seen = np.empty_like(asked)
    for start in range(0, len(asked), d):
        applied(gram, asked[start : start + d], seen[start : start + d], field)
    out = np.empty_like(x)
    mapped(layer.outer, seen, out, field)
    return out if layer.feed_forward is None else _fed_forward(layer.feed_forward, out, field)


def _fed_forward(block: FeedForward, x: Residues, field: Field) -> Residues:
    inner = np.empty((len(block.up), x.shape[1]), np.int64)
    mapped(block.up, x, inner, field)
    power(inner, block.power, field)
    out = np.empty_like(x)
    mapped(block.down, inner, out, field)
    return out


def _slices(count: int, step: int) -> list[slice]:
    return [slice(start, min(start + step, count)) for start in range(0, count, step)]
