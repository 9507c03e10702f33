"""Helpers of the checkers of lower bounds: exact logarithms, explicit networks, fits."""

from fractions import Fraction

import numpy as np
import pytest

from proofs_check.plain.bounds import gram_bound, multiset
from proofs_check.plain.line_fit import fit_line, known_points
from proofs_check.plain.logs import floor_log3, interval_floor, intervals, real_floor
from proofs_check.plain.networks import Quadric, gram_tokens, inner_product_power, quadric_network
from proofs_check.plain.transition import digits

PRIME = 2147483629


@pytest.mark.parametrize("power", [0, 1, 7, 400])
def test_whole_part_of_a_logarithm_next_to_powers_of_three(power: int) -> None:
    assert floor_log3(3**power) == power
    assert floor_log3(3**power * 2 + 1) == power + (power == 0)
    assert floor_log3(Fraction(1, 3**power)) == -power
    assert floor_log3(Fraction(1, 3**power + 1)) == -power - 1


def test_hundredths_of_a_logarithm() -> None:
    assert floor_log3(2, 100) == 63
    assert floor_log3(Fraction(1, 2), 100) == -64


def test_intervals_decide_floors_of_long_numbers_and_refuse_ties() -> None:
    ctx = intervals()
    value = ctx.log(7) * 10**40
    assert interval_floor(value) == 19459101490553133051053527434431797296370
    assert interval_floor(ctx.log(9) / ctx.log(3)) is None


def test_real_floor_keeps_all_digits_and_takes_a_near_integer_as_one() -> None:
    import mpmath

    ctx = mpmath.MPContext()
    ctx.dps = 60
    assert real_floor(ctx.log(7) * 10**20) == 194591014905531330510
    assert real_floor(ctx.mpf(2) - ctx.mpf(10) ** -40) == 2
    assert real_floor(ctx.mpf(2) - ctx.mpf(10) ** -20) == 1


def test_plain_bounds_match_small_known_values() -> None:
    assert [multiset(3, k) for k in range(4)] == [1, 3, 6, 10]
    assert (multiset(0, 0), multiset(0, 2)) == (1, 0)
    assert [gram_bound(2, 2), gram_bound(4, 2), gram_bound(3, 3)] == [18, 110, 3102]


def test_every_head_of_the_inner_product_network_stays_within_its_rows() -> None:
    heads = inner_product_power(3, 7, 7, 1, 3, True, 2, PRIME)
    # One product a head: alpha_r with beta_r, and the constant with itself.
    reads = [(int(heads.query[1, h, 0].argmax()), int(heads.key[1, h, 0].argmax())) for h in range(4)]
    assert reads == [(0, 3), (1, 4), (2, 5), (6, 6)]
    assert not heads.query[1, 4:].any()


def test_tokens_have_the_wanted_gram_matrix() -> None:
    sizes = Quadric(6, 2, 2, 1, 0)
    iota = pow(2, (PRIME - 1) // 4, PRIME)
    upper = [[1, 2], [0, 3], [0, 0], [4, 5]]
    X = np.array(gram_tokens(upper, sizes, iota), dtype=object)
    G = X.T @ X % PRIME
    expected = np.zeros((6, 6), dtype=object)
    for u, row in zip(sizes.U, upper, strict=True):
        for v, value in zip(sizes.V, row, strict=True):
            expected[u, v] = expected[v, u] = value
    assert (G == expected).all()
    assert quadric_network(sizes).query.shape == (sizes.L, 2, 3, 6)


def test_points_are_made_with_a_known_fit() -> None:
    x = [Fraction(i) for i in (1, 2, 4, 7)]
    sigma = [Fraction(1, i) for i in (1, 3, 2, 5)]
    y, squares = known_points(x, sigma, Fraction(2), Fraction(-1, 3), [Fraction(i) for i in (1, -2, 0, 3)])
    line = fit_line(x, y, sigma)
    assert (line.a, line.b, line.residual) == (2, Fraction(-1, 3), squares)
    assert line.total > line.residual > 0


def test_significant_digits() -> None:
    assert digits("1164432361964.46", 3) == "1.16E+12"
    assert digits("0.2", 2) == "2.0E-1"
