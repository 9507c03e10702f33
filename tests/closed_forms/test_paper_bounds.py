"""The printed bounds against direct formulas in other code, and the steps between them."""

from fractions import Fraction
from math import comb, prod

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from seprank.attention.architecture import Architecture
from seprank.closed_forms import paper
from seprank.closed_forms.gram import long_gram_bound

STANDARD = [(L, d, H) for L in range(1, 9) for d in (1, 2, 3, 4, 6, 9, 12, 27) for H in range(1, d + 1) if d % H == 0]


def log3(x):
    return mpmath.log(x) / mpmath.log(3)


def printed(L, d, H):
    """Logarithms of the bounds as printed, at 80 digits, from their letters."""
    with mpmath.workdps(80):
        C = (3**L - 1) // 2
        found = {
            "eq18": C * log3(d + H),
            "eq19": log3(d) + log3(mpmath.binomial(d + 2 * C - 1, 2 * C)) + d * log3(mpmath.mpf(2 * C) / d + 1),
            "theorem2_upper": 2 * d * L + L - 2 * d * log3(d / (2 * mpmath.sqrt(2 * mpmath.e))) + log3(d),
        }
        if H < d:
            a = -L + 2 - log3(2)
            found["theorem1_lower"] = mpmath.mpf(3) ** (L - 2) * (log3(d - H) + a)
            b1, b2 = -L * (mpmath.mpf(H) / 2 + 1), -d * (1 + log3(mpmath.mpf(d - H) / 2) / 2)
            found["theorem2_lower"] = mpmath.mpf(d * L) / 2 + b1 + b2
        return found


def near(mine, expected, digits=30):
    with mpmath.workdps(80):
        return abs(mine - expected) <= mpmath.mpf(10) ** -digits * (1 + abs(expected))


@pytest.mark.parametrize(("L", "d", "H"), STANDARD)
def test_logarithms_as_printed(L, d, H):
    arch = Architecture(L, d, H)
    for name, expected in printed(L, d, H).items():
        mine = paper.eq19(d, arch.C) if name == "eq19" else getattr(paper, name)(arch)
        assert near(mine.log3, expected), name
        if mine.precise is not None:
            assert near(mine.precise(60), expected, digits=55), name


@pytest.mark.parametrize(("L", "d", "H"), STANDARD)
def test_exact_forms_have_the_same_logarithms(L, d, H):
    arch = Architecture(L, d, H)
    found = [paper.eq18(arch), paper.eq19(d, arch.C), paper.theorem1_upper(arch), paper.theorem6(arch)]
    found += [paper.theorem1_lower(arch), paper.theorem2_lower(arch)] if H < d else []
    for magnitude in found:
        if abs(magnitude.digits) < 3000:
            base, root = magnitude.pair
            with mpmath.workdps(80):
                quotient = mpmath.mpf(base.numerator) / base.denominator
                assert near(magnitude.log3, log3(quotient) / root, digits=28)


def test_equation_18_with_any_head_size():
    assert int(paper.eq18(Architecture(2, 5, 3, 2)).exact()[0]) == 9**4
    assert int(paper.eq18(Architecture(3, 8, 2)).exact()[0]) == int(
        paper.theorem1_upper(Architecture(3, 8, 2)).exact()[0]
    )


def b2_multiset(L, n):
    return comb(n + 3 ** (L - 2) - 1, 3 ** (L - 2))


@pytest.mark.parametrize("L", range(2, 10))
def test_lower_forms_lie_below_the_multiset_coefficient_in_both_regimes(L):
    for d in (2, 3, 4, 5, 8, 12, 30, 100):
        for H in range(1, d):
            if (d - H) % 2 == 0:
                arch, rank = Architecture(L, d, H, 1), b2_multiset(L, (d - H) // 2)
                with mpmath.workdps(60):
                    assert paper.theorem1_lower(arch).log3 <= log3(rank) + mpmath.mpf(10) ** -40
                    assert paper.theorem2_lower(arch).log3 + 3 <= log3(rank)


@pytest.mark.parametrize(("d", "H"), [(4, 2), (8, 2), (9, 3), (27, 1)])
def test_two_layers_meet_the_multiset_coefficient_exactly(d, H):
    arch = Architecture(2, d, H, 1)
    assert paper.theorem1_lower(arch).exact() == (Fraction(d - H, 2), 1)
    if (d - H) % 2 == 0:
        assert b2_multiset(2, (d - H) // 2) == (d - H) // 2


def test_mutants_of_the_lower_forms_exceed_it():
    """a = -L + 2 in Theorem 1; b_1 = 0 in Theorem 2."""
    with mpmath.workdps(40):
        assert log3(8 - 2) > log3(b2_multiset(2, 3))
        L, d, half_gap = 9, 8, 1  # H = 6
        assert mpmath.mpf(d * L) / 2 - d * (1 + log3(half_gap) / 2) > log3(b2_multiset(L, half_gap))


@given(st.integers(1, 9), st.integers(1, 60))
def test_theorem_2_upper_without_c1_follows_from_equation_19(L, d):
    """eq. 19, Lemma 4 and d <= 3**L give 2 d L + c_2; with 2e in place of 2 sqrt(2e) the step fails."""
    assume(d <= 3**L)
    arch = Architecture(L, d)
    assert paper.eq19(d, arch.C).log3 <= paper.theorem2_upper(arch).log3 - L


def test_theorem_2_upper_needs_the_square_root():
    L = 3
    with mpmath.workdps(40):
        mutant = 2 * 27 * L - 2 * 27 * log3(mpmath.mpf(27) / (2 * mpmath.e)) + log3(27)
        right = 2 * 27 * L - 2 * 27 * log3(27 / (2 * mpmath.sqrt(2 * mpmath.e))) + log3(27)
    assert abs(paper.theorem2_upper(Architecture(L, 27)).log3 - L - right) < mpmath.mpf(10) ** -14
    assert mutant != right


@given(st.integers(1, 40), st.integers(0, 80))
def test_lemma_4_even_without_the_2(n, k):
    with mpmath.workdps(40):
        assert comb(n + k - 1, k) <= (mpmath.e * (n + k) / n) ** n
    assert comb(3 + 3 - 1, 3) > 2**3  # without e it fails


@given(st.integers(1, 12), st.lists(st.integers(0, 30), min_size=1, max_size=8))
def test_lemma_3(n, powers):
    k, total = len(powers), sum(powers)
    left = prod(comb(n + r - 1, r) for r in powers)
    right = prod(Fraction(total, k) + t for t in range(1, n)) ** k / Fraction(prod(range(1, n))) ** k
    assert left <= right


@pytest.mark.parametrize("L", range(1, 6))
@pytest.mark.parametrize(("d", "H", "N"), [(1, 1, 2), (2, 1, 4), (3, 3, 6), (4, 2, 2), (6, 4, 5)])
def test_theorem_5_is_its_recursion(L, d, H, N):
    first = Fraction(N * d**4, H)
    ell = first
    for layer in range(2, L + 1):
        ell = first * (layer * ell) ** 3
    assert paper.theorem5(Architecture(L, d, H, 1), N).exact() == (L * ell, 1)
    assert ell >= (d + 1) ** ((3**L - 1) // 2) >= int(long_gram_bound(d, (3**L - 1) // 2).exact()[0])


def test_theorem_5_with_a_smaller_exponent_is_another_number():
    assert 2 ** (3 ** (2 - 2)) != 2 ** (3 ** (2 - 2 + 1))
    assert int(paper.theorem5(Architecture(2, 1), 2).exact()[0]) == 2 * 2**4 * 2**3


def test_theorem_6_is_C_plus_one_times_equation_19():
    arch = Architecture(3, 5)
    assert paper.theorem6(arch).exact()[0] == 14 * paper.eq19(5, 13).exact()[0]


@pytest.mark.parametrize(("d", "H", "base"), [(8, 2, 3), (8, 1, None), (9, 3, 3), (4, 4, None), (3, 5, None)])
def test_base_of_the_printed_multiset_coefficient(d, H, base):
    assert paper.b2_base(Architecture(3, d, H, 1)) == base


@pytest.mark.parametrize(
    ("d", "H", "da", "base"), [(8, 2, 4, 4), (7, 7, 1, 4), (8, 2, 2, 2), (8, 1, 1, 1), (4, 9, 3, 2)]
)
def test_base_for_all_heads(d, H, da, base):
    assert paper.all_heads_base(Architecture(3, d, H, da)) == base


@given(st.integers(1, 50), st.integers(2, 7))
def test_multiset_power_is_a_binomial_coefficient(base, L):
    assert paper.multiset_power(base, L).exact()[0] == b2_multiset(L, base)
