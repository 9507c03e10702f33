"""The C++ library FFLAS-FFPACK as a peer: a small driver, compiled where the package and a compiler are.

It is linked with the BLAS that scipy brings, so that it multiplies with the same kernels as everybody else.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import scipy.linalg  # noqa: F401  # loads the BLAS that is linked
from threadpoolctl import threadpool_info

_SOURCE = Path(__file__).with_name("fflas_rank.cpp")
_HEADER = "#include <fflas-ffpack/ffpack/ffpack.h>\n"
_PREFIX = "scipy_"  # of the names in scipy's BLAS
_NAMES = ["asum", "axpy", "copy", "dot", "gemm", "gemv", "ger", "nrm2", "scal", "swap", "syrk", "trmm", "trsm"]


class Fflas:
    """The compiled driver."""

    def __init__(self, program: Path) -> None:
        self._program = program

    def seconds(self, matrix: np.ndarray, prime: int, threads: int, repeats: int) -> tuple[int, float]:
        """The rank of a square matrix of residues from 0 to ``prime - 1``, and the seconds of the fastest run."""
        file = self._program.with_name("matrix")
        matrix.astype(np.float64).tofile(file)
        command = [self._program, file, len(matrix), prime, repeats, threads]
        # Its own threads, or those of BLAS, never both: together they take ten times as long.
        limits = {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(
            [str(word) for word in command], env={**os.environ, **limits}, capture_output=True, text=True, check=True
        )
        file.unlink()
        runs = [line.split() for line in done.stdout.splitlines()]
        return int(runs[0][0]), min(float(run[1]) for run in runs)


@contextmanager
def fflas() -> Iterator[Fflas | str]:
    """The driver in a temporary folder, for the duration of the block, or a word on why there is none."""
    with tempfile.TemporaryDirectory(prefix="seprank-bench-") as folder:
        yield _compiled(Path(folder))


def _compiled(folder: Path) -> Fflas | str:
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        return "no C++ compiler (g++ or clang++) was found"
    look = subprocess.run([compiler, "-E", "-x", "c++", "-"], input=_HEADER, capture_output=True, text=True)
    if look.returncode:
        return "its headers are not installed (Debian package fflas-ffpack)"
    found = [pool["filepath"] for pool in threadpool_info() if "scipy.libs" in pool["filepath"]]
    library = Path(found[0]) if found else None
    command = [compiler, "-O3", "-march=native", "-std=c++17", "-fopenmp", "-w", _SOURCE, "-o", folder / "rank"]
    if library is None:
        command += ["-lopenblas"]
    else:
        command += [f"-Dcblas_{t}{name}={_PREFIX}cblas_{t}{name}" for name in _NAMES for t in "sd"]
        command += [f"-Dcblas_i{t}amax={_PREFIX}cblas_i{t}amax" for t in "sd"]
        command += [library, f"-Wl,-rpath,{library.parent}"]
    command += ["-lgivaro", "-lgmpxx", "-lgmp"]
    built = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if built.returncode:
        return f"its driver does not compile here: {built.stderr.strip().splitlines()[-1]}"
    return Fflas(folder / "rank")
