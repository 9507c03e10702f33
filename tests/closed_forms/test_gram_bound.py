"""The Gram bound: sum of minima, its single switch, its closed sum, stored values, corollaries."""

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.closed_forms import gram
from seprank.closed_forms.gram import affordable, gram_blocks, gram_bound, long_gram_bound, long_gram_sum
from seprank.closed_forms.gram import side_A_dimension as D_A
from seprank.closed_forms.gram import side_B_dimension as D_B

# (L, dx, N per side): value
TABLE = {
    (1, 2, 1): 3,
    (1, 4, 1): 5,
    (2, 2, 1): 15,
    (2, 2, 2): 18,
    (2, 3, 3): 49,
    (2, 4, 5): 110,
    (2, 6, 6): 385,
    (2, 6, 2): 385,
    (2, 8, 8): 999,
    (3, 2, 1): 105,
    (3, 2, 3): 232,
    (3, 3, 2): 2640,
    (3, 3, 3): 3102,
    (3, 4, 4): 31460,
    (4, 2, 3): 4538,
    (4, 3, 3): 679581,
    (5, 2, 2): 109024,
    (6, 2, 2): 2826912,
    (2, 16, 16): 11645,
    (2, 32, 32): 157113,
    (2, 64, 64): 2299505,
}
# (L, dx, NA, NB): value
UNBALANCED = {
    (2, 2, 1, 2): 16,
    (2, 2, 2, 1): 17,
    (2, 3, 1, 2): 41,
    (2, 4, 1, 2): 90,
    (2, 5, 1, 2): 176,
    (2, 6, 1, 3): 315,
    (3, 2, 2, 1): 140,
    (3, 3, 1, 2): 818,
    (3, 3, 2, 1): 946,
    (3, 3, 2, 3): 2850,
    (3, 3, 3, 2): 2892,
}


def total(L, d, NA, NB):
    return gram_bound(Architecture(L, d), Partition(NA, NB)).magnitude.whole("upper")


def sum_of_minima(d, C):
    s = d * (d + 1) // 2
    return sum(min(comb(s + k - 1, k), d * comb(s + C - k - 1, C - k)) for k in range(C + 1))


@pytest.mark.parametrize(("case", "value"), TABLE.items())
def test_balanced_values(case, value):
    L, d, n = case
    assert total(L, d, n, n) == value


@pytest.mark.parametrize(("case", "value"), UNBALANCED.items())
def test_unbalanced_values(case, value):
    assert total(*case) == value


@given(st.integers(1, 40), st.integers(1, 364))
def test_closed_sum_is_the_sum_of_minima(d, C):
    """C need not be (3**L - 1) / 2 here: the identity is about two rising sequences."""
    assert long_gram_bound(d, C).pair == (sum_of_minima(d, C), 1)


@given(st.integers(1, 12), st.integers(1, 60))
def test_every_other_switch_gives_no_less(d, C):
    least = sum_of_minima(d, C)
    assert min(long_gram_sum(d, C, m) for m in range(C + 1)) == least


@pytest.mark.parametrize("d", range(1, 6))
@pytest.mark.parametrize("C", [1, 4, 13])
@pytest.mark.parametrize("NA", [1, 2, 3, 5])
@pytest.mark.parametrize("NB", [1, 2, 4, 5])
def test_the_smaller_side_switches_once_at_every_number_of_tokens(d, C, NA, NB):
    smaller = [D_B(d, NB, k) <= D_A(d, NA, C - k) for k in range(C + 1)]
    assert smaller == sorted(smaller, reverse=True)
    assert smaller[0]


@pytest.mark.parametrize(("L", "d", "m"), [(2, 4, 2), (3, 4, 7), (5, 2, 71), (6, 2, 213), (4, 3, 22)])
def test_the_switch_is_where_the_theory_places_it(L, d, m):
    C = Architecture(L, d).C
    assert long_gram_sum(d, C, m) == long_gram_bound(d, C).whole("upper")
    s = d * (d + 1) // 2
    assert comb(s + m - 1, m) <= d * comb(s + C - m - 1, C - m)
    assert comb(s + m, m + 1) > d * comb(s + C - m - 2, C - m - 1)


@given(st.integers(1, 5), st.integers(1, 3), st.integers(1, 6), st.integers(1, 6))
def test_more_tokens_never_lower_the_bound(d, L, NA, NB):
    here = total(L, d, NA, NB)
    assert here <= total(L, d, NA + 1, NB)
    assert here <= total(L, d, NA, NB + 1)
    assert here <= long_gram_bound(d, Architecture(L, d).C).whole("upper")
    if min(NA, NB) >= d:
        assert here == sum_of_minima(d, Architecture(L, d).C)


@pytest.mark.parametrize("L", range(1, 7))
def test_at_most_d_plus_one_to_the_C_and_at_most_3_to_the_sL(L):
    for d in range(1, 60):
        C, s = (3**L - 1) // 2, d * (d + 1) // 2
        if L == 6 and d % 6:
            continue
        value = int(long_gram_bound(d, C).exact()[0])
        assert value <= (d + 1) ** C
        assert value <= comb(s + C, s) <= 3 ** (s * L)


def test_the_power_of_d_is_not_enough():
    assert long_gram_bound(4, 1).whole("upper") == 5 > 4


def test_without_the_factor_d_one_layer_comes_out_too_small():
    """Mutant D_A(c) = multiset(s, c): it gives 2 where every network of width 2 has rank 3."""
    mutant = sum(min(comb(3 + k - 1, k), comb(3 + 1 - k - 1, 1 - k)) for k in range(2))
    assert mutant == 2
    assert total(1, 2, 2, 2) == 3


def test_blocks_of_one_head_at_two_layers():
    for d in range(1, 30):
        s = d * (d + 1) // 2
        assert gram_blocks(Architecture(2, d), None) == [1, s, s * (s + 1) // 2, d * s, d]


def test_where_the_sum_over_partitions_is_too_long_the_long_form_stands_in():
    arch, few = Architecture(8, 8), Partition(4, 4)
    assert not affordable(arch, few)
    found = gram_bound(arch, few)
    assert not found.counts_tokens
    assert found.magnitude.pair == long_gram_bound(8, arch.C).pair
    assert gram_bound(Architecture(3, 8), few).counts_tokens
    assert gram_bound(arch, Partition(8, 9)).counts_tokens


@pytest.mark.parametrize(("d", "C"), [(5, 3280), (12, 40), (40, 13), (2, 10**30), (90, 4)])
def test_switch_by_logarithms_gives_the_same_number(d, C, monkeypatch):
    exact = long_gram_bound(d, C)
    monkeypatch.setattr(gram, "EXACT_BITS", 0)
    by_logarithm = long_gram_bound(d, C)
    assert abs(by_logarithm.log3 - exact.log3) < 1e-30 * exact.log3
    if C < 10**20:
        assert by_logarithm.exact() == exact.exact()
