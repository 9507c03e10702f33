"""Rounds of the protocols for components on families of growing graphs, as rows that a file keeps."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np

from seprank.errors import CheckFailed, InvalidInput
from seprank.parallel.graph_input import SECONDS_A_STEP, Components, connected_components, likely_seconds
from seprank.parallel.graph_sources import GraphInput, least_vertices, named_graph
from seprank.parallel.sizes import PROTOCOLS, default_sizes, tree_depth
from seprank.validate import whole_number

SMALL = 0.3  # of the time of a step, for the small shares that machines have here; measured at n = 256
FAMILIES: dict[str, Callable[[int], str]] = {
    "path": lambda n: f"path:{n}",
    "cycle": lambda n: f"cycle:{n}",
    "two-cycles": lambda n: f"two-cycles:{n}",
    "star": lambda n: f"star:{n}",
    "grid": lambda n: f"grid:{math.isqrt(n)}:{math.isqrt(n)}",
    "gnp": lambda n: f"gnp:{n}:{4 / n:.6g}",
}


class Case(NamedTuple):
    """A family at size n (about n vertices for a grid), a protocol, the memory's exponent, the seed of all draws."""

    family: str
    n: int
    protocol: str
    delta: float
    seed: int


class RoundCount(NamedTuple):
    """A run with enforced memory that found the components of networkx; `depth` is that of a transformer for it."""

    case: Case
    vertices: int
    edges: int
    machines: int
    words: int
    iterations: int
    rounds: int
    max_load: int

    @property
    def depth(self) -> int:
        """``R + 2``: one layer to gather, one a round, one to scatter."""
        return self.rounds + 2

    def row(self) -> dict[str, object]:
        """As a row of a table."""
        return self.case._asdict() | {name: value for name, value in self._asdict().items() if name != "case"}


def checked_cases(
    families: Iterable[str], sizes: Sequence[int], protocols: Iterable[str], delta: float, seed: int
) -> list[Case]:
    """All combinations; raises `InvalidInput` for a family, size or protocol that does not exist.

    >>> len(checked_cases(["path"], [16, 32], ["random-mate"], 0.4, 0))
    2
    """
    found = []
    for family in families:
        if family not in FAMILIES:
            raise InvalidInput(f"family must be one of {', '.join(FAMILIES)}, got {family!r}")
        for protocol in protocols:
            if protocol not in PROTOCOLS:
                raise InvalidInput(f"protocol must be one of {', '.join(PROTOCOLS)}, got {protocol!r}")
            for n in sizes:
                named = FAMILIES[family](whole_number("sizes", n, least=6, most=1_000_000))
                found.append(Case(family, n, protocol, delta, whole_number("seed", seed, least=0)))
                default_sizes(n, n, delta, protocol=protocol)
                if family == "two-cycles":
                    named_graph(named)
    return found


def count_rounds(case: Case) -> RoundCount:
    """Run one case; raises `CheckFailed` should its components not be those of networkx.

    >>> count_rounds(Case("path", 32, "label-propagation", 0.4, 0)).iterations > 10
    True
    """
    graph, found = components_of(FAMILIES[case.family](case.n), case.protocol, case.delta, case.seed)
    if not np.array_equal(found.labels, least_vertices(graph)):
        raise CheckFailed(f"components of {graph.name} must be those of networkx, got others by {case.protocol}")
    sizes, run = found.sizes, found.run
    counts = (graph.vertices, len(graph.edges), sizes.machines, sizes.words, found.iterations, run.rounds, run.max_load)
    return RoundCount(case, *counts)


def guessed_seconds(case: Case) -> float:
    """A rough time of a case, for announcements; label propagation is taken to need as many iterations as a path."""
    sizes = default_sizes(case.n, 2 * case.n, case.delta, protocol=case.protocol)
    if case.protocol != "label-propagation":
        return SMALL * likely_seconds(case.n, sizes, case.protocol)
    iterations = case.n if case.family in ("path", "cycle", "two-cycles") else 2 * math.isqrt(case.n)
    return SMALL * SECONDS_A_STEP * sizes.machines * 2 * tree_depth(sizes.machines, sizes.fan) * iterations


def components_of(
    name: str, protocol: str, delta: float, seed: int, progress: Callable[[int, int], None] | None = None
) -> tuple[GraphInput, Components]:
    """The graph called `name`, its vertices numbered anew by the seed, and the run of a protocol on it."""
    graph = named_graph(name, seed).shuffled(seed)
    sizes = default_sizes(graph.vertices, len(graph.edges), delta, protocol=protocol)
    return graph, connected_components(graph.edges, graph.vertices, protocol, sizes, seed, progress=progress)


def read_counts(path: str | PathLike[str]) -> dict[Case, RoundCount]:
    """The rows of a file that was written from `RoundCount.row`; none where there is no file yet.

    Raises `InvalidInput` for another file.
    """
    name = str(path)
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            return {found.case: found for found in map(_count, csv.DictReader(file))}
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InvalidInput(f"records must be a file of rounds, got {name!r}: {error.strerror}") from None
    except (csv.Error, KeyError, TypeError, ValueError):
        raise InvalidInput(f"records must be a CSV file of rounds, got {name!r}") from None


def _count(row: dict[str, str]) -> RoundCount:
    case = Case(row["family"], int(row["n"]), row["protocol"], float(row["delta"]), int(row["seed"]))
    return RoundCount(case, *(int(row[name]) for name in RoundCount._fields[1:]))
