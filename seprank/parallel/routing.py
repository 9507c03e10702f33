"""One attention layer that delivers a round of messages, although receivers do not know their senders.

Machines and one sink are the tokens; there is no mask. Keys encode sets of destinations, so that a receiver averages
over its senders; values are hashed, so that the average can be taken apart again; a self-check tells when it cannot.
Source: sanford2024log, Lemma 3.2, rebuilt in docs/parallel.md, routing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seprank.errors import InvalidInput, TooLarge
from seprank.machine import memory_available
from seprank.parallel.codebook import Codebook, default_dimension
from seprank.parallel.decoder import softmax
from seprank.validate import whole_number

Outboxes = Sequence[Mapping[int, Sequence[int]]]  # for every machine: receiver -> the words sent to it
TRUSTED = 0.4  # a rounding by more than this raises the flag; from 1/2 on the number is wrong
HEADER = 3  # a bucket holds (1, sender, receiver, words ...)


@dataclass(frozen=True, eq=False)
class Delivery:
    """What arrived. `inboxes[i]` maps a sender to its words, as decoded; `flagged` lists machines whose check failed.

    `worst_score` is the largest score of a machine that is no destination (1 for destinations; the margin is 1/2),
    `deviation` the largest distance of a rounded number from a whole one, `width` the numbers a query and a value have.
    """

    inboxes: tuple[dict[int, tuple[int, ...]], ...]
    flagged: tuple[int, ...]
    temperature: float
    worst_score: float
    deviation: float
    query_width: int
    value_width: int
    weights: NDArray[Any]


def temperature(machines: int, fan_in: int, largest: int) -> float:
    """``2 ln(16 N (beta + 1) beta max(N, P))``: off-destination weights then leave every rounding within its margin.

    >>> round(temperature(64, 2, 1000), 1)
    31.3
    """
    return 2 * math.log(16 * machines * (fan_in + 1) * fan_in * max(machines, largest))


def route(
    book: Codebook,
    outboxes: Outboxes,
    payload: int,
    words: int = 1,
    dtype: str = "float64",
    scale: float = 1.0,
    key_bits: int | None = None,
) -> Delivery:
    """Deliver all messages of a round by one softmax attention layer over machine tokens and a sink.

    Parameters
    ----------
    book : the tables that all machines know.
    outboxes : for every machine a mapping from receivers to the `words` whole numbers it sends there, each from 0 to
        ``payload - 1``; at most ``book.fan_in`` messages are sent and received by any machine.
    dtype : number type of queries, keys, values and weights: "float64", "float32" or "float16".
    scale : factor on the temperature, for experiments. key_bits : round keys to so many fractional bits.

    The delivery checks itself: a machine whose decoded messages are not exactly as many as its weight on the sink says,
    contradict one another, or were rounded by more than 0.4, is listed in ``flagged``. No flag is strong evidence that
    all messages arrived, not a proof; with ``worst_score`` at most 1/2 and ``scale`` 1 the weights are as they should.
    Raises `InvalidInput` for messages that break a rule, naming the machine. Source: docs/parallel.md, routing.

    >>> book = Codebook(machines=4, fan_in=1)
    >>> sent = route(book, [{1: [7]}, {2: [8]}, {}, {0: [9]}], payload=10)
    >>> sent.inboxes
    ({3: (9,)}, {0: (7,)}, {1: (8,)}, {})
    """
    check_outboxes(book, outboxes, payload, words)
    N, d = book.signs.shape
    T = scale * temperature(N, book.fan_in, payload)
    keys = np.stack([book.key(sorted(box)) for box in outboxes])
    if key_bits is not None:
        keys = np.round(keys * 2.0**key_bits) / 2.0**key_bits
    scores = book.signs @ keys.T / d
    queries = np.hstack([book.signs, np.ones((N, 1))]) * (T / d)
    all_keys = np.vstack([np.hstack([keys, np.zeros((N, 1))]), np.append(np.zeros(d), d)])
    values = np.vstack([_values(book, outboxes, words), np.zeros((1, _value_width(book, words)))])
    values[-1, -1] = 1  # the marker of the sink
    kind = np.dtype(dtype)
    weights = softmax((queries.astype(kind) @ all_keys.astype(kind).T).astype(kind), np)
    received = weights @ values.astype(kind)
    inboxes, flagged, deviation = _decoded(book, received.astype(np.float64), words)
    return Delivery(
        tuple(inboxes),
        tuple(flagged),
        T,
        _worst_score(scores, outboxes),
        deviation,
        d + 1,
        values.shape[1],
        weights,
    )


def misrouted(outboxes: Outboxes, found: Delivery) -> list[int]:
    """Machines whose inbox differs from what was sent to them, in ascending order.

    >>> book = Codebook(machines=2, fan_in=1)
    >>> misrouted([{1: [3]}, {}], route(book, [{1: [3]}, {}], payload=4))
    []
    """
    expected: list[dict[int, tuple[int, ...]]] = [{} for _ in outboxes]
    for sender, box in enumerate(outboxes):
        for receiver, message in box.items():
            expected[receiver][sender] = tuple(message)
    return [machine for machine, inbox in enumerate(found.inboxes) if inbox != expected[machine]]


def refuse_if_large(machines: int, fan_in: int, words: int, rows: int, dimension: int | None = None) -> None:
    """Raise `TooLarge` where queries, keys, weights and values would take more than half of the free memory."""
    d = default_dimension(machines, fan_in) if dimension is None else dimension
    values = 2 * rows * 2 * fan_in**2 * (HEADER + words)
    needed, free = 8 * machines * (3 * machines + 4 * d + values), memory_available()
    if free is not None and needed > free // 2:
        raise TooLarge(
            f"machines must leave the layer in half of the free memory, got machines={machines}, beta={fan_in}: "
            f"{needed / 2**30:.1f} GiB of {free / 2**31:.1f} GiB"
        )


def check_outboxes(book: Codebook, outboxes: Outboxes, payload: int, words: int) -> None:
    """Raise `InvalidInput` unless the messages keep to the sizes of `book`, naming the machine that does not."""
    N, most = book.machines, book.fan_in
    payload, words = whole_number("payload", payload), whole_number("words", words)
    if len(outboxes) != N:
        raise InvalidInput(f"outboxes must be one for each of {N} machines, got {len(outboxes)}")
    received = [0] * N
    for sender, box in enumerate(outboxes):
        if len(box) > most:
            raise InvalidInput(f"machine {sender} must send at most {most} messages, got {len(box)}")
        for receiver, message in box.items():
            whole_number("receiver", receiver, least=0, most=N - 1)
            received[receiver] += 1
            if len(message) != words or any(not 0 <= word < payload for word in message):
                raise InvalidInput(
                    f"machine {sender} must send {words} whole numbers from 0 to {payload - 1}, got {list(message)}"
                )
    for receiver, count in enumerate(received):
        if count > most:
            raise InvalidInput(f"machine {receiver} must receive at most {most} messages, got {count}")


def _value_width(book: Codebook, words: int) -> int:
    return book.rows * book.buckets * (HEADER + words) + 1


def _values(book: Codebook, outboxes: Outboxes, words: int) -> NDArray[np.float64]:
    table = np.zeros((len(outboxes), book.rows, book.buckets, HEADER + words))
    for sender, box in enumerate(outboxes):
        for receiver, message in box.items():
            rows = np.arange(book.rows)
            table[sender, rows, book.bucket(rows, sender, receiver)] += (1, sender, receiver, *message)
    marker = np.zeros((len(outboxes), 1))
    return np.hstack([table.reshape(len(outboxes), -1), marker])


def _decoded(
    book: Codebook, received: NDArray[np.float64], words: int
) -> tuple[list[dict[int, tuple[int, ...]]], list[int], float]:
    """Row-wise: what every machine reads out of the average that it received, and which machines distrust it."""
    inboxes: list[dict[int, tuple[int, ...]]] = []
    flagged, deviation = [], 0.0
    for machine, row in enumerate(received):
        marker = row[-1]
        if not marker > 0:
            inboxes.append({})
            flagged.append(machine)
            continue
        expected = 1 / marker - 1
        own = abs(expected - round(expected))
        table = row[:-1].reshape(book.rows, book.buckets, HEADER + words)
        found, clash, worst = _messages(book, machine, table, marker)
        own = max(own, worst)
        deviation = max(deviation, own)
        inboxes.append(dict(sorted(found.items())))
        if clash or own > TRUSTED or len(found) != round(expected):
            flagged.append(machine)
    return inboxes, flagged, deviation


def _messages(
    book: Codebook, machine: int, table: NDArray[np.float64], marker: float
) -> tuple[dict[int, tuple[int, ...]], bool, float]:
    """Messages alone in a bucket, whether two of a sender differ, and the worst rounding.

    Dividing by the bucket's own occupancy, not by the number of senders, makes unequal weights cancel.
    """
    rows, buckets = np.nonzero(np.round(table[..., 0] / marker) == 1)
    if not len(rows):
        return {}, False, 0.0
    numbers = table[rows, buckets, 1:] / table[rows, buckets, :1]
    whole = np.round(numbers)
    sender, receiver = whole[:, 0].astype(np.int64), whole[:, 1].astype(np.int64)
    expected = book.bucket(rows, np.maximum(sender, 0), machine)
    mine = (receiver == machine) & (sender >= 0) & (sender < book.machines) & (expected == buckets)
    found: dict[int, tuple[int, ...]] = {}
    clash = False
    for j, message in zip(sender[mine].tolist(), whole[mine, 2:].astype(np.int64).tolist(), strict=True):
        clash |= found.setdefault(j, tuple(message)) != tuple(message)
    worst = float(np.abs(numbers - whole)[mine].max()) if mine.any() else 0.0
    return found, clash, worst


def _worst_score(scores: NDArray[np.float64], outboxes: Outboxes) -> float:
    """The largest score <w_i, z_j> / d of a machine i that sender j does not send to."""
    others = scores.copy()
    for sender, box in enumerate(outboxes):
        others[list(box), sender] = -math.inf
    return float(others.max())
