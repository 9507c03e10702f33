"""The depths at which explicit networks exceed eq. 19 and Theorem 2's upper bound; below them, none does."""

from functools import cache
from math import comb

import mpmath
import pytest

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.closed_forms.explicit import (
    diagonal_exponents,
    diagonal_rank,
    product_bound,
    quadric_bound,
    row_schedule,
    shift_schedule,
)
from seprank.closed_forms.gram import long_gram_bound
from seprank.closed_forms.report import bounds

WIDTHS = range(3, 17)
TABLE = {
    ("eq19", "shift"): [12, 8, 7, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 8],
    ("thm2", "shift"): [None, 32, 13, 10, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9],
    ("eq19", "product"): [18, 17, 19, 22, 26, 30, 34, 38, 42, 46, 50, 54, 57, 61],
    ("thm2", "product"): [None, 58, 31, 29, 31, 35, 39, 43, 47, 51, 55, 59, 63, 66],
    ("eq19", "Gram"): [10, 7, 6, 6, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5],
}
ROWS = [(bound, network, d, L) for (bound, network), row in TABLE.items() for d, L in zip(WIDTHS, row, strict=True)]
QUADRIC = {
    (8, 1): 55,
    (9, 1): 25,
    (10, 1): 19,
    (12, 1): 15,
    (16, 1): 12,
    (8, 2): 71,
    (10, 2): 23,
    (12, 2): 18,
    (14, 2): 16,
    (16, 2): 14,
    (12, 4): 29,
}
THIN = {(16, 8): 21, (14, 7): 66}
THEOREM_2 = {(16, 1): 14, (16, 2): 16, (16, 4): 20}
UNPROVED = [(d, H) for d in range(1, 8) for H in range(1, max(d, 2)) if d % H == 0] + [(8, 4), (10, 5), (12, 6)]


def exceeds_eq19(rank, d, L):
    """rank > d multiset(d, 2C) (2C/d + 1)^d, cleared of denominators."""
    twice_C = 3**L - 1
    return rank * d**d > d * comb(d + twice_C - 1, twice_C) * (twice_C + d) ** d


def exceeds_theorem2(rank, d, L):
    with mpmath.workdps(60):
        c2 = -2 * d * mpmath.log(d / (2 * mpmath.sqrt(2 * mpmath.e)), 3) + mpmath.log(d, 3)
        return mpmath.log(rank, 3) > 2 * d * L + L + c2


@cache
def rank_of(network, d, L):
    if network == "shift":
        magnitude = diagonal_rank(diagonal_exponents(L, d, shift_schedule(d)))
    elif network == "product":
        magnitude = product_bound(Architecture(L, d, d), None)
    else:
        magnitude = long_gram_bound(d, (3**L - 1) // 2)
    return int(magnitude.exact()[0])


def violates(bound, network, d, L):
    return (exceeds_eq19 if bound == "eq19" else exceeds_theorem2)(rank_of(network, d, L), d, L)


@pytest.mark.parametrize(("bound", "network", "d", "L"), [row for row in ROWS if row[3] is not None])
def test_first_depth_of_the_table(bound, network, d, L):
    claimed_from = 1 if bound == "eq19" else next(depth for depth in range(1, L) if 3**depth > d)
    assert violates(bound, network, d, L)
    assert not any(violates(bound, network, d, depth) for depth in range(claimed_from, L))


@pytest.mark.parametrize("network", ["shift", "product"])
def test_width_three_never_violates_theorem_2(network):
    assert not any(violates("thm2", network, 3, L) for L in range(2, 90))


@pytest.mark.parametrize("network", ["shift", "product", "Gram"])
def test_width_two_never_violates_equation_19(network):
    assert not any(violates("eq19", network, 2, L) for L in range(1, 90))


def test_logarithms_quoted_beside_the_table():
    quoted = [
        ("shift", 4, 8, "51.16", "50.59"),
        ("shift", 5, 7, "54.31", "54.26"),
        ("shift", 8, 7, "89.56", "84.02"),
        ("product", 4, 17, "115.37", "113.58"),
        ("product", 8, 30, "436.04", "428.99"),
        ("product", 3, 18, "87.36907167", "87.36907026"),
    ]
    for network, d, L, rank, bound in quoted:
        report = bounds(Architecture(L, d, d))
        digits = len(rank.split(".")[1])
        assert mpmath.nstr(report["eq19"].log3, 20)[: len(bound)] in (bound, bound[:-1] + str(int(bound[-1]) - 1))
        with mpmath.workdps(30):
            assert abs(mpmath.log(rank_of(network, d, L), 3) - mpmath.mpf(rank)) < mpmath.mpf(10) ** -digits


@pytest.mark.parametrize(("case", "L"), QUADRIC.items())
def test_first_depth_with_few_heads_by_the_quadric(case, L):
    d, H = case
    ranks = {depth: quadric_bound(Architecture(depth, d, H), None) for depth in range(1, L + 1)}
    exceeding = [
        depth for depth, rank in ranks.items() if rank is not None and exceeds_eq19(int(rank.exact()[0]), d, depth)
    ]
    assert exceeding == [L]


@pytest.mark.parametrize(("case", "L"), THIN.items())
def test_first_depth_with_half_as_many_heads_as_coordinates(case, L):
    d, H = case
    for depth in (L - 1, L):
        rank = int(diagonal_rank(diagonal_exponents(depth, H, shift_schedule(H))).exact()[0])
        assert exceeds_eq19(rank, d, depth) == (depth == L)


@pytest.mark.parametrize(("case", "L"), THEOREM_2.items())
def test_first_depth_of_theorem_2_with_few_heads(case, L):
    d, H = case
    for depth in (L - 1, L):
        rank = int(quadric_bound(Architecture(depth, d, H), None).exact()[0])
        assert exceeds_theorem2(rank, d, depth) == (depth == L)


@pytest.mark.parametrize(("d", "L"), [(3, 14), (4, 11), (5, 11), (6, 11), (8, 11), (12, 11)])
def test_three_rows_of_G_are_enough(d, L):
    """Six tokens, three a side: pairs with min(a, b) <= 3 only."""
    exponents = diagonal_exponents(L, d, row_schedule(d, 3))
    assert all(a < 3 for a, _ in exponents)
    assert exceeds_eq19(int(diagonal_rank(exponents).exact()[0]), d, L)
    report = bounds(Architecture(L, d, d), Partition(3, 3))
    assert report["eq19"].valid is False
    assert bounds(Architecture(L, d, d), Partition(2, 40))["eq19"].valid is True


@pytest.mark.parametrize(("case", "L"), {**QUADRIC, **THIN}.items())
def test_the_report_refutes_equation_19_there(case, L):
    d, H = case
    assert bounds(Architecture(L, d, H))["eq19"].valid is False


@pytest.mark.parametrize(("d", "H"), UNPROVED)
def test_no_violation_is_claimed_where_none_is_proved(d, H):
    for L in (*range(1, 40), 60, 100, 300):
        valid = bounds(Architecture(L, d, H))["eq19"].valid
        assert valid is not False
        assert valid is True or d > 2


def test_claims_that_are_wrong():
    """First at L = 17 for d = 4; width 3 never; a violation at (6, 1)."""
    assert violates("eq19", "shift", 4, 8)
    assert violates("eq19", "shift", 3, 12)
    assert bounds(Architecture(71, 6, 1))["eq19"].valid is None
