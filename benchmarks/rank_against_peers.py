"""Exact rank modulo a prime against what else a Python user could call, on the same matrices in one run.

    python benchmarks/rank_against_peers.py [--sizes 2048,4096,8192] [--threads 1,2] [--slow 2048] [--json FILE]

Every figure is a ratio inside this run, of the fastest of some rounds in which everybody takes a turn. "double" is the
float64 road (prime 4194301), "single" the float32 road (prime 509). The columns say

    of product     operations of the elimination (2/3 n^3 for full rank) a second by the double road, over those of
                   numpy's float64 product
    lu / double    scipy.linalg.lu_factor, in floating point, over the double road; and over the single one
    fflas          FFPACK::Rank over the double road (where the package and a compiler are)
    flint          python-flint nmod_mat.rank over the double and the single road, the conversion to it not counted
    svd            numpy.linalg.matrix_rank over the double road

Nothing is converted on the clock for the peers; the own times are those of `field.rank` on an integer array.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable
from pathlib import Path

import flint
import numpy as np
import scipy.linalg
from fflas_ffpack import Fflas, fflas
from threadpoolctl import threadpool_info

from seprank import field
from seprank.field.draw import residues
from seprank.field.primes import DEFAULT_PRIME
from seprank.machine import usable_cores

SINGLE_PRIME = 509
RATIOS = {  # of times: of whom over whose
    "lu / double": ("lu", "double"),
    "lu / single": ("lu", "single"),
    "fflas": ("fflas", "double"),
    "flint / double": ("flint / double", "double"),
    "flint / single": ("flint / single", "single"),
    "svd": ("svd", "double"),
}
COLUMNS = ("of product", *RATIOS)

Matrix = np.ndarray
Task = Callable[[], object]


def of_rank(n: int, rank: int, prime: int) -> Matrix:
    """A random n x n matrix of residues whose rank is that number almost surely, or slightly less."""
    if rank == n:
        return residues(1, f"full {n}", (n, n), prime)
    left, right = residues(1, f"left {n}", (n, rank), prime), residues(1, f"right {n}", (rank, n), prime)
    return field.matmul(left, right, prime)


def turns(tasks: dict[str, Task], rounds: int) -> dict[str, float]:
    """Seconds of the fastest run of each task, all of them once a round."""
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            start = time.perf_counter()
            task()
            times[name].append(time.perf_counter() - start)
    return {name: min(values) for name, values in times.items()}


def tasks(double: Matrix, single: Matrix, slow: bool) -> dict[str, Task]:
    """The roads and their peers. Floating-point LU and SVD cannot give an exact answer; they set the scale."""
    floats = double.astype(np.float64)
    corner = np.ascontiguousarray(floats[:4096, :4096])  # the rate of a product no longer grows beyond
    found: dict[str, Task] = {
        "product": lambda: corner @ corner,
        "double": lambda: field.rank(double, DEFAULT_PRIME),
        "single": lambda: field.rank(single, SINGLE_PRIME),
        "lu": lambda: scipy.linalg.lu_factor(floats, check_finite=False),
    }
    if slow:
        found["flint / double"] = flint_matrix(double, DEFAULT_PRIME).rank
        found["flint / single"] = flint_matrix(single, SINGLE_PRIME).rank
        found["svd"] = lambda: np.linalg.matrix_rank(floats)
    return found


def flint_matrix(matrix: Matrix, prime: int) -> flint.nmod_mat:
    """The same matrix as FLINT holds it."""
    return flint.nmod_mat(*matrix.shape, matrix.ravel().tolist(), prime)


def operations(n: int, rank: int) -> float:
    """Additions and multiplications of an elimination of an n x n matrix."""
    return 2.0 * (n * n * rank - n * rank**2 + rank**3 / 3)


def measured(n: int, rank: int, threads: int, driver: Fflas | str, slow: bool) -> dict[str, object]:
    """One row of the table."""
    double, single = of_rank(n, rank, DEFAULT_PRIME), of_rank(n, rank, SINGLE_PRIME)
    found = field.rank(double, DEFAULT_PRIME)
    if found != rank:
        raise SystemExit(f"rank {found} in place of {rank} at n = {n}")
    times = turns(tasks(double, single, slow), 3 if n <= 4096 else 2)
    if isinstance(driver, Fflas):
        theirs, times["fflas"] = driver.seconds(double, DEFAULT_PRIME, threads, 3 if n <= 4096 else 1)
        if theirs != rank:
            raise SystemExit(f"FFLAS-FFPACK finds rank {theirs} in place of {rank} at n = {n}")
    product = 2 * min(n, 4096) ** 3 / times["product"]
    ratios = {"of product": operations(n, rank) / times["double"] / product}
    ratios |= {name: times[a] / times[b] for name, (a, b) in RATIOS.items() if a in times}
    row = {"n": n, "rank": rank, "threads": threads, "product GF/s": product / 1e9, "seconds": times, "ratios": ratios}
    print(line(row), flush=True)
    return row


def line(row: dict) -> str:
    """A row as text."""
    seconds = row["seconds"]
    cells = [f"{row['ratios'][name]:.2f}" if name in row["ratios"] else "-" for name in COLUMNS]
    start = f"{row['threads']:>7} {row['n']:>5} {row['rank']:>5} {seconds['double']:>9.3f} {seconds['single']:>9.3f}"
    return start + "".join(cell.rjust(max(len(name), 5) + 2) for cell, name in zip(cells, COLUMNS, strict=True))


def machine() -> dict[str, object]:
    """What the ratios depend on: the kernels that each BLAS chose, and the versions."""
    pools = [p for p in threadpool_info() if p["user_api"] == "blas"]
    kernels = sorted({f"{p['internal_api']} {p['version']}, {p.get('architecture', 'unknown')} kernels" for p in pools})
    versions = {"python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__}
    return {"cores": usable_cores(), "blas": kernels, "versions": {**versions, "python-flint": flint.__version__}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="2048,4096,8192")
    parser.add_argument("--threads", default=",".join(map(str, sorted({1, usable_cores()}))))
    parser.add_argument("--slow", type=int, default=2048, help="largest size at which flint and the SVD are run")
    parser.add_argument("--json", type=Path, default=Path(".benchmarks/rank.json"))
    options = parser.parse_args()
    about = machine()
    print(f"{about['cores']} cores; {'; '.join(about['blas'])}")
    rows = []
    with fflas() as driver:
        print("FFLAS-FFPACK with the same BLAS" if isinstance(driver, Fflas) else f"without FFLAS-FFPACK: {driver}")
        print("threads     n  rank    double    single" + "".join(f"  {name:>5}" for name in COLUMNS))
        for threads in map(int, options.threads.split(",")):
            with field.thread_limit(threads):
                for prime in (DEFAULT_PRIME, SINGLE_PRIME):
                    field.rank(of_rank(300, 150, prime), prime)  # compile
                for n in map(int, options.sizes.split(",")):
                    rows += [measured(n, r, threads, driver, n <= options.slow) for r in (n, 9 * n // 10, 100)]
    document = {"schema": "seprank.bench/2", "primes": [DEFAULT_PRIME, SINGLE_PRIME], **about, "rows": rows}
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(f"written to {options.json}")


if __name__ == "__main__":
    main()
