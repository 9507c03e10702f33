"""Every bound of two enormous networks against a separate computation with several hundred digits."""

import math
from functools import cache

import mpmath
import pytest

from seprank.attention.architecture import Architecture
from seprank.closed_forms.report import bounds

DIGITS = 700
SIZES = {"96 layers": (96, 12288, 96, 128), "1000 layers": (1000, 100000, 1, 100000), "wide": (40, 4096, 32, 128)}


def log3_choose(top, bottom):
    """log3 of a binomial coefficient of whole numbers, by log-gamma at high precision."""
    value = mpmath.loggamma(top + 1) - mpmath.loggamma(bottom + 1) - mpmath.loggamma(top - bottom + 1)
    return value / mpmath.log(3)


def log3_multi(n, k):
    return log3_choose(n + k - 1, k)


def add(*logs):
    """log3 of a sum."""
    return mpmath.log(mpmath.fsum(mpmath.mpf(3) ** (x - max(logs)) for x in logs), 3) + max(logs)


def gram_log3(d, C):
    """The closed sum at the exact switch, found by bisection on logarithms with all the digits."""
    s = d * (d + 1) // 2
    low, high = 0, C
    while low < high:
        middle = low + (high - low + 1) // 2
        if log3_multi(s, middle) <= mpmath.log(d, 3) + log3_multi(s, C - middle):
            low = middle
        else:
            high = middle - 1
    return add(log3_choose(s + low, s), mpmath.log(d, 3) + log3_choose(s + C - low - 1, s))


def quadric_log3(L, H, da):
    """The best of all J and of the m next to half the head size, each with its own high-precision value."""
    best = mpmath.mpf(0)
    for J in range(1, H + 1):
        for m in {2, 2 * (da // 4), 2 * (da // 4) + 2}:
            layers = L - J - math.ceil(math.log2(H * m / 2)) - 1
            if m < da and layers >= 0:
                r, K = J * H * m * (da - m), 3**layers
                value = add(mpmath.log(2, 3) + log3_choose(r + K - 1, r), log3_multi(r, K)) if K > 1 else None
                best = max(best, value or mpmath.log(r + 2, 3))
    return best


@cache
def independent(L, d, H, da):
    C, s = (3**L - 1) // 2, d * (d + 1) // 2
    with mpmath.workdps(DIGITS):
        log_d = mpmath.log(d, 3)
        eq19 = log_d + log3_multi(d, 2 * C) + d * mpmath.log(mpmath.mpf(2 * C) / d + 1, 3)
        half = mpmath.mpf(d - H) / 2
        b2 = -d * (1 + mpmath.log(half, 3) / 2)
        c2 = -2 * d * mpmath.log(d / (2 * mpmath.sqrt(2 * mpmath.e)), 3) + log_d
        found = {
            "gram": gram_log3(d, C),
            "gram.simple": mpmath.mpf(s * L),
            "eq18": C * mpmath.log(d + H, 3),
            "eq19": eq19,
            "thm2.upper": 2 * d * L + L + c2,
            "thm2.lower": mpmath.mpf(d * L) / 2 - L * (mpmath.mpf(H) / 2 + 1) + b2,
            "multiset.all-heads": log3_multi((d + 1) // 2, 3 ** (L - 2)),
            "residual.thm6": mpmath.log(C + 1, 3) + eq19,
            "residual.thm5": mpmath.log(L, 3)
            + C * mpmath.log(mpmath.mpf(2 * d * d**4) / H, 3)
            + sum(mpmath.mpf(3) ** (L - layer + 1) * mpmath.log(layer, 3) for layer in range(2, L + 1)),
            "product": product_log3(L, H),
        }
        if (d - H) % 2 == 0:
            found["multiset"] = log3_multi((d - H) // 2, 3 ** (L - 2))
        return found


def product_log3(L, H):
    forms = min(L, H * (H + 1) // 2)
    factors = [mpmath.log(mpmath.mpf(3) ** (L - layer) + 1, 3) for layer in range(1, forms)]
    return mpmath.fsum(factors) + mpmath.log((mpmath.mpf(3) ** (L - forms + 1) - 1) / 2 + 1, 3)


@cache
def reported(L, d, H, da):
    return bounds(Architecture(L, d, H, da, residual=True))


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_logarithms_have_thirty_right_digits(size):
    report = reported(*size)
    expected = independent(*size)
    assert {bound.id for bound in report} >= set(expected)
    for id, value in expected.items():
        with mpmath.workdps(DIGITS):
            assert abs(report[id].log3 - value) <= mpmath.mpf(10) ** -30 * abs(value), id


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_the_quadric_is_at_its_best_sizes(size):
    L, _, H, da = size
    with mpmath.workdps(DIGITS):
        expected = quadric_log3(L, H, da)
        assert abs(reported(*size)["quadric"].log3 - expected) <= mpmath.mpf(10) ** -30 * expected


def test_diagonal_of_700_heads_by_its_closed_form():
    """L = 96, H = 700 (too many steps for the schedules): k = 10, J = 86 of at most 350."""
    found = bounds(Architecture(96, 1400, 700))["diagonal"].log3
    with mpmath.workdps(60):
        closed = 700 * mpmath.fsum(mpmath.log(mpmath.mpf(3) ** (96 - 10 - layer) + 1, 3) for layer in range(1, 87))
        assert abs(found - closed) < mpmath.mpf(10) ** -30 * closed


def test_printed_bounds_of_huge_networks_are_refuted_not_left_open():
    for size in SIZES.values():
        report = reported(*size)
        assert report["multiset.all-heads"].valid is True
        assert report["residual.thm5"].valid is True
        assert report["eq19"].valid is report["thm2.upper"].valid is report["residual.thm6"].valid is False
        assert report.best_lower.log3 <= report.best_upper.log3
        assert report.exact is None


def test_the_deepest_network_served():
    """C has 158,000 bits; the growth d(d+1)/2 L is met up to a constant."""
    report = bounds(Architecture(100_000, 16))
    assert 0 < 136 * 100_000 - report["gram"].log3 < 1000
    assert report.regime == "depth-inefficient"
