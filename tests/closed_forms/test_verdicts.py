"""What the report says about the printed bounds, case by case, and the remarks it adds."""

import pytest

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.closed_forms.report import bounds


@pytest.mark.parametrize(
    ("sizes", "partition", "valid"),
    [
        ((8, 8, 8), None, False),
        ((8, 8, 8), Partition(8, 8), False),
        ((8, 8, 8), Partition(2, 50), True),  # two tokens on a side
        ((8, 8, 8), Partition(50, 1), True),
        ((40, 2, 2), None, True),  # dx <= 2
        ((40, 1, 1), None, True),
        ((9, 3, 3), None, True),  # the Gram bound is below it
        ((6, 4, 4), None, True),
        ((5, 6, 6), None, True),
        ((4, 16, 16), None, True),
        ((10, 3, 3), None, None),  # the Gram bound is above it, the networks are not yet
        ((9, 6, 2), None, None),
        ((300, 7, 1), None, None),
        ((12, 3, 3), None, False),
    ],
)
def test_equation_19(sizes, partition, valid):
    assert bounds(Architecture(*sizes), partition)["eq19"].valid is valid


@pytest.mark.parametrize(
    ("sizes", "partition", "valid"),
    [
        ((9, 8, 8), None, False),
        ((8, 8, 8), None, None),
        ((9, 8, 8), Partition(2, 9), True),
        ((90, 3, 3), None, True),
        ((90, 4, 4), Partition(3, 4), True),
        ((90, 4, 4), None, False),
        ((14, 16, 1), None, False),
    ],
)
def test_theorem_2_upper(sizes, partition, valid):
    assert bounds(Architecture(*sizes), partition)["thm2.upper"].valid is valid


@pytest.mark.parametrize("residual", [False, True])
def test_four_tokens_a_side_and_width_four_refute_theorem_2_three_do_not(residual):
    arch = Architecture(32, 4, 4, residual=residual)
    assert bounds(arch, Partition(4, 4))["thm2.upper"].valid is False
    assert bounds(arch, Partition(3, 90))["thm2.upper"].valid is True


@pytest.mark.parametrize(
    ("sizes", "partition", "valid"),
    [
        ((20, 8, 8), None, False),
        ((20, 8, 8), Partition(2, 8), True),
        ((99, 3, 3), None, True),
        ((3, 4, 4), None, True),
        ((8, 8, 8), None, False),
    ],
)
def test_theorem_6(sizes, partition, valid):
    assert bounds(Architecture(*sizes, residual=True), partition)["residual.thm6"].valid is valid


def test_theorem_6_falls_later_than_equation_19():
    falls = {
        id: next(L for L in range(2, 40) if bounds(Architecture(L, 5, 5, residual=True))[id].valid is False)
        for id in ("eq19", "residual.thm6")
    }
    assert falls["eq19"] == 7 < falls["residual.thm6"]


@pytest.mark.parametrize("sizes", [(2, 8, 2), (3, 4, 4), (6, 6, 1), (12, 8, 8)])
def test_equation_18_and_theorem_5_are_never_refuted(sizes):
    report = bounds(Architecture(*sizes, residual=True))
    assert report["eq18"].valid is report["residual.thm5"].valid is True


def test_lower_bounds_as_printed_hold_for_every_standard_network():
    for L in range(1, 7):
        for d in range(2, 20):
            for H in (H for H in range(1, d) if d % H == 0):
                printed = [b for b in bounds(Architecture(L, d, H)) if b.id in ("multiset", "thm1.lower", "thm2.lower")]
                assert all(bound.valid is True for bound in printed)


def test_skip_connections_are_remarked():
    plain, residual = bounds(Architecture(2, 8, 2)), bounds(Architecture(2, 8, 2, residual=True))
    for id in ("multiset", "thm2.lower", "thm2.upper", "eq18", "eq19"):
        assert plain[id].remark == ""
        assert residual[id].remark == "stated without skip connections"
        assert residual[id].scope == f"{residual[id].stated_scope} (stated without skip connections)"
        assert plain[id].scope == plain[id].stated_scope


def test_head_sizes_other_than_the_printed_ones_are_remarked():
    report = bounds(Architecture(2, 8, 2, 3, residual=True))
    assert report["thm2.upper"].remark == "stated for H da = dx; stated without skip connections"
    assert report["multiset.all-heads"].remark == "base from H da = 6 in place of dx"
    assert bounds(Architecture(2, 8, 2, 5))["multiset.all-heads"].remark == ""


def test_theorem_5_names_the_number_of_tokens_it_took():
    arch = Architecture(2, 3, residual=True)
    assert bounds(arch)["residual.thm5"].remark == "evaluated at N = 2 dx, from where on N changes nothing"
    assert bounds(arch, Partition(3, 3))["residual.thm5"].remark == ""
    assert bounds(arch)["residual.thm5"].value == bounds(arch, Partition(3, 3))["residual.thm5"].value
    assert bounds(arch, Partition(9, 3))["residual.thm5"].value > bounds(arch)["residual.thm5"].value


def test_a_gram_bound_that_could_not_count_the_tokens_says_so():
    remark = "long-input form: the sum for this N is too long"
    assert bounds(Architecture(8, 8, 8), Partition(3, 5))["gram"].remark == remark
    assert bounds(Architecture(8, 8, 8), Partition(8, 9))["gram"].remark == ""
    assert bounds(Architecture(3, 8, 8), Partition(3, 5))["gram"].remark == ""


def test_all_heads_never_pays_for_the_number_of_heads():
    for H, printed in ((2, 55), (4, 10)):
        report = bounds(Architecture(4, 8, H))
        assert report["multiset.all-heads"].value == 220
        assert report["multiset"].value == printed
    for H in (1, 8):  # dx - H odd, or 0: nothing is printed
        report = bounds(Architecture(4, 8, H))
        assert report["multiset.all-heads"].value == 220
        assert "multiset" not in [bound.id for bound in report]
