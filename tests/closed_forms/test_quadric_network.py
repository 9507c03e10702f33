"""Powers of a quadratic form: rank, closed sum, the best sizes, the range of the growth theorem."""

from math import comb, log2

import numpy as np
import pytest
from flint import nmod_mat
from hypothesis import given
from hypothesis import strategies as st

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.closed_forms import explicit
from seprank.closed_forms.explicit import diagonal_bound, growth_applies, growth_bound, quadric_power, quadric_sizes

PRIME = 2**31 - 1


def measured(r, K, prime=PRIME):
    """Rank of q(P + Q)**K, q = sum of squares, on random points P, Q modulo a prime."""
    size = sum(min(comb(r + j - 1, j), comb(r + 2 * K - j - 1, 2 * K - j)) for j in range(2 * K + 1)) + 8
    draw = np.random.default_rng(r + 10 * K)
    P, Q = draw.integers(0, prime, (size, r)), draw.integers(0, prime, (size, r))
    form = np.zeros((size, size), dtype=np.int64)
    for v in range(r):
        z = (P[:, v, None] + Q[None, :, v]) % prime
        form = (form + z * z) % prime
    power = form
    for _ in range(K - 1):
        power = power * form % prime
    return nmod_mat(size, size, [int(x) for x in power.ravel()], prime).rank()


def value(magnitude):
    return int(magnitude.exact()[0])


def best_by_search(arch, n):
    """The largest closed value over all m, J of the claim, for the stated heads and for thinner or fewer ones."""
    shapes = [(H, da) for H in range(1, arch.H + 1) for da in range(3, min(arch.da, arch.dx) + 1) if H * da <= arch.dx]
    best = 0
    for H, da in shapes:
        for m in range(2, da, 2):
            for J in range(1, H + 1):
                k = next(k for k in range(99) if 2 ** (k + 1) >= H * m)
                if J + k + 1 <= arch.L and n >= H * da:
                    r, K = J * H * m * (da - m), 3 ** (arch.L - J - k - 1)
                    best = max(best, 2 * comb(r + K - 1, K - 1) + comb(r + K - 1, K))
    return best


@pytest.mark.parametrize(("r", "K"), [(1, 3), (2, 1), (2, 3), (3, 2), (3, 3), (4, 1), (4, 2), (4, 3), (5, 2), (6, 2)])
def test_rank_of_a_power_of_a_quadratic_form(r, K):
    assert value(quadric_power(r, K)) == measured(r, K)


def test_value_50_and_its_mutants():
    assert value(quadric_power(4, 3)) == 50
    assert comb(4 + 6 - 1, 6) != 50
    assert measured(4, 3, prime=3) < 50  # the Frobenius map makes the cube linear


@given(st.integers(1, 30), st.integers(1, 60))
def test_closed_form_is_the_sum_of_minima(r, K):
    total = sum(min(comb(r + j - 1, j), comb(r + 2 * K - j - 1, 2 * K - j)) for j in range(2 * K + 1))
    assert value(quadric_power(r, K)) == total >= comb(r + K, K)


@pytest.mark.parametrize("L", [2, 3, 5, 8])
@pytest.mark.parametrize(
    ("d", "H", "da"), [(3, 1, 3), (6, 1, 6), (6, 2, 3), (9, 3, 3), (8, 2, 4), (12, 3, 4), (10, 2, 5)]
)
def test_best_sizes_of_standard_networks(L, d, H, da):
    arch = Architecture(L, d, H, da)
    found = explicit.quadric_bound(arch, None)
    one_shape = best_by_search(arch, d)
    assert (0 if found is None else value(found)) <= one_shape
    sizes = [
        quadric_power(J * H * m * (da - m), 3 ** (L - J - k - 1))
        for m in range(2, da, 2)
        for k in [(H * m // 2 - 1).bit_length()]
        for J in range(1, min(H, L - k - 1) + 1)
    ]
    assert (found is None) == (not sizes)
    if sizes:
        assert value(found) == max(value(size) for size in sizes)


@given(st.integers(1, 9), st.integers(1, 12), st.integers(1, 5), st.integers(1, 8), st.integers(1, 14))
def test_every_listed_quadric_fits_the_network(L, d, H, da, n):
    arch = Architecture(L, d, H, da)
    found = explicit.quadric_bound(arch, Partition(n, n + 1))
    if found is not None:
        assert value(found) <= best_by_search(arch, n)


def test_no_quadric_where_the_claim_has_none():
    assert quadric_sizes(Architecture(5, 8, 4), None) is None  # heads of size 2
    assert quadric_sizes(Architecture(1, 8, 1), None) is None  # l* = 2 at least
    assert quadric_sizes(Architecture(5, 8, 1), Partition(7, 20)) is None  # fewer tokens than coordinates
    assert quadric_sizes(Architecture(5, 8, 1), Partition(8, 8)) is not None


def test_growth_applies_from_2H_plus_5_log2_d():
    for d, H in ((2, 1), (3, 1), (4, 2), (8, 8), (16, 1), (12, 3), (7, 7)):
        least = 2 * H + 5 * log2(d)
        for L in range(1, 60):
            if abs(L - least) > 1e-9 or d in (2, 4, 8, 16):
                assert growth_applies(Architecture(L, d, H), None) == (round(least, 9) <= L)


def test_growth_needs_long_input_and_heads_that_divide_the_width():
    assert growth_applies(Architecture(60, 6, 2), Partition(6, 6))
    assert not growth_applies(Architecture(60, 6, 2), Partition(5, 9))
    assert not growth_applies(Architecture(60, 6, 4, 3), None)
    assert not growth_applies(Architecture(60, 6, 2, 2), None)
    assert growth_applies(Architecture(60, 6, 2, 4), None)


@pytest.mark.parametrize("d", [*range(1, 17), 24, 27, 32, 48, 64])
def test_growth_lies_below_the_explicit_networks_from_its_first_depth(d):
    for H in (H for H in range(1, d + 1) if d % H == 0):
        first = next(L for L in range(1, 999) if growth_applies(Architecture(L, d, H), None))
        for L in (first, first + 1, 2 * first):
            arch = Architecture(L, d, H)
            proved = [diagonal_bound(arch, None).log3]
            quadric = explicit.quadric_bound(arch, None)
            proved += [] if quadric is None else [quadric.log3]
            assert growth_bound(arch).log3 == d * d * L / 16 <= max(proved)


def test_growth_of_the_whole_exponent_is_not_proved():
    """Mutant: d**2 L / 4 is above the quadric of every depth near the start."""
    arch = Architecture(22, 16, 1)
    assert growth_applies(arch, None)
    assert explicit.quadric_bound(arch, None).log3 < 16 * 16 * 22 / 4
