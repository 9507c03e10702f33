"""Small graphs and what is true of them, in plain Python."""

from __future__ import annotations

import random
from collections.abc import Sequence

Edges = list[tuple[int, int]]


def graph(kind: str, n: int, seed: int = 0) -> Edges:
    """A path, cycle, two cycles of n / 2, star, grid of width 8, or random graph of mean degree 4; names shuffled."""
    half = n // 2
    draw = random.Random(f"{kind} {n} {seed}")
    edges = {
        "path": [(v, v + 1) for v in range(n - 1)],
        "cycle": [(v, (v + 1) % n) for v in range(n)],
        "two cycles": [(v, v // half * half + (v + 1) % half) for v in range(n)],
        "star": [(0, v) for v in range(1, n)],
        "grid": [(v, v + 1) for v in range(n) if v % 8 < 7] + [(v, v + 8) for v in range(n - 8)],
        "random": [(draw.randrange(n), draw.randrange(n)) for _ in range(2 * n)],
    }[kind]
    names = list(range(n))
    draw.shuffle(names)
    found = [(names[u], names[v]) for u, v in edges if u != v]
    draw.shuffle(found)
    return found


def least_labels(edges: Edges, n: int) -> tuple[int, ...]:
    """The least vertex of every vertex's component, by joining sets."""
    parent = list(range(n))

    def root(v: int) -> int:
        while parent[v] != v:
            parent[v] = parent[parent[v]]
            v = parent[v]
        return v

    for u, v in edges:
        a, b = sorted((root(u), root(v)))
        parent[b] = a
    return tuple(root(v) for v in range(n))


def propagation_rounds(edges: Edges, n: int) -> int:
    """Rounds in which every vertex takes the least label around it, until nothing changes (the last one included)."""
    labels, rounds = list(range(n)), 0
    while True:
        new = list(labels)
        for u, v in edges:
            new[u], new[v] = min(new[u], labels[v]), min(new[v], labels[u])
        rounds += 1
        if new == labels:
            return rounds
        labels = new


def shuffled_permutation(n: int, draw: random.Random) -> Sequence[int]:
    """A random permutation of 0..n-1."""
    found = list(range(n))
    draw.shuffle(found)
    return found
