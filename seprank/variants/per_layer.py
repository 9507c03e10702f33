"""Another number of heads in every layer: the variant ``heads``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.attention.weights import Weights
from seprank.errors import InvalidInput
from seprank.field.draw import residues
from seprank.separation.network import Network, network_function
from seprank.validate import whole_number
from seprank.variants.costs import gram_cost, gram_memory, refuse_deep
from seprank.variants.reported import FORM, failing, plain_uppers
from seprank.variants.variant import Grading, Upper, Variant

ISOTROPIC = "proved for one head in every layer only"


def per_layer_weights(dx: int, heads: Sequence[int], prime: int, seed: int) -> Weights:
    """Random weights with ``heads[l]`` heads of size ``dx / heads[l]`` in layer l, padded to one shape with zeros.

    The streams "Q", "K", "V", "O" are filled layer by layer, each with ``dx**2`` residues in the order of that layer's
    own shape, so that equal numbers of heads give the weights of `random_weights`.
    """
    heads = checked_heads(dx, heads)
    L, H, da = len(heads), max(heads), dx // min(heads)
    padded = {name: np.zeros((L, H, da, dx), np.int64) for name in "QKV"} | {"O": np.zeros((L, H, dx, da), np.int64)}
    for name, array in padded.items():
        for layer, (count, drawn) in enumerate(zip(heads, residues(seed, name, (L, dx * dx), prime), strict=True)):
            size = dx // count
            if name == "O":
                array[layer, :count, :, :size] = drawn.reshape(count, dx, size)
            else:
                array[layer, :count, :size] = drawn.reshape(count, size, dx)
    return Weights(Architecture(L, dx, H, da), *padded.values())


def per_layer(dx: int, heads: Sequence[int], partition: Partition | None = None) -> Variant:
    """The network with ``heads[l]`` heads of size ``dx / heads[l]`` in layer l.

    The Gram bound does not depend on the heads at all and the staircase bound on those of layer 1 only, so both hold as
    for that number of heads in every layer. Raises `InvalidInput` unless every number of heads divides `dx`.

    >>> from seprank.variants.measure import variant_rank
    >>> variant_rank(per_layer(4, [4, 1])).rank, variant_rank(per_layer(4, [1, 4])).rank
    (85, 110)
    """
    heads = checked_heads(dx, heads)
    refuse_deep(len(heads))
    first = Architecture(len(heads), dx, heads[0])
    sides = partition or Partition(dx, dx)
    wide = Architecture(len(heads), dx, max(heads), dx // min(heads))

    def network(prime: int, seed: int) -> Network:
        return network_function(per_layer_weights(dx, heads, prime, seed), prime)

    return Variant(
        network,
        dx,
        sides,
        "heads",
        {"L": len(heads), "dx": dx, "per_layer": list(heads)},
        gram=first.C,
        grading=Grading(0, 2, first.C + 1, first.degree) if first.L <= 7 else None,
        bounds=_uppers(first, heads, sides),
        cost=gram_cost(wide),
        memory=gram_memory(wide, sides),
    )


def checked_heads(dx: int, heads: Sequence[int]) -> list[int]:
    """`heads` as whole numbers that divide `dx`, at least one; raises `InvalidInput` otherwise."""
    dx = whole_number("dx", dx)
    counts = [whole_number("per-layer", count) for count in heads]
    if not counts:
        raise InvalidInput("per-layer must have a number of heads for every layer, got none")
    for count in counts:
        if dx % count:
            raise InvalidInput(f"per-layer must hold numbers of heads that divide dx, got {count} for dx={dx}")
    return counts


def _uppers(first: Architecture, heads: Sequence[int], sides: Partition) -> tuple[Upper, ...]:
    found = plain_uppers(first, sides, FORM)
    if set(heads) == {1}:
        return found
    good = tuple(bound for bound in found if bound.id != "isotropic")
    return good + failing((bound for bound in found if bound.id == "isotropic"), ISOTROPIC)
