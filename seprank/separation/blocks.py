"""The bidegree blocks of a network, modulo a prime, with certified ranks.

A network without residual layers is a sum ``y = y_0 + ... + y_C``, where ``y_k`` has degree ``k`` in the Gram
matrix of side B; different ``k`` share no monomial on either side, so the separation rank is the sum of the
ranks of the blocks. Scaling the side B tokens by ``t`` gives ``sum_k t^(2k) y_k``, and the blocks follow by
interpolation in ``t^2``; the built-in network of two or three layers gives them without
(`seprank.attention.gram_blocks`). Derived from levine2020depth, eq. 3 and 4, and Claim 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.errors import InvalidInput, OutOfScope
from seprank.field.elimination import Pivots, eliminate
from seprank.field.primes import check_prime
from seprank.field.products import matmul
from seprank.field.roads import exact_dtypes
from seprank.separation.full import MEMORY, Floats, Progress, Residues, centred, check_memory, strips
from seprank.separation.interpolation import interpolation_matrix
from seprank.separation.network import AttentionNetwork, Network, Values, prepared_values, side_tokens
from seprank.validate import whole_number

Size = int | tuple[int, int] | None

WAITING = 2**30  # bytes of blocks that wait for their elimination


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
    memory : bytes of block matrices held at once: one as floating-point numbers, others that share its evaluations as
        short integers. They come largest first, in as many groups as the memory asks for.
    progress : called as ``progress(done, total)`` with counts of evaluated entries.

    Raises `InvalidInput` for a prime below ``3**L`` or sizes beyond the tokens, `OutOfScope` for a network that is
    not homogeneous of degree ``2 C + 1`` and even in side B (residual layers, for one), `TooLarge` when
    a block alone needs more than `memory` bytes.
    """
    blocks = balanced_blocks(network, tokens_A, tokens_B, sizes, prime, memory=memory, progress=progress)
    return ((k, matrix.astype(np.int64) % prime) for k, matrix in blocks)


def balanced_blocks(
    network: Network,
    tokens_A: ArrayLike,
    tokens_B: ArrayLike,
    sizes: Sequence[Size],
    prime: int,
    *,
    memory: int = MEMORY,
    progress: Progress | None = None,
) -> Iterator[tuple[int, Floats]]:
    """`block_matrices` as balanced residues in the floating-point numbers that `eliminate` works on, for it to destroy.

    One block at a time exists in that form, the largest first. Smaller ones that share its evaluations wait as short
    integers, in at most `WAITING` bytes. Arguments and errors as in `block_matrices`.
    """
    prime = check_prime(prime)
    tokens_A, tokens_B = side_tokens(tokens_A, tokens_B, prime)
    if len(sizes) < 1:
        raise InvalidInput("sizes must have an entry for every block 0..C, got none")
    limits = (len(tokens_A), len(tokens_B))
    shapes = {k: _shape(k, size, limits) for k, size in enumerate(sizes) if size is not None}
    for k, shape in shapes.items():
        check_memory(f"block {k}", shape, memory, exact_dtypes(prime)[0].itemsize)
    sides = _Sides(network, tokens_A, tokens_B, prime, len(sizes) - 1)
    sides.check()
    return _one_by_one(sides, groups(shapes, memory, prime), progress)


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
    """Rank and pivots of every block, None where `sizes` has None; the sum is a lower bound on the separation rank.

    Arguments and errors as in `block_matrices`. Source: levine2020depth, Claim 1.

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
    blocks = balanced_blocks(network, tokens_A, tokens_B, sizes, prime, memory=memory, progress=progress)
    for k, matrix in blocks:
        found[k] = eliminate(matrix, prime)
        del matrix  # before the next one is made
    return found


def groups(shapes: Mapping[int, tuple[int, int]], memory: int, prime: int) -> list[dict[int, tuple[int, int]]]:
    """The blocks that share their evaluations, largest first, so that a group fits in `memory` bytes.

    The first of a group is held as floating-point numbers, the others as short integers, in at most `WAITING` bytes.
    """
    wide, narrow = (dtype.itemsize for dtype in _dtypes(prime))
    found: list[dict[int, tuple[int, int]]] = []
    room = -1
    for k, (rows, columns) in sorted(shapes.items(), key=lambda item: -item[1][0] * item[1][1]):
        if narrow * rows * columns > room:
            found.append({})
            room = min(WAITING, memory - wide * rows * columns)
        else:
            room -= narrow * rows * columns
        found[-1][k] = (rows, columns)
    return found


@dataclass(frozen=True)
class _Sides:
    """A network with its assignments; `values` is the matrix with side B scaled by ``t``."""

    network: Network
    tokens_A: Residues
    tokens_B: Residues
    prime: int
    C: int

    def values(self) -> Values:
        return prepared_values(self.network, self.tokens_A, self.tokens_B, self.prime)

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
        at, every = few.values(), slice(2)
        values = at(every, 2, 1)
        expected = values * pow(3, degree, self.prime) % self.prime
        if (tripled.values()(every, 2, 1) != expected).any() or (at(every, 2, -1) != values).any():
            raise OutOfScope(
                f"blocks need a network of degree {degree} in all tokens that is even in those of side B, "
                f"for {self.C + 1} blocks; this one is not"
            )


def _power_of_three(degree: int) -> str:
    L = 0
    while 3**L < degree:
        L += 1
    return f"3**L = {degree}" if 3**L == degree else f"2*C + 1 = {degree}"


def _one_by_one(
    sides: _Sides, blocks: list[dict[int, tuple[int, int]]], progress: Progress | None
) -> Iterator[tuple[int, Floats]]:
    wide, narrow = _dtypes(sides.prime)
    form = sides.network.blocks(sides.tokens_A, sides.tokens_B) if isinstance(sides.network, AttentionNetwork) else None
    fill = _Interpolation(sides) if form is None else form
    step = _counter(sum(fill.entries(group) for group in blocks), progress)
    for group in blocks:
        targets = {k: np.empty(shape, narrow if n else wide) for n, (k, shape) in enumerate(group.items())}
        fill.fill(targets, step)
        for k in group:
            yield k, targets.pop(k).astype(wide, copy=False)


def _dtypes(prime: int) -> tuple[np.dtype[Any], np.dtype[Any]]:
    """The number types of the block that is eliminated, and of those that wait."""
    return exact_dtypes(prime)[0], np.dtype(np.int16 if prime < 2**16 else np.int32)


def _counter(total: int, progress: Progress | None) -> Callable[[int], None]:
    """A function that adds to the count of what is done and reports it."""
    done = 0

    def step(more: int) -> None:
        nonlocal done
        done += more
        if progress is not None:
            progress(done, total)

    return step


@dataclass(frozen=True)
class _Interpolation:
    """Blocks from the values at ``C + 1`` scales of side B."""

    sides: _Sides

    def entries(self, shapes: Mapping[int, tuple[int, int]]) -> int:
        """Values that `fill` evaluates for blocks of these shapes."""
        return sum((rows.stop - rows.start) * columns for rows, columns in self._steps(shapes)) * (self.sides.C + 1)

    def fill(self, targets: Mapping[int, NDArray[Any]], progress: Callable[[int], None]) -> None:
        """Write the blocks into the targets as balanced residues."""
        prime, count = self.sides.prime, self.sides.C + 1
        weights = interpolation_matrix([t * t for t in range(count)], prime)
        some = np.array([weights[k] for k in targets], np.int64)
        at = self.sides.values()
        for rows, columns in self._steps({k: target.shape for k, target in targets.items()}):
            values = np.empty((count, rows.stop - rows.start, columns), np.int64)
            for t in range(count):
                values[t] = at(rows, columns, t)
                progress(values[t].size)
            found = centred(matmul(some, values.reshape(count, -1), prime), prime).reshape(-1, *values.shape[1:])
            for target, block in zip(targets.values(), found, strict=True):
                part = target[rows]
                part[:] = block[: part.shape[0], : part.shape[1]]

    def _steps(self, shapes: Mapping[int, tuple[int, int]]) -> Iterator[tuple[slice, int]]:
        """Strips of rows, each with the number of columns that the blocks reaching into it need."""
        height, width = (max(shape[axis] for shape in shapes.values()) for axis in (0, 1))
        for rows in strips(height, width * (self.sides.C + 1)):
            yield rows, max(columns for count, columns in shapes.values() if count > rows.start)


def _shape(k: int, size: int | tuple[int, int], limits: tuple[int, int]) -> tuple[int, int]:
    pair = size if isinstance(size, tuple) else (size, size)
    rows, columns = (whole_number(f"sizes[{k}]", value, most=limit) for value, limit in zip(pair, limits, strict=True))
    return rows, columns
