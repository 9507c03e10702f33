"""The bidegree blocks of two layers, pair by pair, from matrix products.

With ``P = M_1(G)``, which is linear in ``G = G_A + t G_B``, and ``v_h = e_p^T O_h V_h`` of the second layer,
``y = sum_h <G u_h, c_h (Q_h P x)>`` where ``u_h = P^T v_h`` and ``c_h = P^T K_h^T`` are sums of a part of side A and
``t`` times a part of side B. So ``a_h = G u_h`` and ``b_h = c_h T_h``, ``T_h = Q_h P x``, have three orders in ``t``.
Only those that mix the sides need pairs, each is a product whose inner length is dx or 2 dx, so BLAS does nearly all
of the work, and a block costs no more than its own order. Derived from levine2020depth, eq. 3 and 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from seprank.attention.gram_exact import Floats, Residues, Scratch, centred, product, reduced
from seprank.attention.gram_float_kernels import add_column_products, add_products, add_reduced_flat, add_row_products


@dataclass(frozen=True, eq=False)
class RowsOfTwo:
    """Side A: `x` (R, dx), order 0 of a, b (H, R, dx) and of ``T`` (R, m), ``c`` (R, dx, m), ``[G | u_h]`` by row."""

    x: Floats
    a: Floats
    b: Floats
    scores: Floats
    c: Floats
    left: Floats


@dataclass(frozen=True, eq=False)
class ColumnsOfTwo:
    """Side B: order 2 of a (H, dx, T), ``c``, ``Q P`` (m, dx, T), ``[u_h; G]`` by row, ``c_h Q_h P`` (H, dx, dx, T)."""

    a: Floats
    c: Floats
    q: Floats
    right: Floats
    cq: Floats


@dataclass(frozen=True, eq=False)
class TwoLayers:
    """The form for given weights of layer 2: `query` and `key` (m, dx) for all heads, `rows` (H, dx) the ``v_h``."""

    query: Floats
    key: Floats
    rows: Floats
    prime: int

    @property
    def da(self) -> int:
        """The size of a head."""
        return len(self.key) // len(self.rows)

    def side_a(self, x: Residues, gram: Residues, first: Residues) -> RowsOfTwo:
        """What tiles need of assignments of side A: tokens (R, dx), ``G`` and ``M_1(G)^T`` (R, dx, dx)."""
        p, tokens = self.prime, centred(x, self.prime)
        G, u, c, q = self._side(gram, first)
        scores = product(q, tokens[:, :, None], p)[:, :, 0]
        b = [product(c[:, :, part], scores[:, part, None], p)[:, :, 0] for part in self._heads()]
        left = np.empty((len(self.rows), x.shape[1], len(x), 2 * x.shape[1]))
        left[..., : x.shape[1]] = G.transpose(1, 0, 2)
        left[..., x.shape[1] :] = u.transpose(2, 0, 1)[:, None]
        return RowsOfTwo(tokens, _first(product(G, u, p), 2), np.stack(b), scores, c, left)

    def side_b(self, gram: Residues, first: Residues) -> ColumnsOfTwo:
        """What tiles need of assignments of side B: ``G`` and ``M_1(G)^T`` (R, dx, dx)."""
        p = self.prime
        G, u, c, q = self._side(gram, first)
        dx, count = gram.shape[1], len(gram)
        right = np.empty((len(self.rows), dx, 2 * dx, count))
        right[:, :, :dx] = u.transpose(2, 1, 0)[:, None]
        right[:, :, dx:] = G.transpose(1, 2, 0)
        cq = np.stack([product(c[:, :, part], q[:, part], p) for part in self._heads()])
        a = np.ascontiguousarray(product(G, u, p).transpose(2, 1, 0))
        return ColumnsOfTwo(a, _last(c, 2, 1), _last(q, 1, 2), right, np.ascontiguousarray(cq.transpose(0, 2, 3, 1)))

    def tile(
        self, A: RowsOfTwo, B: ColumnsOfTwo, columns: slice, orders: tuple[int, ...], scratch: Scratch
    ) -> Mapping[int, Floats]:
        """Residues of the blocks `orders` for all rows of `A` and some columns of `B`."""
        p = self.prime
        shape = (len(A.x), B.a[0, :, columns].shape[1])
        found = {k: np.zeros(shape) for k in orders}
        dx, m = A.x.shape[1], len(self.key)
        scores = product(A.x, B.q[:, :, columns], p, scratch.array("scores", m, *shape))
        for h, part in enumerate(self._heads()):
            a, b = (A.a[h], B.a[h, :, columns]), A.b[h]
            c = B.c[part, :, columns]
            if 0 in found:
                found[0] = reduced(found[0] + reduced((a[0] * b).sum(axis=1), p)[:, None], p)
            if found.keys() & {1, 2, 3}:
                crossed = product(A.left[h], B.right[h][:, :, columns], p, scratch.array("a", dx, *shape))
                one = (crossed, self._crossed_scores(A, c, scores[part], part, scratch))
                self._middle(found, a, b, c, one, scores[part], scratch)
            if found.keys() & {3, 4}:
                two = product(A.x, B.cq[h][:, :, columns], p, scratch.array("two", dx, *shape))
                if 3 in found:
                    add_products(found[3], one[0], two, p)
                if 4 in found:
                    add_column_products(found[4], two, a[1], p)
        return found

    def _middle(
        self,
        found: dict[int, Floats],
        a: tuple[Floats, Floats],
        b: Floats,
        c: Floats,
        one: tuple[Floats, Floats],
        scores: Floats,
        scratch: Scratch,
    ) -> None:
        """What the orders 1 of a and b, in `one`, add to the blocks 1, 2 and 3."""
        p = self.prime
        if 1 in found:
            add_row_products(found[1], a[0], one[1], p)
            add_row_products(found[1], b, one[0], p)
        if 2 in found:
            found[2] += product(b, a[1], p)
            add_products(found[2], *one, p)
            add_products(found[2], product(a[0], c, p, scratch.array("kept", *scores.shape)), scores, p)
        if 3 in found:
            add_column_products(found[3], one[1], a[1], p)

    def _crossed_scores(self, A: RowsOfTwo, c: Floats, scores: Floats, part: slice, scratch: Scratch) -> Floats:
        """Order 1 of b, shape (dx, R, T): ``c_B T_A + c_A T_B``."""
        shape = (A.x.shape[1], *scores.shape[1:])
        crossed, other = scratch.array("b", *shape), scratch.array("other", *shape)
        np.matmul(A.scores[:, part], c.transpose(1, 0, 2), out=crossed)
        np.matmul(A.c[:, :, part], scores.transpose(1, 0, 2), out=other.transpose(1, 0, 2))
        add_reduced_flat(crossed.reshape(-1), other.reshape(-1), float(self.prime))
        return crossed

    def _side(self, gram: Residues, first: Residues) -> tuple[Floats, Floats, Floats, Floats]:
        """``G``, ``u`` (R, dx, H), ``c`` (R, dx, m) and ``Q P`` (R, m, dx)."""
        p = self.prime
        G, turned = centred(gram, p), centred(first, p)
        u, c = product(turned, self.rows.T, p), product(turned, self.key.T, p)
        return G, u, c, product(self.query, turned.transpose(0, 2, 1), p)

    def _heads(self) -> list[slice]:
        return [slice(h * self.da, (h + 1) * self.da) for h in range(len(self.rows))]


def _first(array: Floats, axis: int) -> Floats:
    return np.ascontiguousarray(np.moveaxis(array, axis, 0))


def _last(array: Floats, *axes: int) -> Floats:
    """The axes in this order, then the assignments."""
    return np.ascontiguousarray(array.transpose(*axes, 0))
