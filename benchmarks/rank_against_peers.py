"""Exact rank modulo a prime against what else a Python user could call, on the same matrices in one run.

    python benchmarks/rank_against_peers.py [--sizes 1024,2048] [--threads 1] [--json FILE]

Every figure is a ratio inside this run: time of the peer over time of seprank, the best of three each. "share of
matrix product" counts 2/3 n^3 operations for the rank and 2 n^3 for numpy's float64 product of the same size.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import flint
import numpy as np
import scipy.linalg

from seprank import field
from seprank.field.draw import residues
from seprank.field.primes import DEFAULT_PRIME
from seprank.field.products import matmul

Matrix = np.ndarray


def best(task: Callable[[], object], repeats: int = 3) -> float:
    """Seconds of the fastest of some runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        task()
        times.append(time.perf_counter() - start)
    return min(times)


def of_rank(n: int, rank: int) -> Matrix:
    """A random n x n matrix of residues of the given rank (almost surely, modulo the default prime)."""
    if rank == n:
        return residues(1, f"full {n}", (n, n), DEFAULT_PRIME)
    left, right = (
        residues(1, f"left {n}", (n, rank), DEFAULT_PRIME),
        residues(1, f"right {n}", (rank, n), DEFAULT_PRIME),
    )
    return matmul(left, right, DEFAULT_PRIME)


def peers(matrix: Matrix) -> dict[str, Callable[[], object]]:
    """What the rank is compared with. Floating-point LU and rank cannot give an exact answer; they set the scale."""
    floats = matrix.astype(np.float64)
    return {
        "float64 product": lambda: floats @ floats,
        "scipy lu_factor": lambda: scipy.linalg.lu_factor(floats, check_finite=False),
        "numpy matrix_rank": lambda: np.linalg.matrix_rank(floats),
        "python-flint rank": lambda: flint.nmod_mat(
            len(matrix), len(matrix), matrix.ravel().tolist(), DEFAULT_PRIME
        ).rank(),
    }


def measured(n: int, rank: int) -> dict[str, object]:
    """One row of the table."""
    matrix = of_rank(n, rank)
    found = field.rank(matrix, DEFAULT_PRIME)
    if found != rank:
        raise SystemExit(f"rank {found} in place of {rank} at n = {n}")
    own = best(lambda: field.rank(matrix, DEFAULT_PRIME))
    row: dict[str, object] = {"n": n, "rank": rank, "seconds": round(own, 3)}
    for name, task in peers(matrix).items():
        slow = n > 2048 and name in ("numpy matrix_rank", "python-flint rank")
        seconds = best(task, 1 if slow else 3)
        if name == "float64 product":
            row["share of matrix product"] = round(seconds / own / 3, 2)
        else:
            row[f"times faster than {name}"] = round(seconds / own, 1)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1024,2048")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    field.rank(of_rank(256, 256), DEFAULT_PRIME)  # compile
    rows = []
    with field.thread_limit(options.threads):
        for n in map(int, options.sizes.split(",")):
            for rank in (n, 9 * n // 10, 100):
                rows.append(measured(n, rank))
                print("  ".join(f"{name}: {value}" for name, value in rows[-1].items()), file=sys.stderr)
    document = {"schema": "seprank.bench/1", "threads": options.threads, "prime": DEFAULT_PRIME, "rows": rows}
    text = json.dumps(document, indent=1)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
