"""Running a construction against the definition of the task: on all strings where they are few, else on many."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seprank.errors import TooLarge
from seprank.machine import memory_available
from seprank.parallel.construction import Construction
from seprank.parallel.hop import hop
from seprank.parallel.strings import string_without_repeats, uniform_string
from seprank.validate import whole_number

MOST_EXHAUSTIVE = 60_000  # strings up to which all of them are tried
BATCH = 1 << 22  # attention weights held at a time

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class HopCheck:
    """What a check found: `errors` among `checked` positions, the worst rounding, the depth that was counted.

    `worst_margin` is what was left to the limit 1/2 of a rounding; at or below 0 an answer may be wrong. `exhaustive`
    says that every string of this length was tried, so that no errors is a proof for this size in this arithmetic.
    """

    depth: int
    depth_formula: int
    width: int
    heads: int
    errors: int
    checked: int
    strings: int
    worst_margin: float
    exhaustive: bool


def verify_construction(
    construction: Construction, strings: int = 40, seed: int = 0, progress: Progress | None = None
) -> HopCheck:
    """Compare the answers of `construction` with the definition, position by position.

    All strings are tried where there are at most 60000; otherwise `strings` of them: uniform, without repeats, a
    constant one and ones in runs, from `seed`. `progress` is called as ``progress(done, total)``.

    >>> from seprank.parallel.constructions import hop_construction
    >>> check = verify_construction(hop_construction("C2", k=3, N=6, alphabet=2))
    >>> check.errors, check.checked, check.depth, check.exhaustive
    (0, 384, 3, True)
    """
    N, alphabet = construction.N, construction.alphabet
    refuse_if_too_long(N)
    exhaustive = alphabet**N <= MOST_EXHAUSTIVE if N < 64 else alphabet == 1
    total = alphabet**N if exhaustive else whole_number("strings", strings)
    source = _all_strings(N, alphabet) if exhaustive else _some_strings(N, alphabet, total, seed)
    size = max(1, BATCH // (N + 1) ** 2)
    errors, deviation, depth, done = 0, 0.0, 0, 0
    while batch := list(itertools.islice(source, size)):
        X = np.array(batch)
        answer, run = construction.run(X)
        errors += int(np.count_nonzero(answer != np.stack([hop(x, construction.k) for x in X])))
        deviation, depth, done = max(deviation, run.deviation), run.depth, done + len(batch)
        if progress is not None:
            progress(done, total)
    return HopCheck(
        depth,
        construction.depth_formula,
        construction.width,
        construction.heads,
        errors,
        done * N,
        done,
        0.5 - deviation,
        exhaustive,
    )


def refuse_if_too_long(N: int) -> None:
    """Raise `TooLarge` where the attention weights of one string would take more than half of the memory."""
    needed, free = 32 * (N + 1) ** 2, memory_available()
    if free is not None and needed > free // 2:
        raise TooLarge(
            f"N must leave the attention weights of one string in half of the free memory, got N={N}: "
            f"{needed / 2**30:.0f} GiB of {free / 2**31:.0f} GiB"
        )


def _all_strings(N: int, alphabet: int) -> Iterator[tuple[int, ...]]:
    return itertools.product(range(alphabet), repeat=N)


def _some_strings(N: int, alphabet: int, count: int, seed: int) -> Iterator[NDArray[np.int64]]:
    for number in range(count):
        kind = number % 4
        if kind == 2 and alphabet > 1:
            yield string_without_repeats(N, alphabet, seed + number)
        elif kind == 3:
            length = 1 + number // 4 if number > 3 else N  # the first of them is constant
            yield np.repeat(uniform_string(-(-N // length), alphabet, seed + number), length)[:N]
        else:
            yield uniform_string(N, alphabet, seed + number)
