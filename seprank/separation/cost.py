"""What a rank costs in memory and time, known before it starts: what cannot fit is refused instead of killed."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

from seprank.attention.architecture import Architecture
from seprank.attention.gram_blocks import by_coefficients, work_bytes
from seprank.attention.partition import Partition
from seprank.field.primes import DEFAULT_PRIME
from seprank.field.roads import PANEL, elimination_bytes, exact_dtypes

BYTES_PER_ENTRY = 24  # of a matrix of residues: itself, the working copy of its elimination, and its temporaries
TEMPORARIES = 2**26  # bytes of products, strips and tiles, whatever the size


@dataclass(frozen=True)
class Memory:
    """Bytes of a measurement as a function of the points sampled per side.

    `fixed` is there whatever is sampled (the weights, for one), `per_point` is needed for every assignment of both
    sides, and a matrix of as many rows and columns as points comes on top, with `per_entry` bytes for each entry.
    """

    fixed: int
    per_point: int
    per_entry: int = BYTES_PER_ENTRY

    def needed(self, points: int) -> int:
        """Bytes for that many points per side."""
        return self.fixed + self.per_point * points + self.per_entry * points**2

    def most_points(self, room: int) -> int:
        """The most points that fit in `room` bytes, 0 when none does.

        >>> memory = Memory(fixed=1000, per_point=100)
        >>> memory.most_points(memory.needed(77)), memory.most_points(1000)
        (77, 0)
        """
        rest = room - self.fixed
        if rest < 0:
            return 0
        root = isqrt(self.per_point**2 + 4 * self.per_entry * rest)
        return (root - self.per_point) // (2 * self.per_entry)


def sampling_memory(
    arch: Architecture, partition: Partition, blocks: int = 0, prime: int = DEFAULT_PRIME, threads: int = 1
) -> Memory:
    """Memory for the Gram form at random assignments, and for `blocks` blocks, one of them held at a time.

    Numbers take 8 bytes. Weights are held as drawn, as residues and as products; tokens as drawn and as
    residues; of every assignment the Gram matrix and the first layer's matrix are held, scaled and not. The matrix is
    evaluated into the floating-point numbers that its elimination destroys, so an entry takes 8 bytes, or 4 for a
    prime below 2**11.
    """
    per_layer = 12 * arch.H * arch.da * arch.dx + 5 * arch.H * arch.dx**2
    itemsize = exact_dtypes(prime)[0].itemsize
    panels = elimination_bytes(1, 1, exact_dtypes(prime)[0], threads)
    fixed = 2 * TEMPORARIES + 8 * arch.L * per_layer + 100 * blocks**2 + panels + work_bytes(arch, threads)
    per_point = 8 * (4 * partition.N * arch.dx + 10 * arch.dx**2) + 3 * PANEL * itemsize + 200
    return Memory(fixed, per_point, itemsize)


def grid_memory(arch: Architecture, partition: Partition, entries: int) -> int:
    """Bytes for a grid tensor: the tensor, its elimination, and a batch of explicit inputs with their scores."""
    batch = min(entries, 8192)
    weights = 16 * arch.L * 4 * arch.H * arch.da * arch.dx
    scores = 3 * partition.N**2
    tokens = 8 * partition.N * max(arch.dx, arch.da)
    return TEMPORARIES + weights + BYTES_PER_ENTRY * entries + 8 * batch * (scores + tokens)


def block_seconds(arch: Architecture, prime: int, shared: list[list[tuple[int, int]]], threads: int) -> float:
    """Rough time to evaluate blocks, in groups that share their evaluations, each with its largest shape first."""
    if by_coefficients(arch, prime):
        return sum(_group_seconds(arch, group) for group in shared) / threads
    nodes = sum(len(group) for group in shared)
    entries = sum(rows * columns for (rows, columns), *_ in shared) * (arch.C + 1)
    mixing = 4e-11 * (arch.C + 1) * sum(rows * columns for group in shared for rows, columns in group)
    return evaluation_seconds(arch, prime, entries, threads) + mixing / threads + 2e-6 * nodes**2


def _group_seconds(arch: Architecture, group: list[tuple[int, int]]) -> float:
    """Coefficients in t: what all blocks of a group share, and a little for each of them; measured on one core."""
    (rows, columns), *_ = group
    dx, H = arch.dx, arch.H
    if arch.L == 2:
        entry = 10 + 0.2 * (1 + H) * dx**2
        more = 0.2 * H * dx**2
    else:
        entry = 60 + (0.2 * dx + 4 + 2.6 * H) * dx**2 * (dx + 4) / 8
        more = 0.3 * H * dx**2
    return 1e-9 * (entry * rows * columns + more * sum(height * width for height, width in group[1:]))


def evaluation_seconds(arch: Architecture, prime: int, entries: int, threads: int) -> float:
    """Rough time for so many values by the Gram form; rates measured on one core."""
    return _in_range(entries) * _entry_operations(arch) * _slowdown(prime) * 4e-10 / threads


def elimination_seconds(sizes: list[int], prime: int, threads: int) -> float:
    """Rough time for the ranks of square matrices of these sizes; rates measured on one core."""
    work = sum(_in_range(size) ** 2 * (1.5e-11 * _in_range(size) + 2e-8) for size in sizes)
    return work * _slowdown(prime) / threads


def grid_seconds(arch: Architecture, partition: Partition, entries: int) -> float:
    """Rough time for so many entries by eq. 3 on explicit tokens."""
    N, da = partition.N, arch.da
    operations = arch.L * arch.H * (4 * N * arch.dx * da + 2 * N**2 * (da + 2))
    return _in_range(entries) * _in_range(operations) * 2e-9


def _entry_operations(arch: Architecture) -> float:
    """Multiplications for one entry, and 50 for what does not depend on the sizes."""
    L, dx, H, da = (_in_range(size) for size in (arch.L, arch.dx, arch.H, arch.da))
    if L == 1:
        return 50 + 3 * dx**2
    heads = H * dx**2 * min(2 * dx, 2 * da + 2 * da**2 / dx)
    return 50 + (3 + 3 * H) * dx**2 + 2 * H * da * dx + (L - 2) * (2 * dx**3 + heads + dx**2)


def _slowdown(prime: int) -> float:
    return 1.0 if prime < 2**27 else 2.5


def _in_range(number: int) -> float:
    """`number` as a float that can still be multiplied with others of its kind."""
    return float(min(number, 10**40))
