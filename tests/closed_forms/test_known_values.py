"""Exact values: the stored ones meet a proved upper bound, and pass to networks that contain them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.closed_forms.known import (
    CERTIFIED_LONG,
    CERTIFIED_SHORT,
    contained_value,
    known_value,
    theorem_A,
    theorem_C,
)
from seprank.closed_forms.report import bounds

SIZES = {"L": st.integers(1, 4), "dx": st.integers(1, 6), "H": st.integers(1, 7), "da": st.integers(1, 7)}
SIDES = st.none() | st.builds(Partition, NA=st.integers(1, 7), NB=st.integers(1, 7))


def value(arch, partition=None):
    """The best of the exact value and those of contained networks; 0 without any."""
    found = [known_value(arch, partition), contained_value(arch, partition)]
    return max((known.value for known in found if known is not None), default=0)


@pytest.mark.parametrize(("case", "rank"), CERTIFIED_LONG.items())
def test_certified_values_meet_a_proved_upper_bound_on_long_input(case, rank):
    for partition in (None, Partition(case[1], case[1] + 3)):
        report = bounds(Architecture(*case), partition)
        assert report["known"].value == report.best_upper.value == report.exact.value == rank
        assert report.exact.evidence.startswith("known meets ")


@pytest.mark.parametrize(("case", "rank"), CERTIFIED_SHORT.items())
def test_certified_values_meet_a_proved_upper_bound_on_short_input(case, rank):
    L, d, H, n = case
    report = bounds(Architecture(L, d, H), Partition(n, n))
    assert report["known"].value == report.best_upper.value == rank
    assert f"N = {2 * n}" in report.exact.evidence


@pytest.mark.parametrize(("d", "rank"), [(2, 18), (3, 49), (4, 110), (6, 385), (8, 999), (16, 11645), (64, 2299505)])
def test_theorem_A(d, rank):
    assert theorem_A(d) == rank
    report = bounds(Architecture(2, d))
    assert report.exact.value == rank
    assert "theorem A" in report.exact.evidence


@pytest.mark.parametrize(("d", "rank"), [(2, 17), (3, 43), (4, 85), (5, 146), (6, 231), (8, 489)])
def test_theorem_C(d, rank):
    assert theorem_C(d) == rank
    report = bounds(Architecture(2, d, d, residual=True))
    assert report.exact.value == rank
    assert "staircase" in report.exact.evidence


@given(st.integers(2, 40))
def test_theorems_A_and_C_meet_their_upper_bounds_at_every_width(d):
    assert bounds(Architecture(2, d)).exact.value == theorem_A(d)
    assert bounds(Architecture(2, d, d)).exact.value == theorem_C(d)


@pytest.mark.parametrize("partition", [None, Partition(1, 1), Partition(3, 1)])
def test_one_layer_is_known_for_every_head_size(partition):
    for d in range(1, 7):
        for H in range(1, 5):
            for da in range(1, 5):
                assert value(Architecture(1, d, H, da), partition) == min(d, H * da) + 1


@pytest.mark.parametrize("L", range(1, 6))
def test_width_one(L):
    report = bounds(Architecture(L, 1, 4, 2), Partition(1, 2))
    assert report.exact.value == (3**L - 1) // 2 + 1


@given(st.builds(Architecture, **SIZES), SIDES)
def test_more_heads_wider_heads_or_more_tokens_never_lower_it(arch, partition):
    here = value(arch, partition)
    assert here <= value(Architecture(arch.L, arch.dx, arch.H + 1, arch.da), partition)
    assert here <= value(Architecture(arch.L, arch.dx, arch.H, arch.da + 1), partition)
    if partition is not None:
        assert here <= value(arch, Partition(partition.NA + 1, partition.NB + 1))
        assert here <= value(arch)


@given(st.builds(Architecture, **SIZES, residual=st.booleans()), SIDES)
def test_never_above_a_proved_upper_bound(arch, partition):
    report = bounds(arch, partition)
    assert value(arch, partition) <= report.best_upper.value


def test_contained_networks():
    assert value(Architecture(2, 4, 3, 2)) == 107
    assert value(Architecture(2, 4, 2, 3)) == 107
    assert value(Architecture(2, 4, 2, 4)) == 110  # holds one full head
    assert value(Architecture(2, 4, 3, 1)) == theorem_C(3)
    assert value(Architecture(2, 6, 1, 4)) == theorem_A(4)
    assert value(Architecture(2, 6, 2, 3), Partition(2, 3)) == 379
    assert value(Architecture(2, 6, 2, 3), Partition(1, 3)) == 15  # that of dx = 2 with one token a side
    assert value(Architecture(3, 5)) == 248008
    assert value(Architecture(3, 5), Partition(4, 4)) == 31456
    assert value(Architecture(3, 6)) == 248008
    assert value(Architecture(3, 5), Partition(3, 3)) == 3102
    assert value(Architecture(3, 5), Partition(2, 3)) == 2640


def test_several_wide_heads_reach_the_gram_bound_that_one_misses():
    for H, da in ((2, 4), (3, 2), (4, 3), (2, 9)):
        assert bounds(Architecture(3, 4, H, da)).exact.value == 31460
    assert bounds(Architecture(3, 4, 1, 9)).exact.value == 31456
    assert bounds(Architecture(3, 4, 2, 3)).exact is None
    assert bounds(Architecture(3, 5, 2, 4))["contained"].value == 31460


def test_exact_values_are_those_of_the_very_network():
    assert known_value(Architecture(2, 4, 2, 2), None).value == 107
    assert known_value(Architecture(2, 4, 3, 2), None) is None
    assert known_value(Architecture(2, 4, 3, 5), None).value == 110
    assert known_value(Architecture(3, 2, 1, 9), None).value == 232
    assert known_value(Architecture(3, 5), None).value == 248008
    assert known_value(Architecture(3, 6), None) is None
    assert known_value(Architecture(3, 2), Partition(1, 1)).value == 105
    assert known_value(Architecture(3, 2), Partition(2, 1)) is None  # 137, more than with one token on both sides
    report = bounds(Architecture(3, 6))
    assert (report["contained"].value, report.exact) == (248008, None)
    assert "contained" not in [bound.id for bound in bounds(Architecture(3, 4))]


def test_certified_values_are_about_standard_networks():
    assert all(d % H == 0 for _, d, H in CERTIFIED_LONG)
    assert all(d % H == 0 and n < d for _, d, H, n in CERTIFIED_SHORT)
