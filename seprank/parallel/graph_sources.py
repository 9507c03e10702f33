"""Graphs by name (``path:1000``) or from a file of edges, as rows of vertex numbers.

Direction is ignored, an edge that is given again counts once, and loops are left out; what was dropped is counted.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from seprank.errors import InvalidInput, TooLarge

MOST_EDGES = 20_000_000
KINDS = "path:N, cycle:N, two-cycles:N, star:N, grid:R:C, gnp:N:P or a file of edges"


@dataclass(frozen=True)
class GraphInput:
    """A simple undirected graph: `edges` (E, 2) join vertices ``0..vertices-1``; and how many rows were dropped."""

    name: str
    vertices: int
    edges: NDArray[np.int64]
    loops: int = 0
    repeated: int = 0

    def shuffled(self, seed: int) -> GraphInput:
        """The same graph with its vertices numbered anew at random, and its edges in another order."""
        rng = np.random.default_rng(seed)
        edges = rng.permutation(self.vertices)[self.edges]
        return GraphInput(self.name, self.vertices, edges[rng.permutation(len(edges))], self.loops, self.repeated)


def named_graph(text: str, seed: int = 0) -> GraphInput:
    """The graph that `text` names: a family with its sizes, or else the path of a file of edges.

    Sizes: ``path:N``, ``cycle:N`` (N >= 3), ``two-cycles:N`` (two cycles of N / 2 vertices, N even and >= 6),
    ``star:N`` (a centre and N - 1 leaves), ``grid:R:C``, ``gnp:N:P`` (each pair an edge with probability P, by `seed`).
    Raises `InvalidInput` for anything else and `TooLarge` beyond 20 million edges or vertices.

    >>> named_graph("two-cycles:6").edges.tolist()
    [[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5]]
    """
    kind, *sizes = text.split(":")
    families: dict[str, tuple[int, Callable[..., tuple[int, NDArray[np.int64]]]]] = {
        "path": (1, _path),
        "cycle": (1, _cycle),
        "two-cycles": (1, _two_cycles),
        "star": (1, _star),
        "grid": (2, _grid),
        "gnp": (2, lambda n, p: _gnp(n, p, seed)),
    }
    if kind not in families or (not sizes and Path(text).exists()):
        return edge_file(Path(text))
    count, family = families[kind]
    if len(sizes) != count:
        raise InvalidInput(f"graph must be {KINDS}, got {text!r}")
    vertices, edges = family(*sizes)
    return simple_graph(text, vertices, edges)


def edge_file(path: Path) -> GraphInput:
    """The graph of a text file with an edge a line: two vertex names, then anything (such as a weight).

    Names are any text without spaces; lines that are empty or begin with ``#`` or ``%`` are skipped. The file is read
    line by line. Raises `InvalidInput` with the number of a line that is no edge, or for a file that holds none.
    """
    numbers: dict[str, int] = {}
    ends = array("q")
    try:
        with path.open(encoding="utf-8") as lines:
            for place, line in enumerate(lines, start=1):
                words = line.split(None, 2)
                if not words or words[0][0] in "#%":
                    continue
                if len(words) < 2:
                    raise InvalidInput(f"line {place} of {str(path)!r} must name two vertices, got {words[0][:60]!r}")
                for word in words[:2]:
                    ends.append(numbers.setdefault(word, len(numbers)))
                if len(ends) > 2 * MOST_EDGES:
                    raise TooLarge(f"graph must have at most {MOST_EDGES} edges, {str(path)!r} has more")
    except OSError as error:
        raise InvalidInput(f"graph must be {KINDS}, got {str(path)!r}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"graph must be a text file in UTF-8, got {str(path)!r}") from None
    if not len(ends):
        raise InvalidInput(f"graph must have at least one edge in its file, got none in {str(path)!r}")
    return simple_graph(str(path), len(numbers), np.frombuffer(ends, np.int64).reshape(-1, 2))


def simple_graph(name: str, vertices: int, edges: NDArray[np.int64]) -> GraphInput:
    """Rows as a simple undirected graph, sorted ends, with the numbers of loops and repetitions that were dropped.

    >>> simple_graph("mine", 3, np.array([[0, 1], [1, 0], [2, 2]]))
    GraphInput(name='mine', vertices=3, edges=array([[0, 1]]), loops=1, repeated=1)
    """
    rows = np.sort(edges.reshape(-1, 2), axis=1)
    proper = rows[rows[:, 0] != rows[:, 1]]
    first = np.sort(np.unique(proper[:, 0] * vertices + proper[:, 1], return_index=True)[1])
    return GraphInput(name, vertices, proper[first], len(rows) - len(proper), len(proper) - len(first))


def least_vertices(graph: GraphInput) -> NDArray[np.int64]:
    """The least vertex of every vertex's component by networkx, shape ``(vertices,)``: what a protocol must find.

    Raises `InvalidInput` where networkx (the extra `graphs`) is not installed.
    """
    try:
        import networkx
    except ImportError:
        raise InvalidInput("networkx must be installed to compare components, got no such package") from None
    reference = networkx.Graph()
    reference.add_nodes_from(range(graph.vertices))
    reference.add_edges_from(zip(graph.edges[:, 0].tolist(), graph.edges[:, 1].tolist(), strict=True))
    labels = np.empty(graph.vertices, np.int64)
    for component in networkx.connected_components(reference):
        labels[list(component)] = min(component)
    return labels


def _size(text: str, name: str, least: int) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < least:
        raise InvalidInput(f"graph must have {name} as a whole number at least {least}, got {text!r}")
    if int(text) > MOST_EDGES:
        raise TooLarge(f"graph must have at most {MOST_EDGES} vertices, got {text}")
    return int(text)


def _path(text: str) -> tuple[int, NDArray[np.int64]]:
    n = _size(text, "N", 1)
    return n, np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)


def _cycle(text: str) -> tuple[int, NDArray[np.int64]]:
    n = _size(text, "N", 3)
    return n, np.stack([np.arange(n), (np.arange(n) + 1) % n], axis=1)


def _two_cycles(text: str) -> tuple[int, NDArray[np.int64]]:
    n = _size(text, "N", 6)
    if n % 2:
        raise InvalidInput(f"graph must have an even N for two cycles of N / 2 vertices, got {text!r}")
    _, one = _cycle(str(n // 2))
    return n, np.concatenate([one, one + n // 2])


def _star(text: str) -> tuple[int, NDArray[np.int64]]:
    n = _size(text, "N", 1)
    return n, np.stack([np.zeros(n - 1, np.int64), np.arange(1, n)], axis=1)


def _grid(rows_text: str, columns_text: str) -> tuple[int, NDArray[np.int64]]:
    rows, columns = _size(rows_text, "R", 1), _size(columns_text, "C", 1)
    if rows * columns > MOST_EDGES // 2:
        raise TooLarge(f"graph must have at most {MOST_EDGES} edges, got a grid of {rows * columns} vertices")
    place = np.arange(rows * columns).reshape(rows, columns)
    along = [np.stack([place[:, :-1].ravel(), place[:, 1:].ravel()], axis=1)]
    return rows * columns, np.concatenate([*along, np.stack([place[:-1].ravel(), place[1:].ravel()], axis=1)])


def _gnp(text: str, probability: str, seed: int) -> tuple[int, NDArray[np.int64]]:
    n = _size(text, "N", 1)
    try:
        p = float(probability)
    except ValueError:
        p = math.nan
    if not 0 <= p <= 1:
        raise InvalidInput(f"graph must have P as a number from 0 to 1, got {probability!r}")
    pairs = n * (n - 1) // 2
    if p * pairs > MOST_EDGES:
        raise TooLarge(f"graph must have at most {MOST_EDGES} edges, got about {p * pairs:.1e} in gnp")
    rng = np.random.default_rng(seed)
    chosen = _distinct(pairs, int(rng.binomial(pairs, p)), rng)
    # Pair number b (b - 1) / 2 + a is (a, b) with a < b.
    b = ((1 + np.sqrt(1 + 8.0 * chosen)) / 2).astype(np.int64)
    b -= b * (b - 1) // 2 > chosen
    b += b * (b + 1) // 2 <= chosen
    return n, np.stack([chosen - b * (b - 1) // 2, b], axis=1)


def _distinct(below: int, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """`count` different whole numbers below `below`, each set as likely, in ascending order."""
    if 4 * count > below:
        return np.sort(rng.permutation(below)[:count]).astype(np.int64)
    found = np.zeros(0, np.int64)
    while len(found) < count:
        found = np.unique(np.concatenate([found, rng.integers(0, below, count - len(found))]))
    return found
