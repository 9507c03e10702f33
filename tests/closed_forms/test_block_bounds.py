"""The best bound of every bidegree block."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.closed_forms.blocks import block_bounds
from seprank.closed_forms.gram import gram_blocks
from seprank.closed_forms.isotropic import isotropic_blocks
from seprank.closed_forms.report import bounds
from seprank.closed_forms.staircase import staircase_blocks
from seprank.errors import InvalidInput

NETWORKS = st.builds(Architecture, L=st.integers(1, 4), dx=st.integers(1, 6), H=st.integers(1, 6), da=st.integers(1, 6))
SIDES = st.none() | st.builds(Partition, NA=st.integers(1, 7), NB=st.integers(1, 7))


def numbers(found):
    return [bound.value for bound in found]


@given(NETWORKS, SIDES)
def test_least_of_the_three_bounds_block_by_block(arch, partition):
    wanted = [gram_blocks(arch, partition), staircase_blocks(arch)]
    if arch.H == 1:
        wanted.append(isotropic_blocks(arch))
    found = block_bounds(arch, partition)
    assert numbers(found) == [min(column) for column in zip(*wanted, strict=True)]
    assert [bound.k for bound in found] == list(range(arch.C + 1))
    report = bounds(arch, partition)
    for id in {"gram", "staircase", "isotropic"} & {bound.id for bound in report}:
        assert sum(numbers(found)) <= report[id].value


@pytest.mark.parametrize(
    ("sizes", "ids"),
    [
        ((2, 4, 1), {"gram"}),
        ((2, 4, 2), {"gram", "staircase"}),
        ((3, 4, 1), {"gram", "isotropic"}),
        ((2, 4, 4), {"gram", "staircase"}),
    ],
)
def test_each_block_names_the_bound_that_gave_it(sizes, ids):
    found = block_bounds(Architecture(*sizes))
    assert {bound.id for bound in found} == ids
    gram = gram_blocks(Architecture(*sizes), None)
    assert all((bound.id == "gram") == (bound.value == gram[bound.k]) for bound in found)


def test_value_31456_comes_from_block_seven():
    found = block_bounds(Architecture(3, 4))
    assert sum(numbers(found)) == 31456
    assert [(bound.k, bound.value) for bound in found if bound.id == "isotropic"] == [(7, 11436)]


def test_few_tokens_lower_the_blocks():
    assert sum(numbers(block_bounds(Architecture(2, 3), Partition(1, 2)))) == 41
    assert sum(numbers(block_bounds(Architecture(2, 3)))) == 49


def test_where_the_partitions_are_too_many_the_long_form_stands_in():
    arch = Architecture(6, 12, 12)
    assert numbers(block_bounds(arch, Partition(5, 5))) == numbers(block_bounds(arch))


def test_none_where_the_blocks_are_too_many():
    assert block_bounds(Architecture(8, 3)) is None
    assert len(block_bounds(Architecture(7, 3))) == 1094


def test_refuses_skip_connections():
    with pytest.raises(InvalidInput, match=r"^residual must be False for block bounds, got True: skip connections mix"):
        block_bounds(Architecture(2, 4, residual=True))
