"""The bidegree blocks of a network, modulo a prime, with certified ranks.

A network without residual layers is a sum ``y = y_0 + ... + y_C``, where ``y_k`` has degree ``k`` in the Gram
matrix of side B; different ``k`` share no monomial on either side, so the separation rank is the sum of the
ranks of the blocks. Scaling the side B tokens by ``t`` gives ``sum_k t^(2k) y_k``, and the blocks follow by
interpolation in ``t^2``. Derived from levine2020depth, eq. 3 and 4, and Claim 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from seprank.errors import InvalidInput, OutOfScope
from seprank.field.elimination import Pivots, pivots
from seprank.field.primes import check_prime
from seprank.separation.full import MEMORY, Progress, Residues, check_memory, strips
from seprank.separation.interpolation import interpolation_matrix
from seprank.separation.network import Network, network_values, side_tokens
from seprank.validate import whole_number

Size = int | tuple[int, int] | None


def block_matrices(
    network: Network,
    tokens_A: ArrayLike,
    tokens_B: ArrayLike,
    sizes: Sequence[Size],
    prime: int,
    *,
    memory: int = MEMORY,
    progress: Progress | None = None,
) -> Iterator[tuple[int, Residues]]:
    """Pairs ``(k, matrix of y_k)``, residues in ``0..prime-1``, evaluating no more than each block needs.

    Parameters
    ----------
    network : without residual layers; the side B tokens given to it are scaled by ``0..C``.
    tokens_A, tokens_B : shapes ``(RA, NA, dx)`` and ``(RB, NB, dx)``; block `k` uses the first rows of each.
    sizes : one entry for each block ``k = 0..C``: a number of rows and columns, a pair ``(rows, columns)``, or
        None to leave the block out. Its length fixes ``C``, which is ``(3**L - 1) / 2`` for depth ``L``.
    memory : bytes of block matrices held at once. Blocks that fit together share their evaluations;
        otherwise they come in groups, largest blocks first.
    progress : called as ``progress(done, total)`` with counts of evaluated entries.

    Raises `InvalidInput` for a prime below ``3**L`` or sizes beyond the tokens, `OutOfScope` for a network that is
    not homogeneous of degree ``2 C + 1`` and even in side B (residual layers, for one), `TooLarge` when
    a block alone needs more than `memory` bytes.
    """
    prime = check_prime(prime)
    tokens_A, tokens_B = side_tokens(tokens_A, tokens_B, prime)
    if len(sizes) < 1:
        raise InvalidInput("sizes must have an entry for every block 0..C, got none")
    limits = (len(tokens_A), len(tokens_B))
    shapes = {k: _shape(k, size, limits) for k, size in enumerate(sizes) if size is not None}
    for k, shape in shapes.items():
        check_memory(f"block {k}", shape, memory)
    sides = _Sides(network, tokens_A, tokens_B, prime, len(sizes) - 1)
    sides.check()
    return _grouped(sides, _groups(shapes, memory), progress)


def block_ranks(
    network: Network,
    tokens_A: ArrayLike,
    tokens_B: ArrayLike,
    sizes: Sequence[Size],
    prime: int,
    *,
    memory: int = MEMORY,
    progress: Progress | None = None,
) -> list[Pivots | None]:
    """Rank and pivots of every block, None for the blocks left out; arguments and errors as `block_matrices`.

    Each rank is a lower bound on the rank of ``y_k`` for almost all weights, proved by the minor that its
    pivots name; the sum over all blocks is a lower bound on the separation rank.

    >>> from seprank.attention.architecture import Architecture
    >>> from seprank.attention.partition import Partition
    >>> from seprank.attention.weights import random_weights
    >>> from seprank.separation.assignments import draw_assignments
    >>> from seprank.separation.network import network_function
    >>> network = network_function(random_weights(Architecture(L=1, dx=2), 4194301, seed=0), 4194301)
    >>> A, B = draw_assignments(Partition(1, 1), dx=2, prime=4194301, seed=0, count=5)
    >>> [found.rank for found in block_ranks(network, A, B, sizes=[5, 5], prime=4194301)]
    [1, 2]
    """
    found: list[Pivots | None] = [None] * len(sizes)
    blocks = block_matrices(network, tokens_A, tokens_B, sizes, prime, memory=memory, progress=progress)
    for k, matrix in blocks:
        found[k] = pivots(matrix, prime)
    return found


@dataclass(frozen=True)
class _Sides:
    """A network with its assignments; `values` is the matrix with side B scaled by ``t``."""

    network: Network
    tokens_A: Residues
    tokens_B: Residues
    prime: int
    C: int

    def values(self, rows: slice, columns: int, t: int) -> Residues:
        tokens_B = self.tokens_B[:columns] * t % self.prime
        return network_values(self.network, self.tokens_A[rows], tokens_B, self.prime)

    def check(self) -> None:
        """Refuse primes and networks for which interpolation does not give the blocks."""
        degree = 2 * self.C + 1
        if self.prime <= degree:
            raise InvalidInput(f"prime must exceed {_power_of_three(degree)} for the block method, got {self.prime}")
        if getattr(self.network, "residual", False):
            raise OutOfScope(
                "blocks need a homogeneous network and residual layers are not homogeneous: use the full rank"
            )
        few_A, few_B = self.tokens_A[:2], self.tokens_B[:2]
        few = _Sides(self.network, few_A, few_B, self.prime, self.C)
        tripled = _Sides(self.network, few_A * 3 % self.prime, few_B * 3 % self.prime, self.prime, self.C)
        values, every = few.values(slice(2), 2, 1), slice(2)
        expected = values * pow(3, degree, self.prime) % self.prime
        if (tripled.values(every, 2, 1) != expected).any() or (few.values(every, 2, -1) != values).any():
            raise OutOfScope(
                f"blocks need a network of degree {degree} in all tokens that is even in those of side B, "
                f"for {self.C + 1} blocks; this one is not"
            )


def _power_of_three(degree: int) -> str:
    L = 0
    while 3**L < degree:
        L += 1
    return f"3**L = {degree}" if 3**L == degree else f"2*C + 1 = {degree}"


def _grouped(
    sides: _Sides, groups: list[dict[int, tuple[int, int]]], progress: Progress | None
) -> Iterator[tuple[int, Residues]]:
    nodes = [t * t for t in range(sides.C + 1)]
    weights = interpolation_matrix(nodes, sides.prime)
    chunk = (2**63 - sides.prime) // (sides.prime - 1) ** 2  # products that a residue and int64 can take
    steps = [list(_steps(group)) for group in groups]
    total = sum((rows.stop - rows.start) * columns for group in steps for rows, columns in group) * len(nodes)
    done = 0
    for group, group_steps in zip(groups, steps, strict=True):
        matrices = {k: np.zeros(shape, np.int64) for k, shape in group.items()}
        for rows, columns in group_steps:
            for t in range(len(nodes)):
                values = sides.values(rows, columns, t)
                for k, matrix in matrices.items():
                    part = matrix[rows]
                    part += values[: part.shape[0], : part.shape[1]] * weights[k][t]
                    if (t + 1) % chunk == 0 or t == sides.C:
                        part %= sides.prime
                done += values.size
                if progress is not None:
                    progress(done, total)
        for k in sorted(matrices):
            yield k, matrices.pop(k)


def _steps(group: Mapping[int, tuple[int, int]]) -> Iterator[tuple[slice, int]]:
    """Strips of rows, each with the number of columns that the blocks reaching into it need."""
    height, width = (max(shape[axis] for shape in group.values()) for axis in (0, 1))
    for rows in strips(height, width):
        yield rows, max(columns for count, columns in group.values() if count > rows.start)


def _groups(shapes: Mapping[int, tuple[int, int]], memory: int) -> list[dict[int, tuple[int, int]]]:
    """The blocks, largest first, cut where the matrices of a group would pass `memory` bytes."""
    groups: list[dict[int, tuple[int, int]]] = []
    room = -1
    for k, shape in sorted(shapes.items(), key=lambda item: -item[1][0] * item[1][1]):
        need = 8 * shape[0] * shape[1]
        if need > room:
            groups.append({})
            room = memory
        groups[-1][k] = shape
        room -= need
    return groups


def _shape(k: int, size: int | tuple[int, int], limits: tuple[int, int]) -> tuple[int, int]:
    pair = size if isinstance(size, tuple) else (size, size)
    rows, columns = (whole_number(f"sizes[{k}]", value, most=limit) for value, limit in zip(pair, limits, strict=True))
    return rows, columns
