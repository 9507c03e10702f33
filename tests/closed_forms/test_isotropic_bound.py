"""The isotropic correction: stored values, the word of a one-head network, walks along it, Hilbert functions."""

from itertools import combinations, product

import pytest
from flint import nmod_mat

from seprank.attention.architecture import Architecture
from seprank.closed_forms.gram import gram_blocks
from seprank.closed_forms.isotropic import (
    degree_in_isotropic_direction,
    hilbert_function,
    isotropic_blocks,
    isotropic_loss,
    link_word,
)


def multiplied_out(L):
    """Letters of P_L: P_1 = G, P_l = Gamma_l B_l P_{l-1}, Gamma_l = P_{l-1} B_1 G B_1^T P_{l-1}^T.

    A letter is "G" or (layer, transposed). Transposing reverses a product and flips the links.
    """

    def transpose(letters):
        return [x if x == "G" else (x[0], not x[1]) for x in reversed(letters)]

    letters = ["G"]
    for layer in range(2, L + 1):
        form = [*letters, (1, False), "G", (1, True), *transpose(letters)]
        letters = [*form, (layer, False), *letters]
    return letters


def affected(L, d):
    arch = Architecture(L, d)
    return sum(isotropic_blocks(arch)) < sum(gram_blocks(arch, None))


@pytest.mark.parametrize("L", range(1, 7))
def test_link_word_is_the_recursion_multiplied_out(L):
    letters = multiplied_out(L)
    assert letters[::2] == ["G"] * ((3**L - 1) // 2)
    assert link_word(L) == tuple(link[0] for link in letters[1::2])


def test_links_of_three_layers_with_their_transposes():
    wanted = ["1", "1T", "2", "1", "1T", "2T", "1", "1T", "3", "1", "1T", "2"]
    assert [f"{layer}{'T' * flipped}" for layer, flipped in multiplied_out(3)[1::2]] == wanted


@pytest.mark.parametrize("L", [1, 2, 3])
def test_degree_is_the_largest_admissible_set_of_positions(L):
    word = link_word(L)
    positions = range(len(word) + 1)
    for size in range(L + 1):
        for links in combinations(range(1, L + 1), size):
            for row in (False, True):
                best = 0
                for taken in product((0, 1), repeat=len(positions)):
                    clash = any(taken[i] and taken[i + 1] and word[i] in links for i in range(len(word)))
                    if not clash and not (row and taken[0]):
                        best = max(best, sum(taken))
                assert degree_in_isotropic_direction(L, frozenset(links), row) == best


def test_degree_named_in_the_theory():
    assert degree_in_isotropic_direction(3, frozenset({1, 2}), True) == 6


@pytest.mark.parametrize(
    ("coordinates", "quadrics", "degree", "value"),
    [
        (2, 1, 5, 2),  # two points on a line
        (3, 2, 14, 4),  # four points in a plane
        (3, 2, 1, 3),
        (3, 1, 10, 21),  # a conic: 2 t + 1
        (4, 2, 14, 56),  # an elliptic quartic: 4 t
        (4, 1, 6, 49),  # a quadric surface: (t + 1)**2
        (4, 3, 9, 8),  # eight points in space
        (5, 3, 9, 68),  # a canonical curve of genus 5 and degree 8: 8 t - 4
        (5, 2, 14, 421),
        (6, 0, 3, 56),
    ],
)
def test_hilbert_function_of_curves_and_points(coordinates, quadrics, degree, value):
    assert hilbert_function(coordinates, quadrics, degree) == value


@pytest.mark.parametrize("t", range(2, 8))
def test_hilbert_function_is_the_rank_of_powers_of_points_on_a_conic(t):
    """The span of the t-th powers of the points (a^2, ab, b^2) of x z = y^2, by the rank of their monomials."""
    prime = 10007
    points = [(a * a % prime, a, 1) for a in range(1, 40)]
    exponents = [(i, j, t - i - j) for i in range(t + 1) for j in range(t + 1 - i)]
    table = [pow(x, i, prime) * pow(y, j, prime) * pow(z, k, prime) for x, y, z in points for i, j, k in exponents]
    rank = nmod_mat(len(points), len(exponents), table, prime).rank()
    assert hilbert_function(3, 1, t) == rank == 2 * t + 1


@pytest.mark.parametrize(("d", "value"), [(4, 31456), (5, 248008), (6, 1578299)])
def test_three_layers(d, value):
    assert sum(isotropic_blocks(Architecture(3, d))) == value


def test_the_one_deficient_block_of_three_layers_and_width_four():
    arch = Architecture(3, 4)
    pairs = zip(isotropic_blocks(arch), gram_blocks(arch, None), strict=True)
    assert {k: (mine, other) for k, (mine, other) in enumerate(pairs) if mine != other} == {7: (11436, 11440)}


def test_widths_affected_at_three_and_four_layers():
    assert [d for d in range(1, 21) if affected(3, d)] == list(range(4, 13))
    assert [d for d in range(1, 15) if affected(4, d)] == [5, 6, 7, 8]


@pytest.mark.parametrize(("L", "widths"), [(1, range(1, 20)), (2, range(1, 40)), (5, [2, 3]), (6, [2, 3])])
def test_not_affected(L, widths):
    assert not any(affected(L, d) for d in widths)


@pytest.mark.parametrize(("L", "d"), [(5, 4), (6, 4), (5, 9)])
def test_affected_deeper(L, d):
    assert affected(L, d)


def test_no_loss_where_no_isotropic_vector_exists():
    """Three generic quadrics and a hyperplane need five coordinates; width 1 has none at all."""
    assert isotropic_loss(Architecture(3, 1)) == [0] * 14
    start = degree_in_isotropic_direction(3, frozenset({1, 2, 3}), True) + 1
    assert isotropic_loss(Architecture(3, 4))[start] < hilbert_function(4, 3, 2 * start)
