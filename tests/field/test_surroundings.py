"""The same ranks in forked and threaded callers, without the compiler, and where nothing can be written."""

import multiprocessing
import shutil
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import seprank
from seprank import field
from seprank.field import matmul, pivots, rank, residues
from seprank.field.reference import rank_by_flint


def case(k: int) -> tuple[np.ndarray, int]:
    """A matrix of rank 150 + 10k or, modulo the small primes, somewhat less."""
    prime = (4194301, 2147483647, 101, 2)[k % 4]
    left, right = residues(k, "left", (300, 150 + 10 * k), prime), residues(k, "right", (150 + 10 * k, 280), prime)
    return matmul(left, right, prime), prime


def pivots_of_case(k: int) -> field.Pivots:
    return pivots(*case(k))


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_forked_processes():
    here = [pivots_of_case(k) for k in range(6)]  # BLAS and the kernels are in use before the fork
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
        assert list(pool.map(pivots_of_case, range(6))) == here
    assert [found.rank for found in here] == [rank_by_flint(*case(k)) for k in range(6)]


def test_several_threads_at_once():
    here = [pivots_of_case(k) for k in range(8)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(pivots_of_case, range(8))) == here


PLAIN = """
from numba import config
from seprank.field import matmul, pivots, rank, residues
from seprank.field.arithmetic import invert
from seprank.field.reference import rank_by_integers
assert config.DISABLE_JIT and not hasattr(invert, "signatures")
for prime in (2, 3, 101, 4194301, 2147483629, 2147483647):
    for r in (0, 1, 5, 9):
        left, right = residues(r, "left", (12, r), prime), residues(r, "right", (r, 10), prime)
        matrix = matmul(left, right, prime)
        assert rank(matrix, prime) == rank_by_integers(matrix, prime)
large = residues(0, "large", (67, 66), 2147483647)
large[3] = 0
large[:, 0] = large[:, 5]
print(pivots(large, 2147483647).rank)
"""


def test_the_kernels_run_as_plain_python(run_python):
    assert run_python(PLAIN, NUMBA_DISABLE_JIT="1") == "65"


NOWHERE = """
import os
import sys
os.environ.pop("NUMBA_CACHE_DIR", None)
from numba import njit
from seprank.field import kernels, rank
from seprank.field.arithmetic import find_pivots
assert kernels.__file__.startswith(os.getcwd()), kernels.__file__
assert type(find_pivots._cache).__name__ == "NullCache", find_pivots._cache
print(rank([[2, 1], [1, 2]], 3))
"""


def test_where_no_machine_code_can_be_stored(run_python, tmp_path):
    shutil.copytree(Path(seprank.__file__).parent, tmp_path / "seprank", ignore=shutil.ignore_patterns("*cache*"))
    # A file in place of the folder, and a home that nobody can make, stop even an all-powerful user.
    (tmp_path / "seprank" / "field" / "__pycache__").write_text("")
    nowhere = "/proc/nonexistent"
    assert run_python(NOWHERE, tmp_path, HOME=nowhere, XDG_CACHE_HOME=nowhere) == "1"


def test_importing_the_room_costs_nothing(run_python):
    program = "import sys, seprank.field; print([m for m in ('numpy', 'numba', 'flint') if m in sys.modules])"
    assert run_python(program) == "[]"


def test_every_public_name_is_there():
    assert sorted(field.__all__) == dir(field)
    for name in field.__all__:
        assert getattr(field, name) is not None
    assert field.rank is rank
    with pytest.raises(AttributeError, match=r"module 'seprank.field' has no attribute 'nothing'"):
        _ = field.nothing
