"""How many machines, how much memory and what fan-in let a protocol for components keep to its caps.

The loads that hashing makes fluctuate; the sizes leave room for it by a bound on sums of independent weights, so that
a run breaks a cap with probability at most `RISK`. Source: docs/parallel.md, sizes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from seprank.errors import InvalidInput
from seprank.validate import real_number, whole_number

PROTOCOLS = ("random-mate", "label-propagation", "hook-and-shortcut")
RISK = 0.01  # the probability, over the public hash, that some machine overflows in `ITERATIONS` iterations
ITERATIONS = 100
MESSAGE = 3  # words: key, group, value
LEAST_WORDS = 64
MOST_SHARE = 40  # the memory of all machines, in multiples of the input; beyond, more words a machine are better
_MOST_DEPTH = 12
_KEPT = {"random-mate": (2, 2), "label-propagation": (4, 2), "hook-and-shortcut": (6, 3)}  # words an edge, a vertex
_ASKED = {"random-mate": (2, 1), "label-propagation": (2, 1), "hook-and-shortcut": (4, 2)}  # requests, likewise


@dataclass(frozen=True)
class Sizes:
    """Machines and words: `words` is the memory s of a machine, `machines` their number q, `fan` the tree's fan-in."""

    machines: int
    words: int
    fan: int


def default_sizes(
    vertices: int, edges: int, delta: float = 0.4, words: int | None = None, protocol: str = "random-mate"
) -> Sizes:
    """Sizes for a graph: ``s = c w**delta`` for w = 2 edges + vertices words of input, and machines and fan-in by it.

    c is 16 from delta = 1/2 on and 24 below; s is raised by steps of a quarter where no number of machines would be
    safe. Machines and fan-in are those of the cheapest tree that breaks a cap with probability at most `RISK` over
    the public hash, for every graph of this size (docs/parallel.md, sizes). Given `words` too small for that are used
    all the same, with 24 times the memory of the input: then the simulator may refuse.

    Raises `InvalidInput` for a `delta` outside (0, 1), `words` below 64 or another protocol.

    >>> default_sizes(1000, 999)
    Sizes(machines=81, words=591, fan=9)
    """
    delta = real_number("delta", delta, positive=True)
    if delta >= 1:
        raise InvalidInput(f"delta must be a number between 0 and 1, got {delta!r}")
    if protocol not in PROTOCOLS:
        raise InvalidInput(f"protocol must be one of {', '.join(PROTOCOLS)}, got {protocol!r}")
    vertices, edges = whole_number("vertices", vertices), whole_number("edges", edges, least=0)
    total = 2 * edges + vertices
    if words is not None:
        words = whole_number("words", words, least=LEAST_WORDS)
        found = _cheapest(vertices, edges, words, protocol)
        return found or Sizes(math.ceil(24 * total / words), words, max(2, words // 48))
    words = max(LEAST_WORDS, math.ceil((16 if delta >= 0.5 else 24) * total**delta))
    while (found := _cheapest(vertices, edges, words, protocol)) is None:
        words += words // 4
    return found


def overflow_bound(vertices: int, edges: int, protocol: str, sizes: Sizes) -> float:
    """An upper bound on the probability that a run of `ITERATIONS` iterations breaks a cap; infinite if it is certain.

    Proved for a public hash that is uniform and independent: a machine's load at a level of the tree is a sum of
    independent weights of at most ``3 fan`` words with mean mu, so it exceeds x with probability at most
    ``exp(-(x ln(x / mu) - x + mu) / (3 fan))``; the bound adds this up over machines, levels and iterations.
    """
    q, s = sizes.machines, sizes.words
    e, v = -(-edges // q), -(-vertices // q)
    kept = e * _KEPT[protocol][0] + v * _KEPT[protocol][1] + 1
    asked = MESSAGE * (e * _ASKED[protocol][0] + v * _ASKED[protocol][1] + 1)
    if max(kept, asked) > s:
        return math.inf
    D = tree_depth(q, sizes.fan)
    most = MESSAGE * (edges * _ASKED[protocol][0] + vertices * _ASKED[protocol][1] + q)  # words at a level, in all
    events = math.log(q * 2 * D * ITERATIONS)
    heaviest = MESSAGE * min(sizes.fan, q)
    tails = [_log_tail(s, most, q, heaviest)] + ([_log_tail(s - kept, (D - 1) * most, q, heaviest)] if D > 1 else [])
    return sum(math.exp(min(700.0, tail + events)) for tail in tails)


def tree_depth(machines: int, fan: int) -> int:
    """Levels of a tree of fan-in `fan` over `machines`, at least 1.

    >>> tree_depth(machines=100, fan=10), tree_depth(machines=101, fan=10)
    (2, 3)
    """
    depth, reach = 1, fan
    while reach < machines:
        depth, reach = depth + 1, reach * fan
    return depth


def _log_tail(room: float, total: float, machines: int, heaviest: float) -> float:
    """Log of the bound on the probability that a machine gets more than `room` of `total` words, spread by hash."""
    if total <= room:
        return -math.inf
    mean = total / machines
    if room <= mean:
        return 0.0
    return -(room * math.log(room / mean) - room + mean) / heaviest


def _cheapest(vertices: int, edges: int, words: int, protocol: str) -> Sizes | None:
    """The safe sizes with the least depth times machines, or None."""
    found = [
        sizes for depth in range(1, _MOST_DEPTH + 1) if (sizes := _fewest(vertices, edges, words, protocol, depth))
    ]
    return min(found, key=lambda sizes: sizes.machines * tree_depth(sizes.machines, sizes.fan), default=None)


def _fewest(vertices: int, edges: int, words: int, protocol: str, depth: int) -> Sizes | None:
    """The fewest machines, to within 2 %, that are safe with a tree of that depth and the least fan-in for it."""
    most = MOST_SHARE * (2 * edges + vertices) // words + 1
    q = 1
    while q <= most:
        sizes = Sizes(q, words, _least_fan(q, depth))
        if overflow_bound(vertices, edges, protocol, sizes) <= RISK:
            return sizes
        q += max(1, q // 50)
    return None


def _least_fan(machines: int, depth: int) -> int:
    fan = max(2, int(machines ** (1 / depth)))
    while fan**depth < machines:
        fan += 1
    return fan
