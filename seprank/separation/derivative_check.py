"""The slow check of a certificate by derivatives: coefficients, minors and bounds worked out again.

It shares no code with the run that wrote the certificate: plain whole numbers, dictionaries and python-flint.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import flint

from seprank.errors import CheckFailed, TooLarge
from seprank.separation.derivative_check_bounds import monomials
from seprank.separation.derivative_check_forms import Form, scaled_forms
from seprank.separation.derivative_check_plausible import refuse_implausible_derivative
from seprank.separation.derivative_check_weights import monomials_of, refuse_unfit
from seprank.separation.room import readable, room

Progress = Callable[[int, int], None]

# nanoseconds on one core, measured: a term for every coordinate, an entry, a step of the elimination, a line
TERM, ENTRY, STEP, LINE = 350, 250, 0.1, 3000


@dataclass(frozen=True)
class CheckedDerivatives:
    """What a check confirmed: a rank at least `rank` for almost all weights, at most `upper` for all, for long input.

    `entries` were formed from `coefficients` of f_1, ..., f_dx that are not zero.
    """

    rank: int
    upper: int
    coefficients: int
    entries: int
    seconds: float


@dataclass(frozen=True)
class DerivativeWork:
    """What the check takes: entries of minors, about how many terms of products, rough seconds, rough bytes."""

    entries: int
    terms: int
    seconds: float
    memory: int


@dataclass(frozen=True)
class _Class:
    """The part of a minor in one class: packed operators, and packed monomials of every component."""

    rows: list[int]
    columns: list[tuple[int, int]]


def derivative_work(document: dict[str, Any]) -> DerivativeWork:
    """The work of checking a well-formed certificate; raises `CheckFailed` when it is implausible."""
    refuse_implausible_derivative(document)
    sizes = [len(part.rows) for minor in document["minors"] for part in _classes(document, minor)]
    entries, largest = sum(size**2 for size in sizes), max(sizes, default=0)
    terms = sum(_terms(document, weights) for weights in document["weights"])
    lines = sum(block["rank"] for block in document["blocks"] if block["source"] == block["k"])
    nanoseconds = TERM * document["architecture"]["dx"] * terms + ENTRY * entries + LINE * lines
    nanoseconds += STEP * sum(size**3 for size in sizes)
    return DerivativeWork(entries, terms, nanoseconds / 1e9, 17 * largest**2 + 200 * lines)


def check_derivatives(document: dict[str, Any], progress: Progress | None = None) -> CheckedDerivatives:
    """Confirm the claim of a certificate by derivatives read by `read_certificate`.

    `progress` is called as ``progress(done, total)`` with terms of coefficients and entries of minors. Raises
    `CheckFailed` with the reason when anything does not hold, and `TooLarge` when the check does not fit in memory:
    before it starts for the minors, and as soon as they are too many for the coefficients.
    """
    start = time.perf_counter()
    work, free = derivative_work(document), room()
    if work.memory > free:
        raise TooLarge(
            f"the check needs about {readable(work.memory)} of memory for the largest class of a minor, and "
            f"{readable(free)} may be used"
        )
    report = _Report(progress, work.terms + work.entries)
    coefficients, prime = 0, document["prime"]
    for weights in document["weights"]:
        refuse_unfit(weights, prime)
        forms = scaled_forms(weights, monomials_of(weights, len(document["blocks"]) - 1), prime, report.add)
        coefficients += sum(map(len, forms))
        for minor in document["minors"]:
            if minor["weights"] == weights["name"]:
                for part in _classes(document, minor):
                    _refuse_singular(part, forms, prime, minor["k"])
                    report.add(len(part.rows) ** 2)
    report.finish()
    seconds = time.perf_counter() - start
    return CheckedDerivatives(document["rank"], document["upper"], coefficients, work.entries, seconds)


class _Report:
    """Progress, capped at a total that is only estimated."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def add(self, amount: int) -> None:
        self._done = min(self._done + amount, self._total)
        if self._progress is not None:
            self._progress(self._done, self._total)

    def finish(self) -> None:
        self.add(self._total)


def _refuse_singular(part: _Class, forms: list[Form], prime: int, k: int) -> None:
    rank = len(part.rows)
    by_component: dict[int, list[int]] = defaultdict(list)
    for q, monomial in part.columns:
        by_component[q].append(monomial)
    chosen = [(forms[q].get, left) for q, left in by_component.items()]
    values = [get(row + monomial, 0) for row in part.rows for get, left in chosen for monomial in left]
    matrix = flint.nmod_mat(rank, rank, values, prime)
    del values
    found = matrix.rank()
    if found != rank:
        raise CheckFailed(f"a class of the minor of block {k} has rank {found} modulo {prime}, not {rank} as claimed")


def _classes(document: dict[str, Any], minor: dict[str, Any]) -> Iterator[_Class]:
    """The minor as blocks on the diagonal: entries whose row and column are of different classes vanish."""
    weights = next(weights for weights in document["weights"] if weights["name"] == minor["weights"])
    k, C = minor["k"], len(document["blocks"]) - 1
    of = monomials_of(weights, C)
    count, left = monomials(len(of.keys), k), monomials(len(of.keys), C - k)
    rows: dict[int, list[int]] = defaultdict(list)
    columns: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number in _numbers(minor["rows"], count):
        packed, key = of.numbered(number, k)
        rows[key].append(packed)
    for number in _numbers(minor["columns"], len(weights["keys"]) * left):
        q, rest = divmod(number, left)
        packed, key = of.numbered(rest, C - k)
        columns[of.partner(q, key)].append((q, packed))
    for key in rows.keys() | columns.keys():
        if len(rows[key]) != len(columns[key]):
            raise CheckFailed(
                f"a class of the minor of block {k} has {len(rows[key])} rows and {len(columns[key])} columns"
            )
    for key in sorted(rows):
        yield _Class(rows[key], columns[key])


def _numbers(lines: dict[str, list[int]], count: int) -> Iterator[int]:
    if "only" in lines:
        yield from sorted(lines["only"])
        return
    without = set(lines["except"])
    yield from (number for number in range(count) if number not in without)


def _terms(document: dict[str, Any], weights: dict[str, Any]) -> int:
    """About how many terms the multiplications by the Gram matrix make, by degrees and sizes of classes."""
    arch = document["architecture"]
    L, d, H = arch["L"], arch["dx"], arch["H"]
    s, classes = d * (d + 1) // 2, len(set(monomials_of(weights, (3**L - 1) // 2).keys))
    links = max(sum(map(bool, row)) for layer in weights["Q"] for head in layer for row in head)
    total = 0
    for degree, times in enumerate(_multiplications(L, H), 1):
        paths = (d * links) ** degree if H == 1 else d ** (2 * degree + 1)
        total += times * min(d * monomials(s, degree) // classes, paths)
    return total


def _multiplications(L: int, H: int) -> list[int]:
    """How many multiplications by the Gram matrix end at each degree from 1 to C.

    >>> _multiplications(2, 1), sum(_multiplications(3, 2))
    ([1, 1, 1, 1], 62)
    """
    gram, found = [1], [H]
    for _ in range(L - 1):
        outer = [H * times for times in gram]
        gram = [*outer, *gram, *outer]
        found = [*(H * times for times in gram), *found]
    return found
