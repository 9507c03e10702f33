"""The slow check of a certificate: every entry of every claimed minor, recomputed and its rank taken again."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import flint

from seprank.errors import CheckFailed, TooLarge
from seprank.separation.certificate_schema import DERIVATIVE_SCHEMA
from seprank.separation.derivative_check import (
    CheckedDerivatives,
    DerivativeWork,
    check_derivatives,
    derivative_work,
)
from seprank.separation.plausible import refuse_implausible
from seprank.separation.room import readable, room
from seprank.separation.slow_road import Draw, Network, interpolation

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Checked:
    """What a check confirmed: the rank, from so many entries, each evaluated on explicit tokens."""

    rank: int
    entries: int
    evaluations: int
    seconds: float


@dataclass(frozen=True)
class Work:
    """What the check of a certificate takes: entries, evaluations of the network, rough seconds, rough bytes."""

    entries: int
    evaluations: int
    seconds: float
    memory: int


def work_of(document: dict[str, Any]) -> Work | DerivativeWork:
    """The work of checking a well-formed certificate; raises `CheckFailed` when it is implausible."""
    return derivative_work(document) if document["schema"] == DERIVATIVE_SCHEMA else _work(document)


def _work(document: dict[str, Any]) -> Work:
    """Rates are measured: about 3 microseconds for a call, 60 ns for a number that goes in, 2 ns for a product."""
    refuse_implausible(document)
    arch, pieces = document["architecture"], document["pieces"]
    L, dx, H, da = (arch[name] for name in ("L", "dx", "H", "da"))
    NA, NB = document["partition"]["NA"], document["partition"]["NB"]
    nodes = (3**L + 1) // 2 if document["method"] == "blocks" else 1
    entries = sum(piece["rank"] ** 2 for piece in pieces)
    N, weights = NA + NB, 4 * L * H * da * dx
    head = 1300 + N**2 * (6 + 2 * da) + 4 * N * dx * da
    once = 1000 * weights + 1000 * N * dx * sum(piece["rank"] for piece in pieces) + 500 * len(pieces) * nodes**2
    nanoseconds = entries * nodes * (3000 + 60 * N * dx + L * H * head) + once
    largest = max((piece["rank"] for piece in pieces), default=0)
    memory = 40 * weights + 50 * largest * N * dx + 100 * (largest**2 + nodes) + 8 * N**2
    return Work(entries, entries * nodes, min(nanoseconds, 10**40) / 1e9, memory)


def check_certificate(document: dict[str, Any], progress: Progress | None = None) -> Checked | CheckedDerivatives:
    """Confirm the claim of a certificate of either format read by `read_certificate`, entry by entry.

    Weights, tokens, forward pass (eq. 3 on explicit tokens), interpolation and rank are those of this checker,
    in Python integers and python-flint; for derivatives see `seprank.separation.derivative_check`. `progress` is called
    as ``progress(done, total)`` with evaluations, or with entries of minors. Raises `CheckFailed` with the reason when
    anything does not hold, and `TooLarge` before it starts when the check does not fit in memory.
    """
    if document["schema"] == DERIVATIVE_SCHEMA:
        return check_derivatives(document, progress)
    return _check(document, progress)


def _check(document: dict[str, Any], progress: Progress | None) -> Checked:
    start = time.perf_counter()
    work, free = _work(document), room()
    if work.memory > free:
        raise TooLarge(
            f"the check needs about {readable(work.memory)} of memory, and {readable(free)} may be used: a "
            "certificate of smaller sizes would fit"
        )
    draw = _draw(document)
    network = Network(draw)
    done = 0
    for piece in document["pieces"]:
        cells = _Cells(document, draw, network, piece["k"])
        values: list[int] = []
        for row in piece["rows"]:
            values += [cells.entry(row, column) for column in piece["columns"]]
            done += piece["rank"] * cells.evaluations
            if progress is not None:
                progress(done, work.evaluations)
        _refuse_singular(piece, values, draw.prime)
    return Checked(document["rank"], work.entries, work.evaluations, time.perf_counter() - start)


def _refuse_singular(piece: dict[str, Any], values: list[int], prime: int) -> None:
    rank = piece["rank"]
    found = flint.nmod_mat(rank, rank, values, prime).rank() if rank else 0
    if found != rank:
        name = "the matrix" if piece["k"] is None else f"block {piece['k']}"
        raise CheckFailed(f"the pivots of {name} have rank {found} modulo {prime}, not {rank} as claimed")


def _draw(document: dict[str, Any]) -> Draw:
    """The sizes, prime and seed."""
    return Draw(
        **document["architecture"], **document["partition"], prime=document["prime"], seed=document["draw"]["seed"]
    )


class _Cells:
    """Entries of block `k`, or of the whole matrix, by evaluating the network on explicit tokens."""

    def __init__(self, document: dict[str, Any], draw: Draw, network: Network, k: int | None) -> None:
        self._draw, self._network = draw, network
        self._grid = document["templates"]
        C = (3**draw.L - 1) // 2 if k is not None else 0
        self._weights = [(1, 1)] if k is None else list(enumerate(interpolation(C, k, draw.prime)))
        self.evaluations = len(self._weights)
        self._rows: dict[int, list[int]] = {}
        self._columns: dict[int, list[int]] = {}

    def entry(self, row: int, column: int) -> int:
        """Entry (row, column): B tokens scaled by t = 0..C and interpolated for a block, as they are else."""
        draw = self._draw
        if row not in self._rows:
            self._rows[row] = self._tokens("A", row, draw.NA)
        if column not in self._columns:
            self._columns[column] = self._tokens("B", column, draw.NB)
        side_A, side_B = self._rows[row], self._columns[column]
        total = 0
        for t, weight in self._weights:
            total += weight * self._network.value(side_A + [t * x % draw.prime for x in side_B])
        return total % draw.prime

    def _tokens(self, side: str, number: int, count: int) -> list[int]:
        if self._grid is None:
            return self._draw.tokens(side, number, count)
        tokens: list[int] = []
        for digit in _digits(number, self._grid, count):
            tokens += self._draw.tokens("T", digit, 1)
        return tokens


def _digits(number: int, base: int, count: int) -> list[int]:
    """The last `count` digits of `number` in the base, most significant first."""
    digits = []
    for _ in range(count):
        number, digit = divmod(number, base)
        digits.append(digit)
    return digits[::-1]
