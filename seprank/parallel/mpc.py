"""A simulator of massively parallel computation that enforces machines, memory and rounds.

Every machine has a memory of at most `words` words. A round: each machine computes from its own memory and its inbox
alone, sends at most `words` words, receives at most `words` words. Only `Exchange` moves data between machines.
Source: sanford2024log, Section 3 (the model of Andoni et al. 2018).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from seprank.errors import InvalidInput, SeprankError
from seprank.validate import whole_number

Words = NDArray[np.int64]
Memory = Mapping[str, Words]
Progress = Callable[[int, int], None]


class CapExceeded(SeprankError):
    """A machine sent, received or kept more words than it has; says which, in which round, and how many."""

    exit_code = 2


class Messages(NamedTuple):
    """Messages of one width: `machines` (m,) names the other end, `words` (m, width) the content."""

    machines: Words
    words: Words

    @classmethod
    def none(cls, width: int = 1) -> Messages:
        """No messages."""
        return cls(np.zeros(0, np.int64), np.zeros((0, width), np.int64))


class Step(NamedTuple):
    """What a machine does in a round: its new memory, what it sends, and whether it has finished."""

    memory: Memory
    outbox: Messages
    done: bool


class MPCProtocol(Protocol):
    """A protocol: how input is spread, and what one machine does in a round from what it holds itself.

    It must be a frozen dataclass of numbers and text, so that it cannot carry data from one machine to another. `step`
    must be a function of its arguments alone; `audit` replays steps in a fresh process and compares.
    """

    def step(self, machine: int, memory: Memory, inbox: Messages, round: int) -> Step: ...


class Exchange(Protocol):
    """The one way in which data move: outboxes of all machines in, inboxes of all machines out, one round."""

    def __call__(self, outboxes: Sequence[Messages], round: int) -> list[Messages]: ...


@dataclass(frozen=True)
class MPCRun:
    """A finished run: memories of all machines, rounds used, and the largest number of words sent, received, kept.

    `loads` holds the same three maxima for every round.
    """

    memories: tuple[Memory, ...]
    rounds: int
    loads: tuple[tuple[int, int, int], ...]

    @property
    def max_load(self) -> int:
        """The most words that a machine sent or received in a round."""
        return max((max(sent, received) for sent, received, _ in self.loads), default=0)

    @property
    def max_memory(self) -> int:
        """The most words that a machine kept from one round to the next."""
        return max((kept for _, _, kept in self.loads), default=0)


def run_protocol(
    protocol: MPCProtocol,
    memories: Sequence[Memory],
    words: int,
    most_rounds: int,
    exchange: Exchange | None = None,
    progress: Progress | None = None,
    watch: Callable[[int, int, Memory, Messages, Step], None] | None = None,
) -> MPCRun:
    """Run `protocol` until every machine has finished.

    Parameters
    ----------
    memories : what each machine holds at the start; their number is the number of machines.
    words : memory of a machine, and the most it sends or receives in a round.
    most_rounds : a run that needs more is given up. exchange : how messages travel; left out, directly.
    progress : called as ``progress(round, most_rounds)``. watch : called with every step, for `audit`.

    Raises `CapExceeded` with the machine and the round, and `InvalidInput` for a protocol that could carry data.
    """
    refuse_shared_state(protocol)
    words = whole_number("words", words)
    carry = direct_exchange if exchange is None else exchange
    kept = [_frozen(memory) for memory in memories]
    inboxes = [Messages.none() for _ in kept]
    loads: list[tuple[int, int, int]] = []
    for machine, memory in enumerate(kept):
        _check(_size(memory), words, machine, 0, "holds at the start")
    for round in range(1, whole_number("most_rounds", most_rounds) + 1):
        steps = []
        for machine, (memory, inbox) in enumerate(zip(kept, inboxes, strict=True)):
            step = protocol.step(machine, memory, inbox, round)
            if watch is not None:
                watch(machine, round, memory, inbox, step)
            _check(step.outbox.words.size, words, machine, round, "sends")
            _check(_size(step.memory), words, machine, round, "keeps")
            steps.append(step)
        kept = [_frozen(step.memory) for step in steps]
        sent = max(step.outbox.words.size for step in steps)
        if all(step.done for step in steps):
            loads.append((sent, 0, max(map(_size, kept))))
            return MPCRun(tuple(kept), round - 1, tuple(loads))
        inboxes = carry([step.outbox for step in steps], round)
        for machine, inbox in enumerate(inboxes):
            _check(inbox.words.size, words, machine, round, "receives")
        received = max(inbox.words.size for inbox in inboxes)
        loads.append((sent, received, max(map(_size, kept))))
        if progress is not None:
            progress(round, most_rounds)
    raise CapExceeded(f"most_rounds must be enough for the protocol to finish, got {most_rounds}")


def direct_exchange(outboxes: Sequence[Messages], round: int) -> list[Messages]:
    """Carry messages from machine to machine; an inbox is sorted by sender, in the order sent.

    Raises `CapExceeded` for a receiver that does not exist.
    """
    machines = len(outboxes)
    full = [(sender, box) for sender, box in enumerate(outboxes) if len(box.machines)]
    if not full:
        return [Messages.none() for _ in outboxes]
    widths = {box.words.shape[1] for _, box in full}
    if len(widths) != 1:
        raise InvalidInput(f"outboxes must have one width in a round, got {sorted(widths)} in round {round}")
    receivers = np.concatenate([box.machines for _, box in full])
    senders = np.repeat([sender for sender, _ in full], [len(box.machines) for _, box in full])
    if receivers.min() < 0 or receivers.max() >= machines:
        wrong = int(senders[(receivers < 0) | (receivers >= machines)][0])
        raise CapExceeded(f"machine {wrong} sends to a machine that does not exist in round {round}")
    content = np.concatenate([box.words for _, box in full])
    order = np.argsort(receivers, kind="stable")
    bounds = np.searchsorted(receivers[order], np.arange(machines + 1))
    senders, content = senders[order], content[order]
    return [
        Messages(senders[start:stop], content[start:stop])
        for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
    ]


def refuse_shared_state(protocol: object) -> None:
    """Raise `InvalidInput` unless `protocol` is a frozen dataclass whose fields are numbers and text only."""
    name = type(protocol).__name__
    parameters = getattr(type(protocol), "__dataclass_params__", None)
    if not is_dataclass(protocol) or isinstance(protocol, type) or parameters is None or not parameters.frozen:
        raise InvalidInput(f"protocol must be a frozen dataclass, got {name}")
    named = {field.name for field in fields(protocol)}
    for key in {*named, *getattr(protocol, "__dict__", {})}:
        value = getattr(protocol, key)
        if key not in named or not isinstance(value, int | float | str | bool):
            raise InvalidInput(f"protocol must hold numbers and text only, got {name} with {key} = {value!r}")


def _check(count: int, words: int, machine: int, round: int, does: str) -> None:
    if count > words:
        raise CapExceeded(
            f"words must be enough for every machine, got {words}: machine {machine} {does} {count} in round {round}"
        )


def _size(memory: Memory) -> int:
    return sum(values.size for values in memory.values())


def _frozen(memory: Memory) -> dict[str, Words]:
    """A copy that nobody can change: steps get no way to write into a memory that others may hold."""
    copies = {name: np.array(values, dtype=np.int64) for name, values in memory.items()}
    for values in copies.values():
        values.setflags(write=False)
    return copies


def spread(values: NDArray[Any], machines: int, words: int) -> list[Words]:
    """Rows of `values` in equal shares over `machines`, each at most `words` words; raises `InvalidInput` otherwise.

    >>> [part.tolist() for part in spread(np.array([[1], [2], [3]]), machines=2, words=2)]
    [[[1], [2]], [[3]]]
    """
    share = -(-len(values) // machines)
    if share * values.shape[1] > words:
        raise InvalidInput(
            f"words must hold a machine's share of the input, got {words}: {len(values)} rows of {values.shape[1]} on "
            f"{machines} machines need {share * values.shape[1]}"
        )
    return [np.asarray(values[i * share : (i + 1) * share], np.int64) for i in range(machines)]
