"""Further protocols: cycles by pointer doubling, sorting, prefix sums."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seprank.errors import InvalidInput
from seprank.parallel.mpc import Memory, Messages, MPCRun, Step, Words, run_protocol, spread
from seprank.validate import whole_number


@dataclass(frozen=True)
class CycleDoubling:
    """One machine a vertex of a 2-regular graph; afterwards each knows the least vertex of its cycle.

    A vertex keeps the two vertices at distance ``2**t`` and the least label it has heard of; each round it tells either
    of them "behind me you find the other", with its label. The ball that a vertex knows grows from r to 2 r + 1; it
    stops at ``2 r + 1 >= vertices``, after ``ceil(log2(vertices + 1)) - 1`` rounds, with 4 words sent and received.
    """

    vertices: int

    @property
    def rounds(self) -> int:
        """``ceil(log2(n + 1)) - 1``."""
        return self.vertices.bit_length() - 1

    def step(self, machine: int, memory: Memory, inbox: Messages, round: int) -> Step:
        """Memory: ``pointers`` (2,), ``least`` (1,)."""
        pointers, least = memory["pointers"], int(memory["least"][0])
        if round > 1:
            least = min(least, int(inbox.words[:, 1].min()))
            pointers = np.sort(inbox.words[:, 0])
        kept = {"pointers": pointers, "least": np.array([least])}
        if round > self.rounds:
            return Step(kept, Messages.none(2), True)
        words = np.array([[pointers[1], least], [pointers[0], least]])
        return Step(kept, Messages(pointers.copy(), words), False)


def cycle_labels(neighbours: Words) -> tuple[Words, MPCRun]:
    """The least vertex of every vertex's cycle, for rows ``neighbours[v]`` of the two neighbours of v; and the run.

    >>> labels, run = cycle_labels(np.array([[1, 2], [0, 2], [0, 1], [4, 5], [3, 5], [3, 4]]))
    >>> labels.tolist(), run.rounds
    ([0, 0, 0, 3, 3, 3], 2)
    """
    neighbours = np.asarray(neighbours)
    if neighbours.ndim != 2 or neighbours.shape[1] != 2 or not len(neighbours):
        raise InvalidInput(f"neighbours must have shape (n, 2), got {neighbours.shape}")
    protocol = CycleDoubling(len(neighbours))
    run = run_protocol(protocol, cycle_memories(neighbours), 4, protocol.rounds + 1)
    return np.array([int(memory["least"][0]) for memory in run.memories]), run


def cycle_memories(neighbours: Words) -> list[Memory]:
    """What the machines of `CycleDoubling` hold at the start."""
    return [{"pointers": np.sort(pair), "least": np.array([v])} for v, pair in enumerate(neighbours)]


@dataclass(frozen=True)
class SampleSort:
    """Sort whole numbers spread over machines: regular samples, splitters, buckets, and an even share each.

    Six rounds for any input of at most ``words / 4`` numbers a machine, with ``machines**2`` at most `words`. Equal
    numbers are told apart by where they came from. Memory: ``values`` (v,).
    """

    machines: int
    total: int

    def step(self, machine: int, memory: Memory, inbox: Messages, round: int) -> Step:
        """Rounds: 1 samples to machine 0; 2 splitters back; 3 buckets; 4 counts; 5 offsets; 6 even shares."""
        work = (self._samples, self._splitters, self._buckets, self._counts, self._offsets, self._shares)
        if round <= len(work):
            return work[round - 1](machine, memory, inbox)
        order = np.argsort(inbox.words[:, 0], kind="stable")
        return Step({"values": inbox.words[order, 1]}, Messages.none(2), True)

    def _samples(self, machine: int, memory: Memory, inbox: Messages) -> Step:
        values = np.sort(memory["values"])
        tagged = np.stack([values, machine * self.total + np.arange(len(values))], axis=1)
        picks = tagged[(np.arange(self.machines) * len(tagged)) // self.machines] if len(tagged) else tagged
        return Step({"values": values}, Messages(np.zeros(len(picks), np.int64), picks), False)

    def _splitters(self, machine: int, memory: Memory, inbox: Messages) -> Step:
        if machine or not len(inbox.words):
            return Step(memory, Messages.none(2), False)
        order = np.lexsort((inbox.words[:, 1], inbox.words[:, 0]))
        marks = order[(np.arange(1, self.machines) * len(order)) // self.machines]
        words = np.tile(inbox.words[marks], (self.machines, 1))
        return Step(memory, Messages(np.repeat(np.arange(self.machines), len(marks)), words), False)

    def _buckets(self, machine: int, memory: Memory, inbox: Messages) -> Step:
        values = memory["values"]
        tags = machine * self.total + np.arange(len(values))
        target = np.zeros(len(values), np.int64)
        for value, tag in inbox.words:
            target += (values > value) | ((values == value) & (tags >= tag))
        return Step({}, Messages(target, np.stack([values, tags], axis=1)), False)

    def _counts(self, machine: int, memory: Memory, inbox: Messages) -> Step:
        order = np.lexsort((inbox.words[:, 1], inbox.words[:, 0]))
        count = np.array([[len(order), 0]])
        return Step({"values": inbox.words[order, 0]}, Messages(np.zeros(1, np.int64), count), False)

    def _offsets(self, machine: int, memory: Memory, inbox: Messages) -> Step:
        if machine:
            return Step(memory, Messages.none(2), False)
        starts = np.cumsum(inbox.words[:, 0]) - inbox.words[:, 0]
        words = np.stack([starts, np.zeros(self.machines, np.int64)], axis=1)
        return Step(memory, Messages(np.arange(self.machines), words), False)

    def _shares(self, machine: int, memory: Memory, inbox: Messages) -> Step:
        ranks = inbox.words[0, 0] + np.arange(len(memory["values"]))
        share = -(-self.total // self.machines)
        return Step({}, Messages(ranks // share, np.stack([ranks, memory["values"]], axis=1)), False)


def sort_on_machines(values: Words, machines: int, words: int) -> tuple[Words, MPCRun]:
    """`values` in ascending order, by `SampleSort` on simulated machines; and the run.

    Raises `InvalidInput` where the machines are too many for their memory, `CapExceeded` where it does not suffice.

    >>> sort_on_machines(np.array([5, 3, 9, 1, 3]), machines=2, words=24)[0].tolist()
    [1, 3, 3, 5, 9]
    """
    values, machines = np.asarray(values, np.int64), whole_number("machines", machines)
    if 2 * machines**2 > words:
        raise InvalidInput(f"words must be at least 2 machines**2 = {2 * machines**2} to sort, got {words}")
    shares = spread(values[:, None], machines, words)
    memories: list[Memory] = [{"values": share[:, 0]} for share in shares]
    run = run_protocol(SampleSort(machines, max(1, len(values))), memories, words, 7)
    return np.concatenate([memory["values"] for memory in run.memories]), run


@dataclass(frozen=True)
class PrefixSums:
    """Prefix sums of whole numbers spread over machines, by a tree of fan-in `fan`: ``2 D`` rounds.

    Memory: ``values`` (v,), replaced by the sums up to and with each. Machine i is node ``i // fan**level`` of a level
    where that divides.
    """

    machines: int
    fan: int

    @property
    def depth(self) -> int:
        """Levels of the tree."""
        depth, reach = 1, self.fan
        while reach < self.machines:
            depth, reach = depth + 1, reach * self.fan
        return depth

    def step(self, machine: int, memory: Memory, inbox: Messages, round: int) -> Step:
        """Totals climb, then what comes before each node goes down."""
        D = self.depth
        if round <= D + 1:
            return self._up(machine, memory, inbox, round)
        memory, before = self._down(machine, memory, inbox, 2 * D + 1 - round)
        if round <= 2 * D:
            return before
        return Step(memory, Messages.none(1), True)

    def _up(self, machine: int, memory: Memory, inbox: Messages, round: int) -> Step:
        level, kept = round - 1, dict(memory)
        if round > 1 and machine % self.fan**level == 0:
            order = np.argsort(inbox.machines)
            kept[f"totals {level}"] = inbox.words[order, 0]
        if level == self.depth:
            return self._start_down(machine, kept)
        if machine % self.fan**level:
            return Step(kept, Messages.none(1), False)
        own = kept[f"totals {level}"] if level else kept["values"]
        parent = machine - machine % self.fan ** (level + 1)
        return Step(kept, Messages(np.array([parent]), np.array([[own.sum()]])), False)

    def _start_down(self, machine: int, kept: dict[str, Words]) -> Step:
        if machine:
            return Step(kept, Messages.none(1), False)
        return self._passed(machine, kept, 0, self.depth)

    def _passed(self, machine: int, kept: dict[str, Words], before: int, level: int) -> Step:
        """A node tells its children what comes before them."""
        totals = kept.pop(f"totals {level}")
        children = machine + self.fan ** (level - 1) * np.arange(len(totals))
        return Step(kept, Messages(children, (before + np.cumsum(totals) - totals)[:, None]), False)

    def _down(self, machine: int, memory: Memory, inbox: Messages, level: int) -> tuple[Memory, Step]:
        kept = dict(memory)
        if not len(inbox.words):
            return kept, Step(kept, Messages.none(1), False)
        before = int(inbox.words[0, 0])
        if level:
            return kept, self._passed(machine, kept, before, level)
        kept["values"] = before + np.cumsum(kept["values"])
        return kept, Step(kept, Messages.none(1), False)


def prefix_sums_on_machines(values: Words, machines: int, words: int) -> tuple[Words, MPCRun]:
    """Sums of `values` up to and with each, by `PrefixSums` on simulated machines; and the run.

    >>> prefix_sums_on_machines(np.arange(1, 8), machines=3, words=8)[0].tolist()
    [1, 3, 6, 10, 15, 21, 28]
    """
    values, machines = np.asarray(values, np.int64), whole_number("machines", machines)
    share = -(-len(values) // machines)
    fans = [fan for fan in range(2, words) if fan * PrefixSums(machines, fan).depth <= words - share]
    if not fans:
        raise InvalidInput(f"words must leave room for a tree beside a machine's {share} numbers, got {words}")
    shares = spread(values[:, None], machines, words)
    protocol = PrefixSums(machines, fans[-1])
    memories: list[Memory] = [{"values": rows[:, 0]} for rows in shares]
    run = run_protocol(protocol, memories, words, 2 * protocol.depth + 1)
    return np.concatenate([memory["values"] for memory in run.memories]), run
