"""Architecture and Partition: rules, defaults, equality, what counts as a whole number."""

import dataclasses

import numpy as np
import pytest

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.errors import InvalidInput, SeprankError

NOT_WHOLE = [True, 2.0, "2", None, 1.5, [2]]


@pytest.mark.parametrize("name", ["L", "dx", "H", "da"])
@pytest.mark.parametrize("wrong", [0, -1, *NOT_WHOLE])
def test_architecture_refuses(name, wrong):
    if name == "da" and wrong is None:
        assert Architecture(2, 8, 2, None).da == 4
        return
    sizes = {"L": 2, "dx": 8, "H": 2, "da": 4, name: wrong}
    with pytest.raises(InvalidInput, match=rf"^{name} must be a whole number at least 1, got ") as caught:
        Architecture(**sizes)
    assert str(caught.value).endswith(f"got {wrong!r}")
    assert isinstance(caught.value, SeprankError | ValueError)


@pytest.mark.parametrize("wrong", [1, 0, "no", None])
def test_residual_must_be_a_boolean(wrong):
    with pytest.raises(InvalidInput, match=rf"^residual must be True or False, got {wrong!r}$"):
        Architecture(2, 8, residual=wrong)


def test_heads_must_divide_the_width_only_when_the_head_size_is_left_out():
    with pytest.raises(InvalidInput, match="H must divide dx when the head size da is not given, got H=3, dx=8"):
        Architecture(2, 8, 3)
    assert Architecture(2, 8, 3, 3).da == 3
    assert Architecture(2, 8, 2).da == 4
    assert Architecture(2, 8).da == 8


def test_equal_however_the_head_size_was_given():
    assert Architecture(2, 8, 2) == Architecture(2, 8, 2, 4)
    assert hash(Architecture(2, 8, 2)) == hash(Architecture(2, 8, 2, 4))
    assert Architecture(2, 8, 2) != Architecture(2, 8, 2, residual=True)
    assert Architecture(2, 8, 2) != Architecture(2, 8, 2, 3)


def test_numpy_integers_become_ints():
    arch = Architecture(np.int64(2), np.int32(8), np.uint8(2), np.int16(4))
    assert arch == Architecture(2, 8, 2, 4)
    assert all(type(getattr(arch, name)) is int for name in ("L", "dx", "H", "da"))
    assert type(Partition(np.int64(3), 4).NA) is int


def test_architecture_and_partition_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Architecture(2, 8).L = 3
    with pytest.raises(dataclasses.FrozenInstanceError):
        Partition(2, 8).NA = 3


@pytest.mark.parametrize(("L", "C"), [(1, 1), (2, 4), (3, 13), (4, 40), (5, 121)])
def test_degree_and_number_of_gram_factors(L, C):
    arch = Architecture(L, 3)
    assert (arch.C, arch.degree) == (C, 2 * C + 1)
    assert Architecture(L + 1, 3).C == 3 * C + 1


def test_size_of_a_symmetric_matrix():
    assert [Architecture(1, d).s for d in range(1, 6)] == [1, 3, 6, 10, 15]


def test_standard_means_that_the_heads_fill_the_width():
    assert Architecture(2, 8, 4).is_standard
    assert not Architecture(2, 8, 4, 3).is_standard
    assert Architecture(2, 8, 8, 1).is_standard


def test_as_dict_builds_the_same_architecture():
    arch = Architecture(3, 6, 2, 5, residual=True)
    assert arch.as_dict() == {"L": 3, "dx": 6, "H": 2, "da": 5, "residual": True}
    assert Architecture(**arch.as_dict()) == arch


@pytest.mark.parametrize("name", ["NA", "NB"])
@pytest.mark.parametrize("wrong", [0, -3, *NOT_WHOLE])
def test_partition_refuses(name, wrong):
    with pytest.raises(InvalidInput, match=rf"^{name} must be a whole number at least 1, got "):
        Partition(**{"NA": 2, "NB": 2, name: wrong})


def test_balanced_partition():
    assert Partition.balanced(6) == Partition(3, 3)
    assert Partition.balanced(np.int64(2)) == Partition(1, 1)
    with pytest.raises(InvalidInput, match=r"^N must be even for a balanced partition, got 7; give NA and NB instead$"):
        Partition.balanced(7)
    with pytest.raises(InvalidInput, match=r"^N must be a whole number at least 2, got 1$"):
        Partition.balanced(1)
    with pytest.raises(InvalidInput, match=r"^N must be a whole number at least 2, got 4\.0$"):
        Partition.balanced(4.0)


def test_counts_of_a_partition():
    partition = Partition(5, 3)
    assert (partition.N, partition.n) == (8, 3)
    assert partition.is_long(3)
    assert not partition.is_long(4)
    assert Partition(5, 3) != Partition(3, 5)
    assert hash(Partition(5, 3)) == hash(Partition(5, 3))
