"""The names that `seprank` promises, and what they give."""

import subprocess
import sys

import numpy as np
import pytest

import seprank
from seprank import Architecture, Partition, bounds, separation_rank
from seprank.errors import InvalidInput, OutOfScope, SeprankError, TooLarge


def test_the_names_are_these():
    names = ["Architecture", "Partition", "__version__", "bounds", "field", "separation_rank"]
    assert seprank.__all__ == names
    assert dir(seprank) == names
    assert all(getattr(seprank, name) for name in names)
    with pytest.raises(AttributeError, match="module 'seprank' has no attribute 'ranks'"):
        _ = seprank.ranks


def test_public_names_say_what_they_are():
    for name in ("Architecture", "Partition", "bounds", "separation_rank"):
        assert len(getattr(seprank, name).__doc__) > 60
    assert len(seprank.field.rank.__doc__) > 60


def test_importing_the_package_costs_nothing():
    code = "import sys, seprank; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = {name.split(".")[0] for name in done.stdout.split()}
    assert not {"numpy", "numba", "scipy", "sympy", "mpmath", "rich", "click", "flint", "torch"} & modules


def test_bounds_of_an_architecture():
    report = bounds(Architecture(L=2, dx=8, H=2), Partition(8, 8))
    assert (report.best_upper.id, report.best_upper.value) == ("staircase", 989)
    assert report["gram"].value == 999
    assert {bound.kind for bound in report} == {"lower", "upper"}
    assert report.exact.value == 989


def test_separation_rank_of_an_architecture():
    result = separation_rank(Architecture(L=2, dx=4, H=2), Partition(4, 4), prime=2147483647, seed=5, method="blocks")
    assert (result.rank, result.certified_exact, result.prime, result.seed) == (107, True, 2147483647, 5)
    assert (result.gram_bound, result.best_upper_value) == (110, 107)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64, object])
def test_rank_takes_any_integer_array_and_leaves_it_alone(dtype):
    matrix = np.array([[1, 2, 3], [2, 4, 6], [1, 0, 127]], dtype=dtype)
    before = matrix.copy()
    matrix.flags.writeable = False
    assert seprank.field.rank(matrix, 101) == 2
    assert seprank.field.rank(matrix[:, ::2], 7) == seprank.field.rank(matrix.T[::2], 7)
    assert matrix.dtype == dtype
    assert (matrix == before).all()
    nested = [[2, 1], [1, 2]]
    assert (seprank.field.rank(nested, 3), nested) == (1, [[2, 1], [1, 2]])


def test_errors_are_values_that_can_be_caught():
    for call in (
        lambda: Architecture(L=0, dx=2),
        lambda: Architecture(L=2, dx=8, H=3),
        lambda: Partition(0, 1),
        lambda: seprank.field.rank([[1]], 6),
        lambda: bounds("L=2"),
        lambda: separation_rank(Architecture(2, 2), prime=4),
    ):
        with pytest.raises(InvalidInput) as caught:
            call()
        assert isinstance(caught.value, SeprankError)
        assert isinstance(caught.value, ValueError)
        assert "got" in str(caught.value)
    assert (InvalidInput.exit_code, OutOfScope.exit_code, TooLarge.exit_code, SeprankError.exit_code) == (2, 2, 3, 1)
