"""Patterns of messages to try a routing layer on: who sends to whom, with payloads from a seed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from seprank.errors import InvalidInput
from seprank.validate import whole_number

Pattern = list[dict[int, list[int]]]
PATTERNS = ("random", "shift", "blocks", "self", "empty", "to-one", "transpose")


def message_pattern(
    name: str, machines: int, fan_in: int, words: int = 1, payload: int = 1000, seed: int = 0
) -> Pattern:
    """Outboxes for `machines`, each a mapping from receivers to `words` whole numbers below `payload`.

    No machine sends or receives more than `fan_in` messages. "random": `fan_in` random permutations; "shift": to the
    next `fan_in` machines; "blocks": all to all within blocks of `fan_in`; "self": everybody to itself; "empty": no
    messages; "to-one": `fan_in` machines to the last one; "transpose": on a square grid (i, j) to (j, i).
    Raises `InvalidInput` for another name or sizes that break a rule.

    >>> message_pattern("shift", machines=3, fan_in=1, payload=1)
    [{1: [0]}, {2: [0]}, {0: [0]}]
    """
    machines = whole_number("machines", machines)
    fan_in = whole_number("fan_in", fan_in, most=machines)
    words, payload = whole_number("words", words), whole_number("payload", payload, most=1 << 52)
    rng = np.random.default_rng(whole_number("seed", seed, least=0))
    makers: dict[str, Callable[[], NDArray[np.int64]]] = {
        "random": lambda: _random(machines, fan_in, rng),
        "shift": lambda: (np.arange(machines)[:, None] + np.arange(1, fan_in + 1)) % machines,
        "blocks": lambda: _blocks(machines, fan_in),
        "self": lambda: np.arange(machines)[:, None],
        "empty": lambda: np.full((machines, 1), -1),
        "to-one": lambda: np.where(np.arange(machines) < fan_in, machines - 1, -1)[:, None],
        "transpose": lambda: _transpose(machines),
    }
    if name not in makers:
        raise InvalidInput(f"pattern must be one of {', '.join(PATTERNS)}, got {name!r}")
    targets = makers[name]()
    return [
        {to: rng.integers(0, payload, words).tolist() for to in sorted(set(row)) if to >= 0} for row in targets.tolist()
    ]


def _random(machines: int, fan_in: int, rng: np.random.Generator) -> NDArray[np.int64]:
    return np.stack([rng.permutation(machines) for _ in range(fan_in)], axis=1)


def _blocks(machines: int, fan_in: int) -> NDArray[np.int64]:
    start = np.arange(machines) // fan_in * fan_in
    found = start[:, None] + np.arange(fan_in)
    return np.where(found < machines, found, -1)


def _transpose(machines: int) -> NDArray[np.int64]:
    side = int(np.sqrt(machines))
    place = np.arange(machines)
    turned = place % side * side + place // side
    return np.where(place < side * side, turned, -1)[:, None]
