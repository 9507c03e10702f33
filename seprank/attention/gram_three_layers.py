"""The bidegree blocks of three layers, pair by pair, as products of short polynomials in t.

With ``P = M_1(G)`` the Gram matrix after one layer is the cubic ``S(G) = P G P^T``, and
``S(G_A + t G_B) = S(G_A) + t DS(G_A)[G_B] + t^2 DS(G_B)[G_A] + t^3 S(G_B)``: only two orders need pairs, and each is a
product of inner length ``s = dx (dx + 1) / 2``. All that layers 2 and 3 read is linear in S:
``y = sum_h <S u_h, c_h (Q_h M_2 P x)>`` with ``u_h = M_2^T v_h``, ``c_h = M_2^T K_h^T`` and the matrix ``Q_h M_2``,
so one matrix `lift` makes everything from the s numbers of S. The rest is a product of polynomials in t, of which a
block takes one coefficient. Derived from levine2020depth, eq. 3 and 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from seprank.attention.gram_exact import Floats, Residues, Scratch, centred, product, reduced
from seprank.attention.gram_float_kernels import CHUNK, three_layer_tile


@dataclass(frozen=True, eq=False)
class RowsOfThree:
    """Side A: ``P x`` (R, dx), tokens (R, dx), ``G`` (R, s), order 0 of the state (R, n), ``lift DS(G)`` (n, R, s)."""

    z: Floats
    x: Floats
    gram: Floats
    low: Floats
    slope: Floats


@dataclass(frozen=True, eq=False)
class ColumnsOfThree:
    """Side B: ``P`` (dx, dx, T), ``G`` (s, T), order 3 of the state (n, T), ``lift DS(G)`` (n, s, T)."""

    first: Floats
    gram: Floats
    high: Floats
    slope: Floats


@dataclass(frozen=True, eq=False)
class ThreeLayers:
    """The form for given weights.

    `basis` (s, dx, dx) are the symmetric matrices ``E_m``, `first` (s, dx, dx) their ``M_1(E_m)``, `lift` (n, s) makes
    the state from S, `source` says which entry of the state stands where, and `sizes` is ``(H, da, dx)``.
    """

    basis: Floats
    first: Floats
    lift: Floats
    source: Residues
    sizes: tuple[int, int, int]
    prime: int

    def side_a(self, x: Residues, gram: Residues, first: Residues) -> RowsOfThree:
        """What tiles need of assignments of side A: tokens (R, dx), ``G`` and ``M_1(G)^T`` (R, dx, dx)."""
        p, tokens = self.prime, centred(x, self.prime)
        P = centred(first, p).transpose(0, 2, 1)
        numbers, state, slope = self._side(gram, P)
        z = product(P, tokens[:, :, None], p)[:, :, 0]
        return RowsOfThree(z, tokens, numbers, state, np.ascontiguousarray(slope.transpose(1, 0, 2)))

    def side_b(self, gram: Residues, first: Residues) -> ColumnsOfThree:
        """What tiles need of assignments of side B: ``G`` and ``M_1(G)^T`` (R, dx, dx)."""
        P = centred(first, self.prime).transpose(0, 2, 1)
        numbers, state, slope = self._side(gram, P)
        parts = (P.transpose(1, 2, 0), numbers.T, state.T, slope.transpose(1, 2, 0))
        return ColumnsOfThree(*(np.ascontiguousarray(part) for part in parts))

    def tile(
        self, A: RowsOfThree, B: ColumnsOfThree, columns: slice, orders: tuple[int, ...], scratch: Scratch
    ) -> Mapping[int, Floats]:
        """Residues of the blocks `orders` for all rows of `A` and some columns of `B`."""
        count = B.gram[:, columns].shape[1]
        shape = (len(A.x), -(-count // CHUNK) * CHUNK)
        raw = scratch.array("raw", 2, len(self.lift), *shape)
        raw[:, :, :, count:] = 0
        np.matmul(A.slope, B.gram[:, columns], out=raw[0, :, :, :count])
        np.matmul(A.gram, B.slope[:, :, columns], out=raw[1, :, :, :count])
        crossed, high = np.zeros((self.sizes[2], *shape)), np.zeros((len(self.lift), shape[1]))
        crossed[:, :, :count] = product(A.x, B.first[:, :, columns], self.prime)
        high[:, :count] = B.high[:, columns]
        found = np.empty((len(orders), *shape))
        plan = (self.source, np.array(orders))
        three_layer_tile(A.low, raw, high, (A.z, crossed), plan, self.sizes, found, float(self.prime))
        return {k: np.ascontiguousarray(values[:, :count]) for k, values in zip(orders, found, strict=True)}

    def _side(self, gram: Residues, P: Floats) -> tuple[Floats, Floats, Floats]:
        """``G`` as s numbers, the state at ``S(G)`` (R, n), and the slope ``lift DS(G)`` (R, n, s)."""
        p = self.prime
        G = centred(gram, p)
        rows, columns = np.triu_indices(self.sizes[2])
        turned = product(G, P.transpose(0, 2, 1), p)
        cubic = product(P, turned, p)[:, rows, columns]
        outer = product(self.first, turned[:, None], p)
        inner = product(product(P[:, None], self.basis, p), P.transpose(0, 2, 1)[:, None], p)
        slope = reduced(outer + outer.transpose(0, 1, 3, 2) + inner, p)[:, :, rows, columns]
        numbers = np.ascontiguousarray(G[:, rows, columns])
        return numbers, product(cubic, self.lift.T, p), product(self.lift, slope.transpose(0, 2, 1), p)


def symmetric_basis(dx: int) -> Residues:
    """The matrices ``E_ij`` for ``i <= j``, whose coefficients in a symmetric matrix are its entries ``ij``."""
    rows, columns = np.triu_indices(dx)
    basis = np.zeros((len(rows), dx, dx), np.int64)
    basis[np.arange(len(rows)), rows, columns] = 1
    basis[np.arange(len(rows)), columns, rows] = 1
    return basis


def lift_and_source(second: Floats, key: Floats, query: Floats, rows: Floats, prime: int) -> tuple[Floats, Residues]:
    """`lift` and `source` of `ThreeLayers` from ``M_2(E_m)^T`` (s, dx, dx) and the weights of layer 3.

    The state lists S row by row, then the ``u_h``, then the columns of all ``c_h``, then the rows of all ``Q_h M_2``.
    """
    s, dx = second.shape[0], second.shape[1]
    places = np.zeros((dx, dx), np.int64)
    places[np.triu_indices(dx)] = np.arange(s)
    places = np.maximum(places, places.T)
    u = product(rows, second.transpose(0, 2, 1), prime)
    c = product(key, second.transpose(0, 2, 1), prime)
    q = product(query, second.transpose(0, 2, 1), prime)
    lift = np.concatenate([np.eye(s), *(part.reshape(s, -1).T for part in (u, c, q))])
    source = np.concatenate([places.reshape(-1), np.arange(s, len(lift))])
    return np.ascontiguousarray(lift), source
