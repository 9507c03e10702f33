"""The best proved upper bound on every bidegree block, for comparison with measured block ranks."""

from __future__ import annotations

from dataclasses import dataclass

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.closed_forms.case import Case
from seprank.errors import InvalidInput


@dataclass(frozen=True)
class BlockBound:
    """Upper bound on the rank of block k, and which bound it is ("gram", "staircase" or "isotropic")."""

    k: int
    value: int
    id: str


def block_bounds(arch: Architecture, partition: Partition | None = None) -> list[BlockBound] | None:
    """The least proved upper bound of each block k = 0..C of a plain network, for all weights.

    The sum of the blocks is an upper bound on the separation rank, too. Returns None when there are too many
    blocks or partitions to list. Raises `InvalidInput` for a network with skip connections, which has no
    separate blocks.

    >>> from seprank import Architecture
    >>> [(bound.value, bound.id) for bound in block_bounds(Architecture(L=2, dx=4, H=2))]
    [(1, 'gram'), (10, 'gram'), (52, 'staircase'), (40, 'gram'), (4, 'gram')]
    """
    if arch.residual:
        raise InvalidInput("residual must be False for block bounds, got True: skip connections mix the blocks")
    case = Case(arch, partition)
    gram = case.gram_blocks or _long_gram_blocks(case)
    if gram is None:
        return None
    others = {"staircase": case.staircase_blocks, "isotropic": case.isotropic_blocks}
    best = [BlockBound(k, value, "gram") for k, value in enumerate(gram)]
    for id, blocks in others.items():
        for k, value in enumerate(blocks or ()):
            if value < best[k].value:
                best[k] = BlockBound(k, value, id)
    return best


def _long_gram_blocks(case: Case) -> list[int] | None:
    """Gram bounds of long input, valid at every N, where those for this N are too many to sum."""
    return Case(case.arch, None).gram_blocks
