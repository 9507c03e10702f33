"""Diagonal and product networks: exponents against a forward expansion, ranks, closed forms, mutants."""

from collections import Counter
from fractions import Fraction
from math import comb, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.closed_forms import explicit
from seprank.closed_forms.explicit import (
    diagonal_bound,
    diagonal_closed_form,
    diagonal_exponents,
    diagonal_rank,
    doubling_schedule,
    product_bound,
    row_schedule,
    shift_schedule,
    symmetric_dimension,
)

SCHEDULES = {
    "shift": lambda m, L: shift_schedule(m),
    "doubling": doubling_schedule,
    "one row": lambda m, L: row_schedule(m, 1),
    "two rows": lambda m, L: row_schedule(m, min(2, m)),
}


def expanded(L, m, schedule):
    """The output's monomial, forwards: G_{l+1} = M_l G_l M_l with diagonal M_l, each entry a monomial."""
    entries = {(a, b): Counter({(min(a, b), max(a, b)): 1}) for a in range(m) for b in range(m)}
    output = Counter()
    for layer in range(1, L + 1):
        factors = [entries[schedule(layer, head)] for head in range(m)]
        output += factors[0]
        entries = {(a, b): factors[a] + entries[a, b] + factors[b] for a, b in entries}
    return output


def backward_mutant(L, m, schedule):
    """n_{l-1} = (1 + S) n_l: the entry of the head's own coordinate is forgotten."""
    copies, total = [1] + [0] * (m - 1), 0
    for layer in range(L, 0, -1):
        total += sum(copies)
        grown = list(copies)
        for head, count in enumerate(copies):
            grown[schedule(layer, head)[1]] += count
        copies = grown
    return total


def value(magnitude):
    return int(magnitude.exact()[0])


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize("m", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("L", [1, 2, 3, 4, 5, 6])
def test_exponents_are_the_recursion_expanded(name, m, L):
    if name == "doubling":
        L += (m - 1).bit_length()
    schedule = SCHEDULES[name](m, L)
    exponents = diagonal_exponents(L, m, schedule)
    assert exponents == expanded(L, m, schedule)
    assert sum(exponents.values()) == (3**L - 1) // 2


@given(st.integers(1, 6), st.integers(1, 5), st.randoms(use_true_random=False))
def test_exponents_of_any_schedule(L, m, random):
    table = {
        (layer, head): (random.randrange(m), random.randrange(m)) for layer in range(1, L + 1) for head in range(m)
    }
    exponents = diagonal_exponents(L, m, lambda layer, head: table[layer, head])
    assert exponents == expanded(L, m, lambda layer, head: table[layer, head])


def test_mutant_recursion_does_not_add_up_to_the_degree():
    assert backward_mutant(4, 3, shift_schedule(3)) != 40


def test_shifts_name_the_pairs_of_the_theory():
    """Layer l joins h and h + l - 1; the doubling layers shift by 1, 2, 4, ... at the end."""
    assert [shift_schedule(5)(layer, 3) for layer in (1, 2, 3)] == [(3, 3), (3, 4), (3, 0)]
    assert [doubling_schedule(5, 9)(layer, 0)[1] for layer in range(1, 10)] == [0, 1, 2, 3, 4, 0, 1, 2, 4]
    assert [row_schedule(5, 3)(layer, 4) for layer in (1, 2, 3, 4)] == [(0, 4), (1, 0), (2, 1), (0, 2)]


def test_rank_is_the_product_of_exponents_plus_one():
    rank = diagonal_rank(Counter({(0, 0): 2, (0, 1): 4}))
    assert value(rank) == 15
    assert abs(3 ** float(rank.log3) - 15) < 1e-9


@pytest.mark.parametrize(
    ("d", "n", "rho"), [(3, 1, 3), (3, 2, 5), (3, 3, 6), (3, 9, 6), (8, 3, 21), (8, 8, 36), (1, 1, 1)]
)
def test_symmetric_dimension(d, n, rho):
    assert symmetric_dimension(d, n) == rho


@pytest.mark.parametrize(
    ("d", "L", "rank"), [(2, 2, 8), (2, 3, 80), (2, 4, 1400), (2, 5, 32144), (3, 3, 80), (3, 4, 2240)]
)
def test_product_networks(d, L, rank):
    assert value(product_bound(Architecture(L, d, d), None)) == rank


def test_product_mutants():
    """Without the +1, and with 3**(L-t) + 1 for the repeated form."""
    assert prod(3 ** (4 - layer) for layer in range(1, 5)) != 2240
    assert (27 + 1) * (9 + 1) * (3 + 1) == 1120 != value(product_bound(Architecture(4, 2, 2), None))


@given(st.integers(1, 12), st.integers(1, 6), st.integers(1, 6), st.integers(1, 6))
def test_product_bound_is_a_product_over_the_forms(L, d, H, n):
    forms = min(L, symmetric_dimension(min(H, d), n))
    powers = [3 ** (L - layer) for layer in range(1, L + 1)]
    exponents = [*powers[: forms - 1], sum(powers[forms - 1 :])]
    arch = Architecture(L, d, H, 1)
    assert value(product_bound(arch, Partition(n, n + 1))) == prod(e + 1 for e in exponents)


@pytest.mark.parametrize("m", [2, 3, 4, 5, 6, 8])
def test_closed_form_lies_below_the_doubling_schedule(m):
    for L in range(1, 25):
        closed = value(diagonal_closed_form(L, m))
        k = (m - 1).bit_length()
        J = min(-(-m // 2), L - k)
        assert closed == (prod((3 ** (L - k - layer) + 1) ** m for layer in range(1, J + 1)) if J >= 1 else 1)
        if L > k:
            assert closed <= value(diagonal_rank(diagonal_exponents(L, m, doubling_schedule(m, L))))


@pytest.mark.parametrize("L", [6, 9, 14])
@pytest.mark.parametrize("m", [2, 3, 5])
def test_bound_stays_proved_when_the_schedules_are_too_long(L, m, monkeypatch):
    arch = Architecture(L, m, m)
    for partition in (None, Partition(1, 4), Partition(2, 2)):
        best = diagonal_bound(arch, partition)
        with monkeypatch.context() as patch:
            patch.setattr(explicit, "MOST_STEPS", 0)
            quick = diagonal_bound(arch, partition)
        assert quick.log3 <= best.log3
        assert quick.log3 >= product_bound(arch, partition).log3


@given(st.integers(1, 9), st.integers(1, 6), st.integers(1, 6), st.integers(1, 6))
def test_diagonal_bound_grows_with_heads_and_tokens(L, d, H, n):
    here = value(diagonal_bound(Architecture(L, d, H, 1), Partition(n, n)))
    assert here <= value(diagonal_bound(Architecture(L, d, H, 1), Partition(n + 1, n + 1)))
    assert here <= value(diagonal_bound(Architecture(L, d, H, 1), None))
    assert here >= (3**L - 1) // 2 + 1


def test_logarithms_are_those_of_the_exact_products():
    for arch in (Architecture(30, 6, 6), Architecture(200, 3, 3), Architecture(7, 9, 9)):
        for magnitude in (diagonal_bound(arch, None), product_bound(arch, None), diagonal_closed_form(arch.L, arch.H)):
            exact, root = magnitude.exact()
            assert root == 1
            low, high = Fraction(3) ** int(magnitude.log3), Fraction(3) ** (int(magnitude.log3) + 1)
            assert low <= exact < high


def test_one_token_a_side_allows_one_row_only():
    """At N = 1 the first row of G carries everything: exponents of pairs (0, b) only."""
    arch = Architecture(4, 4, 4)
    one_row = value(diagonal_rank(diagonal_exponents(4, 4, row_schedule(4, 1))))
    assert value(diagonal_bound(arch, Partition(1, 9))) == one_row
    assert value(diagonal_bound(arch, None)) > one_row


def test_a_single_thin_head_gives_a_power_of_one_entry():
    assert value(diagonal_bound(Architecture(5, 3, 1, 1), None)) == comb(122, 1)
