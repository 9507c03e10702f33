"""Exact forms against logarithms, rounding, comparison and roots."""

from fractions import Fraction
from math import comb

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seprank.closed_forms import magnitude
from seprank.closed_forms.magnitude import (
    EXACT_DIGITS,
    Magnitude,
    integer_root,
    log3_multiset,
    log3_powers_plus_one,
    log3_sum,
)


def log3_of(number, digits=60):
    """log3 of an exact integer or fraction, with the working digits its size asks for."""
    with mpmath.workdps(digits):
        value = Fraction(number)
        top, bottom = mpmath.mpf(value.numerator), mpmath.mpf(value.denominator)
        return mpmath.log(top / bottom) / mpmath.log(3)


def close(mine, other, digits=30):
    with mpmath.workdps(60):
        return abs(mpmath.mpf(mine) - other) <= mpmath.mpf(10) ** -digits * (1 + abs(other))


@given(st.integers(1, 300), st.integers(0, 3000))
def test_log3_multiset_is_the_logarithm_of_the_integer(n, k):
    assert close(log3_multiset(n, k), log3_of(comb(n + k - 1, k)))


@pytest.mark.parametrize("small", [0, 1, 2, 7, 60])
@pytest.mark.parametrize("step", [-2, -1, 0, 1, 2])
def test_log3_multiset_around_the_switch_to_stirling(small, step):
    """10**40 is where the series takes over; the integers there are still at hand."""
    large = magnitude.HUGE + step
    for n, k in ((small + 1, large), (large + 1, small)):
        assert close(log3_multiset(n, k), log3_of(comb(large + small, small), digits=120), digits=38)


@pytest.mark.parametrize("large", [10**4, 10**6, 10**9, 10**20])
@pytest.mark.parametrize("small", [1, 50, 900])
def test_stirling_differs_from_log_gamma_by_its_first_neglected_term(small, large, monkeypatch):
    """1/(12 z) at z = large + 1 less the same at large + small + 1: about small / (12 large**2)."""
    by_gamma = log3_multiset(small + 1, large)
    monkeypatch.setattr(magnitude, "HUGE", 1000)
    by_series = log3_multiset(small + 1, large)
    assert 0 < abs(by_gamma - by_series) < mpmath.mpf(small) / 12 / large**2


def test_log3_multiset_of_two_huge_numbers():
    """Both beyond the switch: binom(2z, z) = 4**z / sqrt(pi z) (1 - 1/(8z) + ...)."""
    z = 10**45
    with mpmath.workdps(120):
        expected = (z * mpmath.log(4) - mpmath.log(mpmath.pi * z) / 2 - mpmath.mpf(1) / (8 * z)) / mpmath.log(3)
        assert abs(log3_multiset(z + 1, z) - expected) < mpmath.mpf(10) ** -35 * expected


@pytest.mark.parametrize(("low", "high"), [(0, 0), (0, 5), (1, 1), (3, 40), (5, 4), (150, 260), (230, 400)])
def test_log3_powers_plus_one_is_the_logarithm_of_the_product(low, high):
    product = 1
    for j in range(low, high + 1):
        product *= 3**j + 1
    assert close(log3_powers_plus_one(low, high), log3_of(product))


def test_log3_sum_of_exact_terms():
    terms = [3, 10, 10**30, 7]
    with mpmath.workdps(60):
        assert close(log3_sum(mpmath.mp, [log3_of(term) for term in terms]), log3_of(sum(terms)))


@given(st.integers(0, 10**45), st.integers(1, 12))
def test_integer_root_brackets(number, root):
    r = integer_root(number, root)
    assert r**root <= number < (r + 1) ** root


@given(st.integers(1, 10**12), st.integers(1, 8))
def test_integer_root_of_perfect_powers(base, root):
    assert integer_root(base**root, root) == base
    assert integer_root(base**root - 1, root) == base - 1
    assert integer_root(base**root + (root > 1), root) == base


@given(st.fractions(min_value=Fraction(1, 10**9), max_value=10**30), st.integers(1, 5))
def test_whole_rounds_the_root_up_for_lower_and_down_for_upper(base, root):
    number = Magnitude(log3_of(base) / root, exact=lambda: (base, root))
    up, down = number.whole("lower"), number.whole("upper")
    assert down**root <= base < (down + 1) ** root
    assert (up - 1) ** root < base <= up**root


def test_whole_keeps_perfect_powers():
    cube = Magnitude(log3_of(12), exact=lambda: (Fraction(12**3), 3))
    assert cube.whole("lower") == cube.whole("upper") == 12
    above = Magnitude(log3_of(12), exact=lambda: (Fraction(12**3) + Fraction(1, 10**50), 3))
    assert (above.whole("lower"), above.whole("upper")) == (13, 12)
    below = Magnitude(log3_of(12), exact=lambda: (Fraction(12**3) - Fraction(1, 10**50), 3))
    assert (below.whole("lower"), below.whole("upper")) == (12, 11)


@pytest.mark.parametrize("kind", ["lower", "upper"])
def test_whole_prints_up_to_sixty_digits(kind):
    assert Magnitude.of(10**60 - 1).whole(kind) == 10**60 - 1
    assert Magnitude.of(10**60).whole(kind) is None
    assert Magnitude.of(10**9999).whole(kind) is None


def test_whole_of_tiny_numbers():
    for tiny in (Fraction(1, 10**30), Fraction(1, 5), Fraction(1, 11), Fraction(3, 4)):
        assert Magnitude.of(tiny).whole("lower") == 1
        assert Magnitude.of(tiny).whole("upper") == 0
    assert Magnitude.of(1).whole("lower") == Magnitude.of(1).whole("upper") == 1
    assert Magnitude(-(mpmath.mpf(10) ** 30)).whole("lower") == 1


def by_logarithm(number, shift=0):
    """A magnitude without an exact form."""

    def precise(digits):
        with mpmath.workdps(digits + 10):
            return mpmath.log(mpmath.mpf(number) + mpmath.mpf(shift)) / mpmath.log(3)

    return Magnitude(precise(50), precise=precise)


def test_whole_by_logarithm_rounds_where_it_can():
    assert by_logarithm(17, "0.25").whole("upper") == 17
    assert by_logarithm(17, "0.25").whole("lower") == 18
    assert by_logarithm(10**58, "0.5").whole("upper") == 10**58
    assert by_logarithm(10**58, "1e-30").whole("lower") == 10**58 + 1


def test_whole_by_logarithm_refuses_to_guess():
    assert by_logarithm(17).whole("upper") is None
    assert by_logarithm(17, "1e-50").whole("lower") is None
    assert Magnitude(mpmath.mpf(3)).whole("upper") is None


@given(st.integers(1, 10**30), st.integers(1, 10**30))
def test_compare_of_integers(left, right):
    assert Magnitude.of(left).compare(Magnitude.of(right)) == (left > right) - (left < right)


def test_compare_sees_differences_far_below_the_printed_digits():
    big = 3**2000
    assert Magnitude.of(big).compare(Magnitude.of(big + 1)) == -1
    assert Magnitude.of(big + 1).compare(Magnitude.of(big)) == 1
    assert Magnitude.of(big).compare(Magnitude.of(big)) == 0


def test_compare_of_roots():
    root_of_two = Magnitude(log3_of(2) / 2, exact=lambda: (Fraction(2), 2))
    cube_of_it = Magnitude(log3_of(8) / 6, exact=lambda: (Fraction(8), 6))
    fourth = Magnitude(log3_of(4) / 4, exact=lambda: (Fraction(4), 4))
    assert root_of_two.compare(cube_of_it) == root_of_two.compare(fourth) == 0
    near = Magnitude(log3_of(2) / 2, exact=lambda: (Fraction(2) + Fraction(1, 10**60), 2))
    assert root_of_two.compare(near) == -1
    assert near.compare(fourth) == 1


def test_compare_says_nothing_where_no_exact_form_is_left():
    equal = 3**20000
    assert Magnitude.of(equal).digits > EXACT_DIGITS
    assert Magnitude.of(equal).pair is None
    assert Magnitude.of(equal).compare(Magnitude.of(equal)) is None
    assert by_logarithm(17).compare(Magnitude.of(17)) is None
    assert by_logarithm(17).compare(Magnitude.of(18)) == -1
