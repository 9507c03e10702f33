"""hop_k, exhaustive checks of its constructions, and components of a large graph on simulated machines.

    python benchmarks/hop.py [--symbols 20000000] [--length 10] [--edges 1000000] [--json FILE]

Ratios inside one run, on one core. "symbols a second" is the compiled pass for k = 16 over uniform strings of 4
letters, one byte a letter in and eight bytes out, for a string that fits in the caches and for a long one; the plain
recurrence is a dictionary of last occurrences and k steps along the links, in Python, on the first part of the same
string (both answers are compared). "exhaustive" runs every string of that length over 3 letters through C1, C2 and C3
by real attention and compares all positions with the definition. "components" is random mate with default sizes on a
random graph of mean degree 4, against networkx.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from seprank.parallel.constructions import hop_construction
from seprank.parallel.graph_input import connected_components
from seprank.parallel.graph_sources import least_vertices, named_graph
from seprank.parallel.hop import hop
from seprank.parallel.verify_construction import verify_construction

SCHEMA = "seprank.benchmark.hop/1"
K = 16
PLAIN = 200_000  # symbols that the plain recurrence gets

Row = dict[str, object]


def plain_hops(X: Sequence[int], k: int) -> list[int]:
    """The recurrence in plain Python; -1 where it is undefined."""
    links, after, answers = [0], {}, []
    for i, letter in enumerate(X, start=1):
        if i > 1:
            after[X[i - 2]] = i
        links.append(after.get(letter, 0))
    for i in range(1, len(X) + 1):
        place = i
        for _ in range(k):
            place = links[place]
        answers.append(X[place - 1] if place else -1)
    return answers


def seconds(task: Callable[[], object], repeats: int = 5) -> float:
    """Seconds of the fastest of some runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        task()
        times.append(time.perf_counter() - start)
    return min(times)


def hop_speed(symbols: int) -> Row:
    """The compiled pass against the plain recurrence."""
    X = np.random.default_rng(0).integers(0, 4, symbols).astype(np.uint8)
    part = X[:PLAIN].tolist()
    if hop(X[:PLAIN], K).tolist() != plain_hops(part, K):
        raise ArithmeticError("the compiled pass and the plain recurrence differ")
    fast = symbols / seconds(lambda: hop(X, K))
    plain = len(part) / seconds(lambda: plain_hops(part, K), repeats=3)
    return {
        "what": f"hop_{K}, {symbols} symbols",
        "symbols a second": round(fast),
        "bytes a second": round(9 * fast),
        "plain symbols a second": round(plain),
        "times plain Python": round(fast / plain, 1),
    }


def exhaustive(length: int) -> list[Row]:
    """All strings of `length` over 3 letters, each construction."""
    rows: list[Row] = []
    for name in ("C1", "C2", "C3"):
        start = time.perf_counter()
        found = verify_construction(hop_construction(name, 3, length, 3))
        if found.errors or not found.exhaustive:
            raise ArithmeticError(f"{name} has {found.errors} errors")
        rows.append(
            {
                "what": f"exhaustive, {name}, k = 3, length {length}, 3 letters",
                "strings": found.strings,
                "positions": found.checked,
                "seconds": round(time.perf_counter() - start, 2),
            }
        )
    return rows


def components(edges: int) -> Row:
    """A random graph of mean degree 4 through the simulator."""
    vertices = edges // 2
    graph = named_graph(f"gnp:{vertices}:{4 / vertices:.12f}", seed=0).shuffled(0)
    start, core = time.perf_counter(), time.process_time()
    found = connected_components(graph.edges, graph.vertices)
    wall, core = time.perf_counter() - start, time.process_time() - core
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if not np.array_equal(found.labels, least_vertices(graph)):
        raise ArithmeticError("networkx finds other components")
    return {
        "what": f"components, {len(graph.edges)} edges",
        "seconds": round(wall, 2),
        "core seconds": round(core, 2),
        "rounds": found.run.rounds,
        "machines": found.sizes.machines,
        "words": found.sizes.words,
        "peak bytes": peak,
    }


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--symbols", type=int, default=20_000_000, help="length of the string for hop_16")
    parser.add_argument("--length", type=int, default=10, help="length of all strings over 3 letters")
    parser.add_argument("--edges", type=int, default=1_000_000, help="edges of the graph")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers to FILE")
    options = parser.parse_args()
    hop(np.zeros(8, np.uint8), K)  # compile
    rows = []
    for row in (
        hop_speed(1_000_000),
        hop_speed(options.symbols),
        *exhaustive(options.length),
        components(options.edges),
    ):
        print(
            ", ".join(f"{name}: {value}" if name != "what" else str(value) for name, value in row.items()), flush=True
        )
        rows.append(row)
    if options.json is not None:
        document = {"schema": SCHEMA, "machine": platform.processor() or platform.machine(), "rows": rows}
        options.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
