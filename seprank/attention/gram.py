"""The Gram form: a whole matrix of output entries modulo a prime, at a cost that does not grow with N or H.

With ``G = sum_j x^j x^jT`` over all positions a layer is ``x^i -> M(G) x^i``, where ``M_l(G) = sum_h W^O W^V G
(W^K)^T W^Q``, ``G_1 = G`` and ``G_{l+1} = M_l(G_l) G_l M_l(G_l)^T``. So the output entry is
``e_p^T M_L(G_L) ... M_1(G_1) x^i`` and sees side B of a partition through its Gram matrix ``G_B`` only.
Residual layers put ``I + M_l`` for ``M_l``. Derived from levine2020depth, eq. 3 and 4.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.attention.gram_exact import centred, longest_exact
from seprank.attention.gram_exact import product as exact_product
from seprank.attention.gram_kernels import add_identity, field_constants, grid_tile, layer_map
from seprank.attention.weights import Weights, whole_residues
from seprank.errors import InvalidInput
from seprank.field.kernels import run_tiles
from seprank.field.primes import check_prime
from seprank.validate import whole_number

Residues = NDArray[np.int64]

_ROWS = 64  # rows of a tile: a few milliseconds of work, so that an interrupt is noticed at once
_TILE_VALUES = 16384  # residues in one dx x dx matrix of a tile: a handful of them stay in the cache


@dataclass(frozen=True, eq=False)
class SideA:
    """What the network sees of `R` assignments of side A: ``x`` (R, dx), ``G`` and ``M_1(G)^T`` (R, dx, dx)."""

    x: Residues
    gram: Residues
    first: Residues


@dataclass(frozen=True, eq=False)
class SideB:
    """What the network sees of `R` assignments of side B: ``G`` and ``M_1(G)^T``, each (dx, dx, R)."""

    gram: Residues
    first: Residues


class GramNetwork:
    """Output entry `entry` (from 0) of the network `weights`, as a function of two sides, modulo `prime`.

    Prepare each side once, then evaluate. Every value is exact and equals the forward pass on explicit tokens.
    Raises `InvalidInput` for an unusable prime, floating-point weights or an entry outside ``0..dx-1``.

    >>> import numpy as np
    >>> one = [[[[1]]]]
    >>> network = GramNetwork(Weights.from_arrays(one, one, one, one), prime=101)
    >>> A, B = network.side_A([[[2]], [[3]]]), network.side_B([[[1]]])
    >>> network.evaluate(A, B)
    array([[10],
           [30]])
    """

    def __init__(self, weights: Weights, prime: int, entry: int = 0) -> None:
        self.prime = check_prime(prime)
        self.weights = weights
        sizes = weights.architecture
        self.entry = whole_number("entry", entry, least=0, most=sizes.dx - 1)
        self._field = field_constants(self.prime)
        # Per head and layer: two products with dx x dx matrices, or four with da-sized ones.
        self._wide = sizes.da * (sizes.da + sizes.dx) >= sizes.dx**2
        self._layers, self._rows = _stacked(weights, self.prime, self._wide)
        query, key = (array[-1] for array in weights.as_residues(self.prime)[:2])
        self._last = (query, key, np.ascontiguousarray(self._rows[-1, :, self.entry]), self.entry)

    def side_A(self, tokens: ArrayLike) -> SideA:
        """Side A from `tokens` of shape ``(R, NA, dx)``; the output position is index 0 of the second axis.

        Raises `InvalidInput` unless the tokens are whole numbers of that shape, with `R` and `NA` at least 1.
        """
        x = self._tokens("tokens_A", tokens)
        gram = self._gram(x)
        first = self._first_layer(gram, self.weights.architecture.residual)
        by_row = (np.ascontiguousarray(np.moveaxis(array, -1, 0)) for array in (gram, first))
        return SideA(np.ascontiguousarray(x[:, 0]), *by_row)

    def side_B(self, tokens: ArrayLike) -> SideB:
        """Side B from `tokens` of shape ``(R, NB, dx)``; raises `InvalidInput` as `side_A` does."""
        gram = self._gram(self._tokens("tokens_B", tokens))
        return SideB(gram, self._first_layer(gram, False))

    def evaluate(self, A: SideA, B: SideB, scale: int = 1) -> Residues:
        """Residues of shape ``(RA, RB)``, in ``0..prime-1``, at ``G = G_A + scale * G_B``.

        `scale` is any whole number; the square of ``t`` stands for side B tokens multiplied by ``t``.
        """
        factor = int(scale) % self.prime
        gram, first = B.gram * factor % self.prime, B.first * factor % self.prime
        values = np.empty((A.x.shape[0], gram.shape[2]), np.int64)
        sizes = self.weights.architecture
        options = (sizes.L, self._wide, sizes.residual)
        middle = tuple(array[1:] for array in self._layers)

        def fill(tile: tuple[slice, slice]) -> None:
            rows, columns = tile
            side_a = (A.x[rows], A.gram[rows], A.first[rows])
            side_b = tuple(np.ascontiguousarray(array[:, :, columns]) for array in (gram, first))
            block = np.empty(values[tile].shape, np.int64)
            grid_tile(side_a, side_b, middle, self._last, options, self._field, block)
            values[tile] = block

        run_tiles(fill, product(_slices(values.shape[0], _ROWS), self._columns(values.shape[1])))
        return values

    def last_layer(self) -> tuple[Residues, Residues, Residues]:
        """``W^Q``, ``W^K`` (H, da, dx) of the last layer and the rows ``e_p^T W^O W^V`` (H, dx) of its heads."""
        query, key, rows, _ = self._last
        return query, key, rows

    def evaluate_nodes(self, A: SideA, B: SideB, scales: Iterable[int]) -> Residues:
        """`evaluate` at several scales, of shape ``(number of scales, RA, RB)``."""
        return np.stack([self.evaluate(A, B, scale) for scale in scales])

    def _tokens(self, name: str, tokens: ArrayLike) -> Residues:
        array = np.asarray(tokens)
        dx = self.weights.architecture.dx
        if array.ndim != 3 or array.shape[2] != dx or 0 in array.shape:
            raise InvalidInput(f"{name} must have shape (R, N, {dx}) with R, N at least 1, got {array.shape}")
        return whole_residues(name, array, self.prime)

    def _gram(self, x: Residues) -> Residues:
        """``G`` of every assignment, of shape ``(dx, dx, R)``."""
        total = np.zeros((x.shape[2], x.shape[2], x.shape[0]), np.int64)
        step = min(x.shape[1], longest_exact(self.prime))
        if step < 8:  # large primes
            for token in np.moveaxis(x, 0, -1):
                total = (total + token[:, None] * token[None, :]) % self.prime
            return total
        for start in range(0, x.shape[1], step):
            some = centred(x[:, start : start + step], self.prime)
            total += np.moveaxis(exact_product(some.transpose(0, 2, 1), some, self.prime), 0, -1).astype(np.int64)
        return total % self.prime

    def _first_layer(self, gram: Residues, residual: bool) -> Residues:
        """``M_1(G)^T``, or ``I + M_1(G)^T``; linear in ``G`` without the identity, hence made once per side."""
        return self.layer_map_at(0, gram, residual)

    def layer_map_at(self, layer_index: int, gram: Residues, residual: bool = False) -> Residues:
        """``M_l(G)^T`` for the layer with that index (from 0) at every ``G`` of `gram`, both (dx, dx, R)."""
        first = np.empty_like(gram)
        layer = tuple(array[layer_index] for array in self._layers)

        def fill(columns: slice) -> None:
            part = np.ascontiguousarray(gram[:, :, columns])
            out = np.empty_like(part)
            layer_map(part, layer, self._wide, out, self._field)
            if residual:
                add_identity(out, self._field)
            first[:, :, columns] = out

        run_tiles(fill, self._columns(gram.shape[2]))
        return first

    def _columns(self, count: int) -> list[slice]:
        return _slices(count, min(512, max(32, _TILE_VALUES // self.weights.architecture.dx**2)))


def _slices(count: int, step: int) -> list[slice]:
    return [slice(start, min(start + step, count)) for start in range(0, count, step)]


def _stacked(weights: Weights, prime: int, wide: bool) -> tuple[tuple[Residues, ...], Residues]:
    """The arrays ``(key, value, output, right)`` of `layer_map` for every layer, and all ``W^O W^V``."""
    query, key, value, output = weights.as_residues(prime)
    query_t = np.swapaxes(query, 2, 3)
    products = _product(output, value, prime)
    right = _product(query_t, key, prime) if wide else query_t
    side_by_side = np.concatenate(np.moveaxis(right, 1, 0), axis=-1)
    layers: list[Any] = [key, value, products if wide else output, side_by_side]
    return tuple(np.ascontiguousarray(array) for array in layers), products


def _product(a: Residues, b: Residues, prime: int) -> Residues:
    total = np.zeros((*a.shape[:-1], b.shape[-1]), np.int64)
    for k in range(a.shape[-1]):
        total = (total + a[..., k, None] * b[..., None, k, :]) % prime
    return total
