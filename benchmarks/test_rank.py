"""Times of single ranks and of whole commands: `pytest benchmarks` (package pytest-benchmark); no test collects it.

The ratios against other libraries are in `rank_against_peers.py`; these are for comparing one version with another
(`--benchmark-autosave`, `--benchmark-compare`).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from seprank import field
from seprank.field.draw import residues
from seprank.field.primes import DEFAULT_PRIME

COMMANDS = [
    ["--help"],
    ["bound", "--L", "4", "--dx", "128"],
    ["rank", "--L", "2", "--dx", "8"],
    ["rank", "--L", "3", "--dx", "3"],
    ["explain", "quadric"],
]


def of_rank(n: int, rank: int, prime: int) -> np.ndarray:
    left, right = residues(1, "left", (n, rank), prime), residues(1, "right", (rank, n), prime)
    return field.matmul(left, right, prime)


@pytest.mark.parametrize("prime", [509, DEFAULT_PRIME, field.MAX_PRIME])
@pytest.mark.parametrize("share", [1.0, 0.9, 0.05])
@pytest.mark.parametrize("n", [64, 512, 2048])
def test_rank(benchmark, n, share, prime):
    rank = int(share * n)
    matrix = of_rank(n, rank, prime)
    assert rank - 3 <= benchmark(field.rank, matrix, prime) <= rank


@pytest.mark.parametrize("shape", [(8192, 256), (256, 8192)])
def test_rank_of_a_narrow_matrix(benchmark, shape):
    matrix = residues(2, "narrow", shape, DEFAULT_PRIME)
    assert benchmark(field.rank, matrix, DEFAULT_PRIME) == 256


@pytest.mark.parametrize("prime", [509, DEFAULT_PRIME, field.MAX_PRIME])
def test_product(benchmark, prime):
    matrix = residues(3, "factor", (1024, 1024), prime)
    benchmark(field.matmul, matrix, matrix, prime)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_command(benchmark, words):
    program = Path(sys.executable).with_name("seprank")
    done = benchmark(subprocess.run, [str(program), *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
