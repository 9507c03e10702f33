"""The primitive that keeps to the caps: for every key the minimum over all machines, back to every machine that asked.

Requests climb a tree with fan-in `fan`, level by level, to hosts that a public hash of key, level and group names; the
minimum goes down the same way. ``2 D`` rounds, ``D = ceil(log_fan machines)``. Without the tree a popular key would
overload its owner. Source: docs/parallel.md, combining tree.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from seprank.parallel.mpc import Memory, Messages, Step, Words
from seprank.parallel.sizes import tree_depth

NOTHING = 1 << 62  # the answer to a key for which nobody gave a value
FLAG = -1  # the key by which all machines learn whether any has work left
WIDTH = 3  # words of a message: key, group, value

Pairs = tuple[Words, Words]


@dataclass(frozen=True)
class TreeProtocol(ABC):
    """A protocol that is a loop of `stages` joins, each answered by the combining tree.

    `machines` is their number, `fan` the fan-in of the tree (at least 2), `seed` that of the public hash. A subclass
    says what a machine asks in a stage, and what it does with the answers; the loop ends for all machines in the same
    round, when none has work left at the start of an iteration.
    """

    machines: int
    fan: int
    seed: int = 0

    stages: ClassVar[int] = 1

    @abstractmethod
    def asks(self, stage: int, iteration: int, memory: Memory) -> Pairs:
        """Keys and values, one row each: a request for the minimum, or with `NOTHING` only for the answer."""

    @abstractmethod
    def learns(self, stage: int, iteration: int, memory: Memory, answers: Pairs) -> Memory:
        """The memory after the answers, keys in ascending order, of what was asked in this stage."""

    @abstractmethod
    def works(self, memory: Memory) -> bool:
        """Whether this machine has work left at the start of an iteration."""

    @property
    def depth(self) -> int:
        """Levels of the tree, D."""
        return tree_depth(self.machines, self.fan)

    @property
    def rounds_per_iteration(self) -> int:
        """``2 D`` for each stage."""
        return 2 * self.depth * self.stages

    def step(self, machine: int, memory: Memory, inbox: Messages, round: int) -> Step:
        """One round: collect requests or answers, pass them on, and between joins compute."""
        D = self.depth
        join, phase = divmod(round - 1, 2 * D)
        if phase == 0:
            return self._between(machine, memory, inbox, join)
        if phase <= D:
            return self._up(memory, inbox, phase)
        return self._down(memory, inbox, 2 * D - phase)

    def _between(self, machine: int, memory: Memory, inbox: Messages, join: int) -> Step:
        if join:
            iteration, stage = divmod(join - 1, self.stages)
            keys, values = _unique(inbox.words[:, 0], inbox.words[:, 2])
            if stage == 0 and len(keys) and keys[0] == FLAG:
                if values[0] == 1:
                    return Step(memory, Messages.none(WIDTH), True)
                keys, values = keys[1:], values[1:]
            memory = self.learns(stage, iteration, memory, (keys, values))
        iteration, stage = divmod(join, self.stages)
        keys, values = self.asks(stage, iteration, memory)
        if stage == 0:
            keys = np.append(keys, FLAG)
            values = np.append(values, 0 if self.works(memory) else 1)
        keys, values = _unique(keys, values)
        group = np.full(len(keys), machine)
        return Step(memory, self._sent(keys, group, values, 1), False)

    def _up(self, memory: Memory, inbox: Messages, level: int) -> Step:
        """Requests of a level arrived: remember who asked, and pass minima on, or turn round at the top."""
        keys, children, values = inbox.words.T if len(inbox.words) else np.zeros((WIDTH, 0), np.int64)
        groups = children // self.fan
        order, starts = _runs(keys, groups)
        least = np.minimum.reduceat(values[order], starts) if len(starts) else values
        if level < self.depth:
            table = np.stack([keys[order], children[order], inbox.machines[order]], axis=1)
            first = order[starts] if len(starts) else order
            return Step(
                {**memory, _name(level): table}, self._sent(keys[first], groups[first], least, level + 1), False
            )
        lengths = np.diff(np.append(starts, len(order)))
        words = np.stack([keys[order], children[order], np.repeat(least, lengths)], axis=1)
        return Step(memory, Messages(inbox.machines[order], words), False)

    def _down(self, memory: Memory, inbox: Messages, level: int) -> Step:
        """Answers for the nodes of a level arrived: send them to those who asked there."""
        table = memory[_name(level)]
        rest = {name: values for name, values in memory.items() if name != _name(level)}
        if not len(table):
            return Step(rest, Messages.none(WIDTH), False)
        keys, children, machines = table.T
        known = inbox.words[np.lexsort((inbox.words[:, 1], inbox.words[:, 0]))]
        first, second = (_pair_ids(known[:, 0], known[:, 1]), _pair_ids(keys, children // self.fan))
        values = known[np.searchsorted(first, second), 2]
        return Step(rest, Messages(machines, np.stack([keys, children, values], axis=1)), False)

    def _sent(self, keys: Words, groups: Words, values: Words, level: int) -> Messages:
        place = groups // self.fan + (level << 40)
        hosts = public_hash(self.seed, keys, place) % np.uint64(self.machines)
        return Messages(hosts.astype(np.int64), np.stack([keys, groups, values], axis=1))


def public_hash(seed: int, *parts: Words | int) -> NDArray[np.uint64]:
    """A fixed function of the seed and whole numbers, 64 bits, that every machine can compute.

    >>> public_hash(0, np.array([1, 2]), np.array([3, 3])).tolist() == public_hash(0, np.array([1, 2]), 3).tolist()
    True
    """
    mixed = np.full(len(np.atleast_1d(parts[0])), seed, np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    for part in parts:
        mixed = (mixed ^ np.asarray(part).astype(np.uint64)) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed = mixed ^ (mixed >> np.uint64(31))
    return mixed


def look_up(keys: Words, answers: Pairs, otherwise: Words) -> Words:
    """The answer to every key, and `otherwise` where there is none or it is `NOTHING`.

    >>> look_up(np.array([5, 7]), (np.array([5, 6]), np.array([1, 2])), np.array([0, 0])).tolist()
    [1, 0]
    """
    known, values = answers
    if not len(known):
        return otherwise
    place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    found = (known[place] == keys) & (values[place] != NOTHING)
    return np.where(found, values[place], otherwise)


def _unique(keys: Words, values: Words) -> Pairs:
    """Every key once, ascending, with its least value."""
    order = np.argsort(keys, kind="stable")
    keys, values = keys[order], values[order]
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])) if len(keys) else np.zeros(0, np.int64)
    return keys[starts], np.minimum.reduceat(values, starts) if len(starts) else values


def _runs(keys: Words, groups: Words) -> tuple[Words, Words]:
    """An order that sorts by key and group, and where a new pair begins in it."""
    order = np.lexsort((groups, keys))
    if not len(order):
        return order, order
    new = (keys[order][1:] != keys[order][:-1]) | (groups[order][1:] != groups[order][:-1])
    return order, np.flatnonzero(np.append(True, new))


def _pair_ids(keys: Words, groups: Words) -> NDArray[np.void]:
    """Pairs as values that compare like (key, group)."""
    pairs = np.empty(len(keys), dtype=[("key", np.int64), ("group", np.int64)])
    pairs["key"], pairs["group"] = keys, groups
    return pairs


def _name(level: int) -> str:
    return f"hosted at level {level}"
