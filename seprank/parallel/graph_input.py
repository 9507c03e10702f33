"""A graph as the input of a protocol: its vertices numbered, edges and vertices spread over machines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from seprank.errors import InvalidInput
from seprank.parallel.combining_tree import TreeProtocol
from seprank.parallel.components import HookAndShortcut, LabelPropagation, RandomMate
from seprank.parallel.mpc import Memory, MPCRun, Progress, run_protocol, spread
from seprank.parallel.sizes import PROTOCOLS, Sizes, default_sizes, tree_depth
from seprank.validate import whole_number

if TYPE_CHECKING:
    import networkx


def graph_memories(protocol: str, edges: NDArray[np.int64], vertices: int, sizes: Sizes) -> list[Memory]:
    """The input of a protocol, spread evenly: edges of vertices ``0..vertices-1`` as rows (u, v)."""
    own = np.arange(vertices)
    if protocol == "random-mate":
        parts = {"edges": edges, "vertices": np.stack([own, own], axis=1)}
    elif protocol == "label-propagation":
        parts = {"edges": np.hstack([edges, edges]), "vertices": np.stack([own, own], axis=1)}
    else:
        parts = {"edges": edges, "vertices": np.stack([own, own, own], axis=1)}
    shares = {name: spread(rows, sizes.machines, sizes.words) for name, rows in parts.items()}
    changed = {} if protocol == "random-mate" else {"changed": np.array([1])}
    return [
        {**{name: share[machine] for name, share in shares.items()}, **changed} for machine in range(sizes.machines)
    ]


SECONDS_A_STEP = 1.5e-4  # of one machine in one round, measured on one core


@dataclass(frozen=True)
class Components:
    """Components found by a protocol. `labels[v]` is that of vertex v; two vertices share one if and only if connected.

    `depth` is the depth of a transformer that runs the protocol: one layer to gather, one a round, one to scatter.
    """

    labels: NDArray[np.int64]
    sizes: Sizes
    run: MPCRun
    iterations: int

    @property
    def components(self) -> int:
        """The number of components."""
        return len(np.unique(self.labels))

    @property
    def depth(self) -> int:
        """``R + 2`` (Theorem 3.1, our count)."""
        return self.run.rounds + 2


def connected_components(
    edges: NDArray[np.int64],
    vertices: int,
    protocol: str = "random-mate",
    sizes: Sizes | None = None,
    seed: int = 0,
    most_iterations: int | None = None,
    progress: Progress | None = None,
) -> Components:
    """Run a protocol for connected components on simulated machines with enforced memory.

    Parameters
    ----------
    edges : shape ``(E, 2)``, rows of vertices ``0..vertices-1``; direction, loops and repetition do not matter.
    protocol : one of `PROTOCOLS`. sizes : left out, `default_sizes`. seed : of the public hash; the answer does not
        depend on it, the rounds do.
    progress : called as ``progress(round, most_rounds)``.

    Raises `InvalidInput` for bad input and `CapExceeded` where a machine's memory does not suffice.

    >>> found = connected_components(np.array([[0, 1], [2, 3]]), vertices=5)
    >>> found.components, found.labels.tolist()
    (3, [0, 0, 2, 2, 4])
    """
    if protocol not in PROTOCOLS:
        raise InvalidInput(f"protocol must be one of {', '.join(PROTOCOLS)}, got {protocol!r}")
    vertices = whole_number("vertices", vertices)
    edges = np.asarray(edges, np.int64).reshape(-1, 2)
    if len(edges) and not 0 <= edges.min() <= edges.max() < vertices:
        raise InvalidInput(f"edges must join vertices from 0 to {vertices - 1}, got {edges.min()} to {edges.max()}")
    edges = edges[edges[:, 0] != edges[:, 1]]
    sizes = default_sizes(vertices, len(edges), protocol=protocol) if sizes is None else sizes
    kinds: dict[str, Callable[..., TreeProtocol]] = {
        "random-mate": RandomMate,
        "label-propagation": LabelPropagation,
        "hook-and-shortcut": HookAndShortcut,
    }
    rule = kinds[protocol](sizes.machines, sizes.fan, seed)
    enough = vertices + 2 if protocol == "label-propagation" else 40 + 20 * vertices.bit_length()
    iterations = most_iterations or enough
    memories = graph_memories(protocol, edges, vertices, sizes)
    run = run_protocol(rule, memories, sizes.words, iterations * rule.rounds_per_iteration + 1, progress=progress)
    return Components(_labels(run, vertices), sizes, run, run.rounds // rule.rounds_per_iteration)


def likely_seconds(vertices: int, sizes: Sizes, protocol: str) -> float:
    """A rough time of a run that takes a logarithmic number of iterations; 0 for label propagation, which may not."""
    if protocol == "label-propagation":
        return 0.0
    iterations = 1.6 * vertices.bit_length() if protocol == "random-mate" else 3 * vertices.bit_length()
    return SECONDS_A_STEP * sizes.machines * 2 * tree_depth(sizes.machines, sizes.fan) * iterations


def _labels(run: MPCRun, vertices: int) -> NDArray[np.int64]:
    """Labels by vertex, renamed to the least vertex of each component."""
    rows = np.concatenate([memory["vertices"][:, :2] for memory in run.memories])
    labels = np.empty(vertices, np.int64)
    labels[rows[:, 0]] = rows[:, 1]
    _, inverse = np.unique(labels, return_inverse=True)
    least = np.full(int(inverse.max()) + 1, vertices)
    np.minimum.at(least, inverse, np.arange(vertices))
    return least[inverse]


def graph_edges(graph: networkx.Graph) -> tuple[NDArray[np.int64], list[object], int]:
    """Edges as rows of numbers, the nodes in the order of their numbers, and how many loops were left out.

    Raises `InvalidInput` for directed graphs, multigraphs and graphs without nodes.
    """
    if graph.is_directed() or graph.is_multigraph():
        kind = "directed graph" if graph.is_directed() else "multigraph"
        raise InvalidInput(f"graph must be undirected with single edges, got a {kind}")
    nodes = list(graph.nodes)
    if not nodes:
        raise InvalidInput("graph must have at least one vertex, got an empty one")
    number = {node: place for place, node in enumerate(nodes)}
    pairs = [(number[u], number[v]) for u, v in graph.edges]
    rows = np.array([pair for pair in pairs if pair[0] != pair[1]], np.int64).reshape(-1, 2)
    return rows, nodes, len(pairs) - len(rows)
