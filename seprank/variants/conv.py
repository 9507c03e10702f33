"""A convolutional arithmetic circuit, a binary tree that multiplies neighbours: the variant ``conv``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seprank.errors import InvalidInput
from seprank.field.draw import residues
from seprank.separation.network import Network
from seprank.validate import whole_number
from seprank.variants.bonds import tree_bound
from seprank.variants.circuit_products import combined, inputs, multiplied, row_by_row
from seprank.variants.costs import circuit_memory
from seprank.variants.variant import Grading, Variant, upper_from_blocks
from seprank.variants.words import checked_order, sides

Residues = NDArray[np.int64]
TREE = "all weights; ranks between the sides followed from the leaves to the root"


def conv(dx: int, width: int, order: str) -> Variant:
    """The circuit of `width` channels on the positions of `order`, whose number is a power of 2.

    Every position maps its token to `width` channels; then, layer after layer, neighbours multiply their channels and
    a matrix mixes them; a row reads the root. Matrices are shared by the nodes of a layer: the stream "C0" fills
    ``(width, dx)``, "C" the ``(layers - 1, width, width)`` between and "c" the last row. The output is linear in every
    token. Source: cohen2017inductive. Raises `InvalidInput` for a bad word.

    >>> from seprank.variants.measure import variant_rank
    >>> [variant_rank(conv(3, 4, order)).rank for order in ("AABB", "ABAB")]
    [4, 9]
    """
    dx, width, order = whole_number("dx", dx), whole_number("width", width), checked_order(order)
    layers = len(order).bit_length() - 1
    if len(order) != 2**layers:
        raise InvalidInput(f"order must have 2, 4, 8, ... letters for the variant conv, got {len(order)}")

    def network(prime: int, seed: int) -> Network:
        first = residues(seed, "C0", (width, dx), prime)
        middle = residues(seed, "C", (layers - 1, width, width), prime)
        return Tree(order, (first, *middle), residues(seed, "c", (1, width), prime), prime)

    NB = order.count("B")
    bound = tree_bound(order, dx, width)
    return Variant(
        network,
        dx,
        sides(order),
        "conv",
        {"dx": dx, "width": width},
        order=order,
        grading=Grading(NB, 1, 1, len(order)),
        bounds=(upper_from_blocks("tree", (bound,), TREE),),
        cost=2 * len(order) * width**2,
        memory=circuit_memory(width * (dx + width * layers)),
    )


@dataclass(frozen=True, eq=False)
class Tree:
    """The circuit with the matrices of its layers and the row that reads the root, modulo `prime`."""

    order: str
    matrices: tuple[Residues, ...]
    row: Residues
    prime: int

    def __call__(self, tokens_A: Residues, tokens_B: Residues, /) -> Residues:
        return row_by_row(self._values, tokens_A, tokens_B, self.row.size)

    def _values(self, tokens_A: Residues, tokens_B: Residues) -> Residues:
        nodes = inputs(self.order, tokens_A, tokens_B)
        for matrix in self.matrices:
            nodes = [combined(matrix, node, self.prime) for node in nodes]
            nodes = [multiplied(*pair, self.prime) for pair in zip(nodes[::2], nodes[1::2], strict=True)]
        return combined(self.row, nodes[0], self.prime)[0]
