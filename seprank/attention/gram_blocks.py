"""Bidegree blocks of the Gram form without interpolation, exact modulo a prime, tile by tile.

A block is a coefficient in t at ``G = G_A + t G_B``. For two and three layers it is computed as such, which needs one
evaluation where interpolation needs ``C + 1``; `docs/performance.md` has the measured costs of both.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.attention.architecture import Architecture
from seprank.attention.gram import GramNetwork, SideA, SideB
from seprank.attention.gram_exact import Floats, Residues, Scratch, centred, longest_exact
from seprank.attention.gram_float_kernels import balance_flat
from seprank.attention.gram_three_layers import ThreeLayers, lift_and_source, symmetric_basis
from seprank.attention.gram_two_layers import TwoLayers
from seprank.field.blas_threads import blas_limit
from seprank.field.kernels import run_tiles

Progress = Callable[[int], None]

NARROWEST = 64  # assignments of side B that are prepared together at least
WIDEST_OF_THREE = 8  # dx up to which three layers cost less as coefficients than by interpolation
WORK = 2**25  # bytes of side B that are prepared at a time
_ROWS = 32  # rows of a tile
_PAIRS = 2**13  # pairs of a tile: its arrays stay in the cache


class Form(Protocol):
    """What `TwoLayers` and `ThreeLayers` offer: both sides prepared, and the blocks of a tile of pairs."""

    @property
    def prime(self) -> int: ...

    def side_a(self, x: Residues, gram: Residues, first: Residues) -> Any: ...

    def side_b(self, gram: Residues, first: Residues) -> Any: ...

    def tile(
        self, A: Any, B: Any, columns: slice, orders: tuple[int, ...], scratch: Scratch
    ) -> Mapping[int, Floats]: ...


@dataclass(frozen=True, eq=False)
class GramBlocks:
    """The blocks of one network at prepared assignments; build it with `gram_blocks`."""

    form: Form
    sizes: Architecture
    A: SideA
    B: SideB

    def entries(self, shapes: Mapping[int, tuple[int, int]]) -> int:
        """Entries that `fill` writes for blocks of these shapes."""
        return sum(rows * columns for rows, columns in shapes.values())

    def fill(self, targets: Mapping[int, NDArray], progress: Progress | None = None) -> None:
        """Write block ``k`` into ``targets[k]``, as balanced residues, at its first rows and columns.

        The arrays may have any shape up to the number of assignments and any dtype that holds the residues.
        `progress` is called with the number of entries done since the last call. Work space: about 64 MiB, and what a
        tile needs per thread. The answer does not depend on the number of threads.
        """
        for columns in _cut(0, max(target.shape[1] for target in targets.values()), self._panel()):
            height = max(target.shape[0] for target in targets.values() if target.shape[1] > columns.start)
            prepared = self.form.side_b(*(_by_row(array[:, :, columns]) for array in (self.B.gram, self.B.first)))
            with blas_limit(1):
                for rows in _cut(0, height, 1024):
                    self._fill_strip(targets, prepared, rows, columns)
                    if progress is not None:
                        progress(sum(_common(target, rows, columns) for target in targets.values()))

    def _fill(self, targets: Mapping[int, NDArray], side: Any, rows: slice, columns: slice, scratch: Scratch) -> None:
        wanted = tuple(k for k, target in sorted(targets.items()) if _common(target, rows, columns))
        if not wanted:
            return
        A = self.form.side_a(self.A.x[rows], self.A.gram[rows], self.A.first[rows])
        step = max(64, _PAIRS // (rows.stop - rows.start))
        for part in _cut(columns.start, columns.stop, step):
            here = tuple(k for k in wanted if _common(targets[k], rows, part))
            if not here:
                continue
            inside = slice(part.start - columns.start, part.stop - columns.start)
            for k, values in self.form.tile(A, side, inside, here, scratch).items():
                balance_flat(values.reshape(-1), float(self.form.prime))
                place = targets[k][rows, part]
                place[:] = values[: place.shape[0], : place.shape[1]]

    def _fill_strip(self, targets: Mapping[int, NDArray], side: Any, rows: slice, columns: slice) -> None:
        local = threading.local()

        def task(part: slice) -> None:
            scratch = local.__dict__.setdefault("scratch", Scratch())
            self._fill(targets, side, part, columns, scratch)

        run_tiles(task, _cut(rows.start, rows.stop, _ROWS))

    def _panel(self) -> int:
        return max(NARROWEST, WORK // column_bytes(self.sizes))


def by_coefficients(arch: Architecture, prime: int) -> bool:
    """Whether `gram_blocks` gives the blocks of networks of these sizes.

    Not for residual layers, one layer and more than three, three wide layers, layers so wide that little of side B
    can be prepared at a time, and primes too large for float64: there they come by interpolation.

    >>> [by_coefficients(Architecture(L, 4), 4194301) for L in (1, 2, 3, 4)]
    [False, True, True, False]
    """
    if arch.residual or arch.L not in (2, 3) or (arch.L == 3 and arch.dx > WIDEST_OF_THREE):
        return False
    longest = 3 * max(arch.dx, arch.da) + 1 if arch.L == 2 else max(_symmetric(arch), 4 * arch.dx, 6)
    return longest <= longest_exact(prime) and NARROWEST * column_bytes(arch) <= 4 * WORK


def work_bytes(arch: Architecture, threads: int) -> int:
    """Bytes that `GramBlocks.fill` needs beside its targets and the sides; 0 where there is no such form."""
    if not by_coefficients(arch, 3):
        return 0
    return 2 * max(WORK, NARROWEST * column_bytes(arch)) + threads * (2**25 + 32 * column_bytes(arch))


def column_bytes(arch: Architecture) -> int:
    """Bytes of one assignment of side B when prepared, with what is needed for that."""
    m, square = arch.H * arch.da, arch.dx**2
    if arch.L == 2:
        return 8 * (3 * arch.H * square + 4 * m * arch.dx + 4 * square)
    state = square + arch.H * arch.dx + 2 * m * arch.dx
    return 8 * _symmetric(arch) * (2 * state + 6 * square)


def _symmetric(arch: Architecture) -> int:
    return arch.dx * (arch.dx + 1) // 2


def gram_blocks(network: GramNetwork, tokens_A: ArrayLike, tokens_B: ArrayLike) -> GramBlocks | None:
    """The blocks of `network` at these assignments, or None where only interpolation gives them."""
    sizes = network.weights.architecture
    if not by_coefficients(sizes, network.prime):
        return None
    return GramBlocks(_form(network), sizes, network.side_A(tokens_A), network.side_B(tokens_B))


def _form(network: GramNetwork) -> Form:
    sizes = network.weights.architecture
    query, key, rows = (centred(array, network.prime) for array in network.last_layer())
    query, key = query.reshape(-1, sizes.dx), key.reshape(-1, sizes.dx)
    if sizes.L == 2:
        return TwoLayers(query, key, rows, network.prime)
    basis = symmetric_basis(sizes.dx)
    maps = [
        centred(_by_row(network.layer_map_at(index, np.ascontiguousarray(basis.transpose(1, 2, 0)))), network.prime)
        for index in (0, 1)
    ]
    lift, source = lift_and_source(maps[1], key, query, rows, network.prime)
    first = np.ascontiguousarray(maps[0].transpose(0, 2, 1))
    return ThreeLayers(basis.astype(np.float64), first, lift, source, (sizes.H, sizes.da, sizes.dx), network.prime)


def _by_row(array: Residues) -> Residues:
    return np.ascontiguousarray(np.moveaxis(array, -1, 0))


def _cut(start: int, stop: int, step: int) -> list[slice]:
    return [slice(at, min(at + step, stop)) for at in range(start, stop, step)]


def _common(target: NDArray, rows: slice, columns: slice) -> int:
    """How many entries of the rows and columns lie inside `target`."""
    height = min(rows.stop, target.shape[0]) - rows.start
    width = min(columns.stop, target.shape[1]) - columns.start
    return max(0, height) * max(0, width)
