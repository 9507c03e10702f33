"""The staircase bound: stored values, closed forms at L = 2, and the cover as a minimum vertex cover."""

from itertools import product
from math import comb

import flint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seprank.attention.architecture import Architecture
from seprank.closed_forms.combinatorics import multiset
from seprank.closed_forms.gram import gram_blocks
from seprank.closed_forms.staircase import gram_forms, narrow_forms, staircase_blocks
from seprank.field.draw import residues

# (L, dx, H): value
VALUES = {
    (2, 2, 2): 17,
    (2, 3, 3): 43,
    (2, 4, 4): 85,
    (2, 5, 5): 146,
    (2, 6, 6): 231,
    (2, 8, 8): 489,
    (2, 4, 2): 107,
    (2, 6, 2): 379,
    (2, 6, 3): 340,
    (2, 8, 2): 989,
    (2, 8, 4): 789,
    (3, 2, 2): 215,
    (3, 3, 3): 2441,
    (3, 4, 4): 16335,
    (3, 4, 2): 31095,
    (4, 2, 2): 4263,
}
BLOCKS = {
    (3, 4, 4): [1, 10, 55, 220, 715, 1750, 2755, 3480, 3629, 2576, 880, 220, 40, 4],
    (3, 4, 2): [1, 10, 55, 220, 715, 1996, 4950, 11160, 7984, 2860, 880, 220, 40, 4],
}
SMALL = st.builds(
    Architecture, L=st.integers(1, 4), dx=st.integers(1, 7), H=st.integers(1, 8), da=st.integers(1, 8)
)  # fmt: skip


def degree_classes(arch, k):
    """(size, degree in the unseen forms) of the row and column classes of block k, counted by monomials."""
    mu = narrow_forms(arch)  # checked by a rank below
    inner = min(arch.dx, arch.H * arch.da)
    forms = arch.s if inner == arch.dx else min(arch.s, mu + inner * (inner + 1) // 2)
    unseen = forms - mu

    def classes(degree, times):
        found = [(times * multiset(mu, degree - j) * multiset(unseen, j), j) for j in range(degree + 1)]
        return [(size, j) for size, j in found if size]

    return classes(arch.C - k, inner), classes(k, 1)


def least_cover(rows, columns, Z):
    """Least weight of classes that meet every pair of degrees with sum at most Z: all subsets are tried."""
    best = None
    for taken in product((False, True), repeat=len(rows)):
        weight = sum(size for (size, _), chosen in zip(rows, taken, strict=True) if chosen)
        left = [j for (_, j), chosen in zip(rows, taken, strict=True) if not chosen]
        weight += sum(size for size, i in columns if any(i + j <= Z for j in left))
        best = weight if best is None else min(best, weight)
    return best


def matching(cells, rows):
    """Size of a maximum matching by augmenting paths: the generic rank of a 0-1 pattern."""
    partner = {}

    def augment(row, seen):
        for column in cells[row]:
            if column not in seen:
                seen.add(column)
                if column not in partner or augment(partner[column], seen):
                    partner[column] = row
                    return True
        return False

    return sum(augment(row, set()) for row in range(rows))


@pytest.mark.parametrize(("case", "value"), VALUES.items())
def test_values(case, value):
    assert sum(staircase_blocks(Architecture(*case))) == value


@pytest.mark.parametrize(("case", "blocks"), BLOCKS.items())
def test_blocks(case, blocks):
    assert staircase_blocks(Architecture(*case)) == blocks


@pytest.mark.parametrize(("d", "H"), [(d, H) for d in range(3, 25) for H in range(2, d) if d % H == 0])
def test_two_layers_closed_form_below_full_heads(d, H):
    s = d * (d + 1) // 2
    zeta = s - d * d // H
    assert staircase_blocks(Architecture(2, d, H)) == [1, s, comb(s + 1, 2) - comb(zeta + 1, 2), d * s, d]


@pytest.mark.parametrize("d", range(2, 25))
def test_two_layers_closed_form_with_full_heads(d):
    s = d * (d + 1) // 2
    third = d * d + min(d * (s - d), comb(d + 2, 3))
    assert staircase_blocks(Architecture(2, d, d)) == [1, s, s + d * (s - d), third, d]


@given(st.integers(1, 5), st.integers(1, 9))
def test_one_wide_head_gives_the_gram_blocks(L, d):
    arch = Architecture(L, d)
    assert staircase_blocks(arch) == gram_blocks(arch, None)


@given(SMALL)
def test_no_block_exceeds_its_gram_bound(arch):
    assert all(mine <= other for mine, other in zip(staircase_blocks(arch), gram_blocks(arch, None), strict=True))


@given(SMALL)
def test_more_or_wider_heads_never_lower_the_bound(arch):
    here = staircase_blocks(arch)
    for grown in (
        Architecture(arch.L, arch.dx, arch.H + 1, arch.da),
        Architecture(arch.L, arch.dx, arch.H, arch.da + 1),
    ):
        assert all(mine <= other for mine, other in zip(here, staircase_blocks(grown), strict=True))


@pytest.mark.parametrize("L", [1, 2, 3])
@pytest.mark.parametrize(
    ("d", "H", "da"), [(2, 2, 1), (3, 3, 1), (4, 2, 2), (4, 4, 1), (5, 2, 1), (3, 1, 2), (6, 2, 3)]
)
def test_every_block_is_the_least_cover_of_its_degree_classes(L, d, H, da):
    arch = Architecture(L, d, H, da)
    Z = (3 ** (L - 1) - 1) // 2
    expected = [least_cover(*degree_classes(arch, k), Z) for k in range(arch.C + 1)]
    assert staircase_blocks(arch) == expected


@pytest.mark.parametrize(("d", "H", "da"), [(2, 2, 1), (3, 3, 1), (4, 4, 1), (4, 2, 2), (3, 1, 1)])
def test_every_block_is_the_maximum_matching_of_its_pattern(d, H, da):
    """König: two layers, one line a monomial, against augmenting paths that know nothing of the order."""
    arch = Architecture(2, d, H, da)
    for k, bound in enumerate(staircase_blocks(arch)):
        rows, columns = ([j for size, j in side for _ in range(size)] for side in degree_classes(arch, k))
        cells = [[c for c, i in enumerate(columns) if i + j <= 1] for j in rows]
        assert bound == matching(cells, len(rows))


def test_forms_seen_by_the_first_layer():
    assert narrow_forms(Architecture(2, 6, 3)) == 36 // 3
    assert narrow_forms(Architecture(2, 6, 1)) == 21
    assert narrow_forms(Architecture(2, 8, 2, da=2)) == 8


def test_mutant_that_allows_one_degree_more_is_the_wrong_number():
    """With Z + 1 in place of Z the cover at (2, 4, 2) is the Gram bound, above the rank 107."""
    arch = Architecture(2, 4, 2)
    mutant = sum(least_cover(*degree_classes(arch, k), 2) for k in range(5))
    assert mutant == 110 > VALUES[2, 4, 2]


@pytest.mark.parametrize(
    ("d", "H", "da"),
    [(3, 1, 1), (3, 2, 1), (4, 1, 2), (4, 1, 3), (5, 1, 4), (5, 2, 2), (5, 3, 1), (4, 2, 2), (4, 2, 3), (6, 1, 4)],
)
def test_number_of_forms_of_G_by_the_rank_of_their_span(d, H, da):
    """Random V, K, Q modulo a prime: the coefficients of V_h G K_h^T, and of these with Q_h G Q_g^T, as vectors."""
    prime = 2147483629
    query, key, value = (residues(7, stream, (H, da, d), prime) for stream in "QKV")
    entries = [(i, j) for i in range(d) for j in range(i, d)]

    def form(a, b):
        return [int(a[i] * b[j] + (a[j] * b[i] if i != j else 0)) % prime for i, j in entries]

    def span(rows):
        flat = [x for row in rows for x in row]
        return flint.nmod_mat(len(rows), len(entries), flat, prime).rank()

    seen = [form(v, k) for h in range(H) for v in value[h].tolist() for k in key[h].tolist()]
    rows = query.reshape(H * da, d).tolist()
    assert span(seen) == narrow_forms(Architecture(2, d, H, da))
    assert span(seen + [form(p, q) for p in rows for q in rows]) == gram_forms(Architecture(2, d, H, da))
    assert gram_forms(Architecture(2, d, H, da, residual=True)) == len(entries)


def test_narrow_networks_meet_the_bound():
    """Ranks of explicit networks (tests of the ranks have more): (2,3,1,1): 8, (2,3,2,1): 25, one layer: H da + 1."""
    assert sum(staircase_blocks(Architecture(2, 3, 1, 1))) == 8
    assert sum(staircase_blocks(Architecture(2, 3, 2, 1))) == 25
    assert staircase_blocks(Architecture(1, 7, 2, 2)) == [1, 4]
