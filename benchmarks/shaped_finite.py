"""Finite networks of shaped blocks: the exact low-dimensional simulation against real weight matrices.

    python benchmarks/shaped_finite.py [--n 1000] [--depth 10] [--json FILE]

Every figure is a ratio inside one run, on one thread: seconds for a layer of one network with its weights drawn and
multiplied (torch, float64), over seconds for the same layer from Gram matrices. Both give V of the same law.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

from seprank.field import thread_limit
from seprank.shaped import Law, Setup, finite, full_network

Row = dict[str, object]


def seconds(simulate: Callable[[Setup], Law], setup: Setup, repeats: int = 3) -> float:
    """Seconds of the processor for a layer of one network, the best of some runs."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        simulate(setup)
        times.append(time.process_time() - start)
    return min(times) / (setup.paths * setup.depth)


def row(m: int, n: int, depth: int, block: str) -> Row:
    """Both roads at one size."""
    small = Setup(m=m, n=n, depth=10 * depth, gamma=0.5, tau0=1.0, block=block, paths=256)
    full = Setup(m=m, n=n, depth=depth, gamma=0.5, tau0=1.0, block=block, paths=2)
    finite.simulate(full)  # compile
    fast, slow = seconds(finite.simulate, small), seconds(full_network.simulate, full)
    return {
        "m": m,
        "n": n,
        "block": block,
        "low-dimensional, microseconds a layer": round(1e6 * fast, 2),
        "full network, microseconds a layer": round(1e6 * slow, 1),
        "times faster": round(slow / fast),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=1000, help="width")
    parser.add_argument("--depth", type=int, default=10, help="of the full networks; the others are ten times deeper")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with thread_limit(1):
        rows = [row(m, options.n, options.depth, block) for block in ("attention", "residual", "full") for m in (2, 4)]
    for line in rows:
        print("  ".join(f"{name}: {value}" for name, value in line.items()))
    if options.json:
        options.json.write_text(json.dumps({"schema": "seprank.bench/1", "rows": rows}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
