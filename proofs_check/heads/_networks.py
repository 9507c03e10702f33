"""Networks that several checkers measure, and two roads to the ranks of their blocks that share no code.

One road samples values by the library's Gram form and eliminates by its own kernels. The other builds the
matrix of all derivatives from the coefficients of the output (`proofs_check.plain.derivatives`).
"""

from __future__ import annotations

from functools import cache
from math import comb
from typing import Any, NamedTuple

import numpy as np

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.attention.weights import Weights, random_weights
from seprank.field.primes import DEFAULT_PRIME

PRIME = DEFAULT_PRIME


class Net(NamedTuple):
    """Sizes, tokens of the two sides (0: long input, dx tokens a side), and which weights."""

    L: int
    dx: int
    H: int = 1
    da: int = 0
    NA: int = 0
    NB: int = 0
    weights: str = "random"
    seed: int = 0

    @property
    def architecture(self) -> Architecture:
        """The sizes; head size dx / H unless given."""
        return Architecture(self.L, self.dx, self.H, self.da or None)  # type: ignore[arg-type]

    @property
    def sides(self) -> Partition:
        """Tokens of the two sides."""
        return Partition(self.NA or self.dx, self.NB or self.dx)

    def __str__(self) -> str:
        text = f"L={self.L} dx={self.dx} H={self.H}"
        text += f" da={self.da}" if self.da else ""
        text += f" N={self.NA}+{self.NB}" if self.NA else ""
        return text + ("" if self.weights == "random" else f" {self.weights}")


def divisors(d: int) -> list[int]:
    """The numbers of heads H that divide dx."""
    return [H for H in range(1, d + 1) if d % H == 0]


def arrays(net: Net) -> tuple[Any, Any, Any, Any]:
    """Query, key, value and output, residues modulo `PRIME`: random ones, or a special setting by name.

    "equal heads": every head of a layer is the same. "sparse": a third of the entries is 0. "shift": the networks of
    theorem C (L = 2, H = dx). "residual" stands for
    random weights in a network with skip connections, which only the last two functions of this file measure.
    """
    query, key, value, output = (array.copy() for array in random_weights(net.architecture, PRIME, net.seed))
    if net.weights == "equal heads":
        for array in (query, key, value, output):
            array[:] = array[:, :1]
    elif net.weights == "sparse":
        for array in (query, key, value, output):
            array *= (array % 3 > 0).astype(np.int64)
    elif net.weights == "shift":
        query, key, value, output = _shift(net)
    elif net.weights not in ("random", "residual"):
        raise ValueError(f"no weights are called {net.weights!r}")
    return query, key, value, output


def _shift(net: Net) -> tuple[Any, Any, Any, Any]:
    """Layer 1: M_1 = diag(G_{h,h+1}), cyclic. Layer 2: y = sum_q x_q m_q (v_q^T M_1 G M_1 k), L = 2, H = dx."""
    d = net.dx
    query = np.zeros((2, d, 1, d), np.int64)
    query[:, range(d), 0, range(d)] = 1
    key, value, output = np.zeros_like(query), np.zeros_like(query), np.zeros((2, d, d, 1), np.int64)
    key[0, range(d), 0, [(h + 1) % d for h in range(d)]] = 1
    value[0] = query[0]
    output[0, range(d), range(d), 0] = 1
    key[1], value[1] = 1, 1 + 1000 * query[1]
    output[1, :, 0, 0] = 1
    return query, key, value, output


@cache
def sampled_blocks(net: Net) -> tuple[int, ...]:
    """Block ranks by the library: values at sampled tokens through the Gram form, interpolation, own elimination."""
    from seprank.separation.assignments import draw_assignments
    from seprank.separation.blocks import block_ranks
    from seprank.separation.measure import separation_rank
    from seprank.separation.network import network_function

    arch = net.architecture
    if net.weights == "random":
        pieces = separation_rank(arch, net.sides, prime=PRIME, seed=net.seed).pieces
        return tuple(piece.rank for piece in pieces)
    s, d, C = arch.s, arch.dx, arch.C
    sizes = [min(comb(s + k - 1, k), d * comb(s + C - k - 1, C - k)) + 8 for k in range(C + 1)]
    network = network_function(Weights(arch, *arrays(net)), PRIME)
    tokens = draw_assignments(net.sides, d, PRIME, net.seed, max(sizes))
    found = block_ranks(network, *tokens, sizes, PRIME)
    return tuple(piece.rank for piece in found if piece is not None)


@cache
def derivative_blocks(net: Net) -> tuple[int, ...]:
    """Block ranks from the coefficients of the output, by python-flint: no values of the network at all."""
    from proofs_check.plain.derivatives import block_ranks, layers_of, short_block_ranks

    layers = layers_of(*arrays(net), PRIME)
    if net.sides.is_long(net.dx):
        return tuple(block_ranks(layers, 0, PRIME))
    return tuple(short_block_ranks(layers, 0, (net.sides.NA, net.sides.NB), PRIME))


def sampled_residual_rank(net: Net) -> int:
    """Whole rank with skip connections, by the library."""
    from seprank.separation.measure import separation_rank

    arch = Architecture(net.L, net.dx, net.H, net.da or None, residual=True)  # type: ignore[arg-type]
    return separation_rank(arch, net.sides, prime=PRIME, seed=net.seed).rank


def explicit_residual_rank(net: Net) -> int:
    """Whole rank with skip connections, by eq. 3 on explicit tokens in python-flint, at as many tokens as it takes."""
    from proofs_check.plain.attention import layers_modulo, output_entry
    from proofs_check.plain.ranks import value_rank
    from seprank.separation.assignments import draw_assignments

    found, points = 32, 32
    layers = layers_modulo(*arrays(net), PRIME)
    while found > points - 8:
        points += points // 2
        side_A, side_B = draw_assignments(net.sides, net.dx, PRIME, 1, points)
        found = value_rank(
            lambda tokens: output_entry(layers, tokens, PRIME, residual=True), side_A.tolist(), side_B.tolist(), PRIME
        )
    return found
