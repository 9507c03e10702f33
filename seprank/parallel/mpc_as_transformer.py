"""A protocol run by attention: every round is one routing layer over machine tokens and a sink.

Source: sanford2024log, Theorem 3.1; the layer is that of `seprank.parallel.routing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from seprank.errors import CheckFailed
from seprank.parallel.codebook import Codebook
from seprank.parallel.combining_tree import NOTHING
from seprank.parallel.mpc import Memory, Messages, MPCProtocol, MPCRun, run_protocol
from seprank.parallel.routing import Delivery, route


@dataclass
class AttentionExchange:
    """An `Exchange` that delivers each round by one softmax attention layer, and keeps what the layers were like.

    `fan_in` bounds the machines that one machine sends to or receives from in a round, `rows` and `seed` are those of
    the codebook. Messages from one machine to another are packed one behind the other into a payload of as many words
    as the longest of the round. Raises `CheckFailed` where a machine's self-check fails, naming it and the round.
    """

    machines: int
    fan_in: int
    rows: int = 14
    seed: int = 0
    dtype: str = "float64"
    layers: list[Delivery] = field(default_factory=list)

    def __call__(self, outboxes: Sequence[Messages], round: int) -> list[Messages]:
        """One round, one attention layer."""
        width = max((box.words.shape[1] for box in outboxes if len(box.machines)), default=1)
        packed = [_packed(box) for box in outboxes]
        longest = max((len(words) for box in packed for words in box.values()), default=1)
        padded = [{to: words + [0] * (longest - len(words)) for to, words in box.items()} for box in packed]
        largest = max((word for box in padded for words in box.values() for word in words), default=0)
        book = Codebook(self.machines, self.fan_in, rows=self.rows, seed=self.seed + round)
        found = route(book, padded, largest + 1, longest, self.dtype)
        if found.flagged:
            raise CheckFailed(f"machine {found.flagged[0]} could not decode its messages in round {round}")
        self.layers.append(found)
        return [_unpacked(inbox, width) for inbox in found.inboxes]

    @property
    def depth(self) -> int:
        """Attention layers so far."""
        return len(self.layers)


def run_by_attention(
    protocol: MPCProtocol,
    memories: Sequence[Memory],
    words: int,
    most_rounds: int,
    fan_in: int,
    rows: int = 14,
    seed: int = 0,
    dtype: str = "float64",
) -> tuple[MPCRun, AttentionExchange]:
    """`run_protocol` with every round carried by an attention layer; the caps are enforced all the same.

    Raises as `run_protocol` and `AttentionExchange` do. The run's result is that of the protocol itself wherever no
    self-check fails and every delivery is right, which a comparison with `run_protocol` shows.
    """
    exchange = AttentionExchange(len(memories), fan_in, rows, seed, dtype)
    return run_protocol(protocol, memories, words, most_rounds, exchange), exchange


def fan_in_of(protocol: MPCProtocol, memories: Sequence[Memory], words: int, most_rounds: int) -> int:
    """The most machines that one machine sends to or receives from in a round of a direct run: what routing needs."""
    most = 1

    def watch(machine: int, round: int, memory: Memory, inbox: Messages, step: object) -> None:
        nonlocal most
        outbox: Messages = step.outbox  # type: ignore[attr-defined]
        most = max(most, len(np.unique(inbox.machines)), len(np.unique(outbox.machines)))

    run_protocol(protocol, memories, words, most_rounds, watch=watch)
    return most


def _packed(box: Messages) -> dict[int, list[int]]:
    """All words for a receiver in one list, coded as numbers from 1 on."""
    found: dict[int, list[int]] = {}
    for receiver, words in zip(box.machines.tolist(), box.words.tolist(), strict=True):
        found.setdefault(receiver, []).extend(map(_coded, words))
    return found


def _coded(word: int) -> int:
    """A word as a payload: 0 is for "no word", 1 for `NOTHING`, then even numbers for words from 0, odd ones below."""
    if word == NOTHING:
        return 1
    return 2 * word + 2 if word >= 0 else 1 - 2 * word


def _plain(code: int) -> int:
    if code == 1:
        return NOTHING
    return code // 2 - 1 if code % 2 == 0 else (1 - code) // 2


def _unpacked(inbox: dict[int, tuple[int, ...]], width: int) -> Messages:
    senders: list[int] = []
    rows: list[list[int]] = []
    for sender, words in inbox.items():
        values = [_plain(word) for word in words if word]
        for start in range(0, len(values), width):
            senders.append(sender)
            rows.append(values[start : start + width])
    if not rows:
        return Messages.none(width)
    return Messages(np.array(senders, np.int64), np.array(rows, np.int64))
