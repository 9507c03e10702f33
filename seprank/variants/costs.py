"""Multiplications for one value of a network, for estimates of time."""

from __future__ import annotations

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.errors import TooLarge
from seprank.separation.cost import TEMPORARIES, Memory, sampling_memory

LARGEST = 10**40
MOST_DEPTH = 1000


def refuse_deep(L: int) -> None:
    """Raise `TooLarge` for a depth whose degrees and bounds alone would take long."""
    if L > MOST_DEPTH:
        raise TooLarge(f"L must be at most {MOST_DEPTH} for a variant, got {L}")


def gram_cost(arch: Architecture) -> int:
    """By the Gram form: two products of dx x dx matrices for every layer and head, and as many again."""
    return min(arch.L * (arch.H + 1) * arch.dx**3, LARGEST)


def token_cost(arch: Architecture, N: int, hidden: int = 0) -> int:
    """Token by token: the Gram matrix, the matrices of every head, and the feed-forward block."""
    return min(arch.L * N * ((3 * arch.H + 1) * arch.dx**2 + 2 * hidden * arch.dx), LARGEST)


def gram_memory(arch: Architecture, partition: Partition) -> Memory:
    """By the Gram form: weights, and the matrices of every assignment."""
    return sampling_memory(arch, partition)


def token_memory(arch: Architecture, hidden: int = 0) -> Memory:
    """Token by token: weights as drawn, as residues and as products."""
    per_layer = 12 * arch.H * arch.da * arch.dx + 5 * arch.H * arch.dx**2 + 4 * hidden * arch.dx
    return Memory(TEMPORARIES + 8 * arch.L * per_layer, 0)


def circuit_memory(entries: int) -> Memory:
    """A circuit with that many entries in its matrices."""
    return Memory(2 * TEMPORARIES + 24 * entries, 0)
