"""`bounds(...)`: which bounds are listed, their order, agreement of lower and upper, errors."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.closed_forms.gram import gram_blocks
from seprank.closed_forms.report import MOST_DEPTH, bounds
from seprank.closed_forms.rules import RULES
from seprank.closed_forms.staircase import staircase_blocks
from seprank.errors import InvalidInput, TooLarge

ORDER = [
    "known",
    "contained",
    "quadric",
    "diagonal",
    "product",
    "growth.lower",
    "multiset.all-heads",
    "multiset",
    "thm1.lower",
    "thm2.lower",
    "gram",
    "staircase",
    "isotropic",
    "gram.narrow",
    "gram.two-tokens",
    "gram.simple",
    "eq18",
    "eq19",
    "thm1.upper",
    "thm2.upper",
    "residual.thm5",
    "residual.thm6",
]
NETWORKS = st.builds(
    Architecture,
    L=st.integers(1, 5),
    dx=st.integers(1, 8),
    H=st.integers(1, 9),
    da=st.integers(1, 9),
    residual=st.booleans(),
)
SIDES = st.none() | st.builds(Partition, NA=st.integers(1, 9), NB=st.integers(1, 9))


def at_most(left, right):
    """left <= right by exact powers where both are at hand, else by 50-digit logarithms."""
    if left.magnitude.pair is None or right.magnitude.pair is None:
        return left.log3 <= right.log3 + mpmath.mpf(10) ** -25
    (a, i), (b, j) = left.magnitude.pair, right.magnitude.pair
    return Fraction(a) ** j <= Fraction(b) ** i


def ids(report):
    return [bound.id for bound in report]


def test_rules_are_the_documented_ones_in_order():
    assert [rule.id for rule in RULES] == ORDER
    assert all(rule.title and rule.formula and rule.scope and rule.about and rule.source for rule in RULES)


@given(NETWORKS, SIDES)
def test_every_proved_lower_bound_is_at_most_every_proved_upper_bound(arch, partition):
    proved = [bound for bound in bounds(arch, partition) if bound.valid]
    for lower in (bound for bound in proved if bound.kind == "lower"):
        for upper in (bound for bound in proved if bound.kind == "upper"):
            assert at_most(lower, upper), (lower.id, upper.id)


@given(NETWORKS, SIDES)
def test_ids_are_a_part_of_the_list_in_its_order(arch, partition):
    found = ids(bounds(arch, partition))
    assert found == [id for id in ORDER if id in found]
    assert {"diagonal", "product", "gram", "gram.simple", "eq18", "eq19"} <= set(found)


@given(NETWORKS, SIDES)
def test_verdicts_follow_from_the_proved_bounds(arch, partition):
    """False only against a proved bound that excludes it; the best of each kind is the best proved one."""
    report = bounds(arch, partition)
    proved = [bound for bound in report if bound.valid]
    for bound in report:
        if bound.valid is False:
            against = [other for other in proved if other.kind != bound.kind]
            low_high = [(bound, other) if bound.kind == "lower" else (other, bound) for other in against]
            assert not all(at_most(low, high) for low, high in low_high)
    uppers = [bound for bound in proved if bound.kind == "upper"]
    assert all(at_most(report.best_upper, bound) for bound in uppers)
    assert all(at_most(bound, report.best_lower) for bound in proved if bound.kind == "lower")


@given(NETWORKS, SIDES)
def test_values_imply_the_bounds(arch, partition):
    for bound in bounds(arch, partition):
        if bound.value is None or bound.magnitude.pair is None:
            continue
        base, root = bound.magnitude.pair
        if bound.kind == "upper":
            assert bound.value**root <= base < (bound.value + 1) ** root
        else:
            assert max(bound.value - 1, 0) ** root < base <= bound.value**root


@given(NETWORKS, SIDES)
def test_more_tokens_or_a_long_input_never_lower_the_best_bounds(arch, partition):
    here, long = bounds(arch, partition), bounds(arch)
    assert here.best_lower.magnitude.compare(long.best_lower.magnitude) in (-1, 0)
    assert here.best_upper.magnitude.compare(long.best_upper.magnitude) in (-1, 0)


def test_blocks_are_combined_on_few_tokens_only_without_skip_connections():
    """Plain: block by block the smaller of staircase and Gram. Skip connections mix blocks: the sum as proved."""
    blocks, few = staircase_blocks(Architecture(2, 4, 2)), gram_blocks(Architecture(2, 4, 2), Partition(1, 2))
    assert sum(map(min, blocks, few)) < min(sum(blocks), sum(few))
    assert bounds(Architecture(2, 4, 2), Partition(1, 2))["staircase"].value == sum(map(min, blocks, few))
    assert bounds(Architecture(2, 4, 2, residual=True), Partition(1, 2))["staircase"].value == sum(blocks)


@pytest.mark.parametrize("residual", [False, True])
def test_which_bounds_are_listed(residual):
    found = ids(bounds(Architecture(2, 8, 2, residual=residual)))
    assert ("residual.thm5" in found) == ("residual.thm6" in found) == residual
    assert ("isotropic" in ids(bounds(Architecture(3, 4, residual=residual)))) == (not residual)
    assert "staircase" in found
    assert "staircase" not in ids(bounds(Architecture(2, 8)))
    assert "staircase" in ids(bounds(Architecture(2, 8, 1, 7)))
    assert "gram.two-tokens" not in found
    assert "gram.two-tokens" in ids(bounds(Architecture(2, 8, 2), Partition(2, 9)))


@pytest.mark.parametrize(
    ("L", "dx", "regime", "listed"),
    [
        (2, 10, "depth-efficient", {"thm1.lower", "thm1.upper"}),
        (2, 9, "boundary", set()),
        (3, 27, "boundary", set()),
        (2, 8, "depth-inefficient", {"thm2.lower", "thm2.upper"}),
        (30, 8, "depth-inefficient", {"thm2.lower", "thm2.upper"}),
    ],
)
def test_theorems_1_and_2_by_regime(L, dx, regime, listed):
    report = bounds(Architecture(L, dx))
    assert report.regime == regime
    assert {id for id in ids(report) if id.startswith("thm")} == listed
    assert abs(3 ** float(report.threshold) - dx) < 1e-9


def test_theorems_need_fewer_heads_than_coordinates_below():
    assert {id for id in ids(bounds(Architecture(2, 8, 8))) if id.startswith("thm")} == {"thm2.upper"}
    assert {id for id in ids(bounds(Architecture(1, 8, 8))) if id.startswith("thm")} == {"thm1.upper"}


def test_printed_digits():
    report = bounds(Architecture(96, 12288, 96))
    assert report["gram"].value is None
    assert report["gram"].log3 > 10**9
    assert bounds(Architecture(2, 8))["thm2.lower"].value == 1


def test_a_report_is_iterable_and_indexed_by_id():
    report = bounds(Architecture(2, 8))
    assert len(report) == len(list(report)) == len(report.bounds)
    assert report["gram"].value == 999
    with pytest.raises(KeyError, match="staircase"):
        report["staircase"]


def test_exact_where_lower_and_upper_meet_and_nowhere_else():
    assert bounds(Architecture(2, 8)).exact.evidence.startswith("known meets gram: theorem A")
    assert bounds(Architecture(3, 4)).exact.evidence.startswith("known meets isotropic: certified")
    assert bounds(Architecture(1, 5, 1, 2)).exact.value == 3
    assert bounds(Architecture(3, 5)).exact.value == 248008
    assert bounds(Architecture(3, 6)).exact is None
    assert bounds(Architecture(2, 3), Partition(1, 2)).exact is None


def test_too_deep():
    assert bounds(Architecture(MOST_DEPTH, 2)).best_upper is not None
    message = r"^L must be at most 100000 for closed forms, got 100001: 3\*\*L would have 47720 digits$"
    with pytest.raises(TooLarge, match=message):
        bounds(Architecture(MOST_DEPTH + 1, 2))


def test_wrong_arguments():
    with pytest.raises(InvalidInput, match=r"^arch must be an Architecture, got \(2, 8\)$"):
        bounds((2, 8))
    with pytest.raises(InvalidInput, match=r"^partition must be a Partition or None, got 6$"):
        bounds(Architecture(2, 8), 6)
