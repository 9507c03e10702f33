"""What a recurrence that reads a string once needs for the k-hop task: registers, and the exact number of states.

A register machine with ``k`` times the alphabet of registers solves the task for strings of every length; minimising it
gives the least number of states that any deterministic recurrence must have. Source: docs/parallel.md, recurrences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from seprank.errors import TooLarge
from seprank.validate import whole_number

State = tuple[int, ...]  # the last symbol, then register T_l[c] at 1 + (l - 1) alphabet + c; -1 for nothing
Progress = Callable[[int, int], None]
MOST_STATES = 3_000_000


def first_state(k: int, alphabet: int) -> State:
    """The state before the first symbol.

    >>> first_state(1, 2)
    (-1, -1, -1)
    """
    return (-1,) * (1 + whole_number("k", k) * whole_number("alphabet", alphabet))


def read_symbol(state: State, x: int, k: int, alphabet: int) -> tuple[State, int]:
    """The state behind symbol `x`, and hop_k there (-1 where it is undefined).

    With y the symbol before: ``h_0 = x``, and for l = 1..k ``T_l[y] <- h_(l-1)``, ``h_l = T_l[x]``.

    >>> state, _ = read_symbol(first_state(1, 2), 0, 1, 2)
    >>> read_symbol(state, 0, 1, 2)
    ((0, 0, -1), 0)
    """
    registers, y, h = list(state), state[0], x
    for level in range(k):
        start = 1 + level * alphabet
        if y >= 0:
            registers[start + y] = h
        h = registers[start + x]
    registers[0] = x
    return tuple(registers), h


def hop_by_registers(X: list[int], k: int, alphabet: int) -> list[int]:
    """hop_k of every position in one pass.

    >>> hop_by_registers([0, 1, 2, 0, 1, 3, 2, 0], 1, 4)
    [-1, -1, -1, 1, 2, -1, 0, 1]
    """
    state, answers = first_state(k, alphabet), []
    for x in X:
        state, answer = read_symbol(state, whole_number("X", x, least=0, most=alphabet - 1), k, alphabet)
        answers.append(answer)
    return answers


@dataclass(frozen=True)
class HopStates:
    """`reachable` states of the register machine, and the `minimal` number that any machine needs: exact."""

    k: int
    alphabet: int
    reachable: int
    minimal: int

    @property
    def bits_a_hop(self) -> float:
        """``log2(minimal) / k``."""
        return math.log2(self.minimal) / self.k


def minimal_states(k: int, alphabet: int, progress: Progress | None = None) -> HopStates:
    """The least number of states of a deterministic machine with output that solves hop_k on strings of any length.

    Exact: all reachable states of the register machine, then Mealy minimisation by refining partitions (Moore's
    algorithm); by the Myhill-Nerode argument no recurrence has fewer. Raises `TooLarge` beyond 3 million states.

    >>> [minimal_states(k, 2).minimal for k in (1, 2, 3)]
    [5, 6, 9]
    """
    k, alphabet = whole_number("k", k), whole_number("alphabet", alphabet)
    following, outputs = _reachable(k, alphabet, progress)
    classes = _numbered(iter(outputs))
    count = 0
    while (now := len(set(classes))) != count:
        count = now
        classes = _numbered((own, *(classes[to] for to in row)) for own, row in zip(classes, following, strict=True))
    return HopStates(k, alphabet, len(following), count)


def _reachable(k: int, alphabet: int, progress: Progress | None) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """For every reachable state the numbers of the next states and the outputs, one of each a symbol."""
    start = first_state(k, alphabet)
    number, queue = {start: 0}, [start]
    following, outputs = [], []
    for done, state in enumerate(queue):  # grows while it is read
        found = [read_symbol(state, x, k, alphabet) for x in range(alphabet)]
        for new, _ in found:
            if new not in number:
                number[new] = len(queue)
                queue.append(new)
        if len(queue) > MOST_STATES:
            raise TooLarge(f"k must leave at most {MOST_STATES} states, got k={k} with {alphabet} symbols")
        if progress is not None and done % 10_000 == 0:
            progress(done, len(queue))
        following.append(tuple(number[new] for new, _ in found))
        outputs.append(tuple(output for _, output in found))
    return following, outputs


def _numbered(keys: Iterator[tuple[int, ...]]) -> list[int]:
    """Equal keys get equal numbers, from 0 on in order of appearance."""
    known: dict[tuple[int, ...], int] = {}
    return [known.setdefault(key, len(known)) for key in keys]
