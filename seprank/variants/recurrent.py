"""A recurrent arithmetic circuit, whose state is multiplied by every token: the variant ``recurrent``."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from seprank.closed_forms.combinatorics import multiset
from seprank.errors import TooLarge
from seprank.field.draw import residues
from seprank.separation.network import Network
from seprank.validate import whole_number
from seprank.variants.bonds import chain_bound
from seprank.variants.circuit_products import combined, inputs, multiplied, row_by_row
from seprank.variants.costs import circuit_memory
from seprank.variants.variant import Grading, Upper, Variant, upper_from_blocks
from seprank.variants.words import checked_order, runs, sides

Residues = NDArray[np.int64]
CHAIN = "all weights, one layer; ranks between the sides followed along the chain"
STATE = "all weights; the second run sees the first through the state at its end"
MONOMIALS = "all weights; the number of monomials of the forms that layer 1 sees of the tokens of a side"
MOST_DEGREE = 10_000


def recurrent(dx: int, width: int, order: str, L: int = 1) -> Variant:
    """The circuit of `L` layers with states of `width` entries that takes in the positions of `order` in turn.

    Layer l has the state ``h_t = (I_l u_t) * (R_l h_{t-1})``, entry by entry, ``h_1 = I_l u_1``, where u_t is the
    token or the state of the layer below; a row reads the last state of the last layer. The stream "I0" fills
    ``(width, dx)``, "I" the input matrices of the other layers, "R" the ``(L, width, width)`` and "r" the row.
    Position t enters with degree ``binom(T - t + L - 1, L - 1)``. Source: levine2018memory. Raises `InvalidInput`
    for a bad word and `TooLarge` for a degree above 10,000.

    >>> from seprank.variants.measure import variant_rank
    >>> [variant_rank(recurrent(2, 3, "AAABBB", L)).rank for L in (1, 2)]
    [3, 24]
    """
    dx, width, L = whole_number("dx", dx), whole_number("width", width), whole_number("L", L)
    order = checked_order(order)
    if L > MOST_DEGREE or comb(len(order) + L - 1, L) > MOST_DEGREE:
        raise TooLarge(f"the degree of the output must be at most {MOST_DEGREE}, got binom(T + L - 1, L) for L = {L}")

    def network(prime: int, seed: int) -> Network:
        first = residues(seed, "I0", (width, dx), prime)
        others = residues(seed, "I", (L - 1, width, width), prime)
        again = residues(seed, "R", (L, width, width), prime)
        return Chain(order, (first, *others), tuple(again), residues(seed, "r", (1, width), prime), prime)

    degrees = token_degrees(len(order), L)
    degree_B = sum(degree for degree, side in zip(degrees, order, strict=True) if side == "B")
    return Variant(
        network,
        dx,
        sides(order),
        "recurrent",
        {"L": L, "dx": dx, "width": width},
        order=order,
        grading=Grading(degree_B, 1, 1, sum(degrees)),
        bounds=_uppers(dx, width, order, L),
        cost=4 * L * len(order) * width**2,
        memory=circuit_memory(width * (dx + 2 * L * width)),
    )


def token_degrees(T: int, L: int) -> list[int]:
    """The degree of the output in the token of every position.

    >>> token_degrees(4, 2)
    [4, 3, 2, 1]
    """
    return [comb(T - t + L - 1, L - 1) for t in range(1, T + 1)]


@dataclass(frozen=True, eq=False)
class Chain:
    """The circuit with the input and recurrent matrices of its layers and the row that reads it, modulo `prime`."""

    order: str
    enter: tuple[Residues, ...]
    again: tuple[Residues, ...]
    row: Residues
    prime: int

    def __call__(self, tokens_A: Residues, tokens_B: Residues, /) -> Residues:
        return row_by_row(self._values, tokens_A, tokens_B, self.row.size)

    def _values(self, tokens_A: Residues, tokens_B: Residues) -> Residues:
        states: list[Residues] = []
        for t, vector in enumerate(inputs(self.order, tokens_A, tokens_B)):
            for layer, matrix in enumerate(self.enter):
                vector = combined(matrix, vector, self.prime)
                if t:
                    again = combined(self.again[layer], states[layer], self.prime)
                    vector = multiplied(vector, again, self.prime)
                    states[layer] = vector
                else:
                    states.append(vector)
        return combined(self.row, states[-1], self.prime)[0]


def _uppers(dx: int, width: int, order: str, L: int) -> tuple[Upper, ...]:
    counts = {"A": 1, "B": 1}
    for side, degree in zip(order, token_degrees(len(order), L), strict=True):
        counts[side] *= multiset(min(dx, width), degree)
    found = [("monomials", min(counts.values()), MONOMIALS)]
    if L == 1:
        found.insert(0, ("chain", chain_bound(order, dx, width), CHAIN))
    elif len(runs(order)) == 2:
        rest = order.count(order[-1])
        state = prod(multiset(width, comb(rest - 1 + L - l, L - l)) for l in range(1, L + 1))
        found.insert(0, ("state", state, STATE))
    return tuple(upper_from_blocks(id, (value,), scope) for id, value, scope in found)
