"""The part of the output of highest degree in the entries of G that layer 1 does not see."""

import numpy as np
import pytest

from seprank import Architecture
from seprank.closed_forms.blocks import block_bounds
from seprank.field.elimination import rank
from seprank.field.primes import DEFAULT_PRIME
from seprank.separation import derivative_unseen
from seprank.separation.derivative import derivative_rank
from seprank.separation.derivative_blocks import block_pivots
from seprank.separation.derivative_coefficients import scaled_coefficients
from seprank.separation.derivative_gradings import grading
from seprank.separation.derivative_gradings import sides as all_sides
from seprank.separation.derivative_sides import monomials
from seprank.separation.derivative_unseen import (
    scaled_unseen_part,
    unseen_degree,
    unseen_sides,
    unseen_variables,
    unseen_weights,
)

P = DEFAULT_PRIME


@pytest.mark.parametrize("sizes", [(2, 3), (2, 4), (3, 3)])
def test_it_is_that_part_of_the_whole_output(sizes):
    arch = Architecture(*sizes, sizes[1])
    weights = unseen_weights(arch, P, 3)
    whole, part = scaled_coefficients(weights, P), scaled_unseen_part(weights, P)
    exponents = np.diff(monomials(arch.s, arch.C), axis=1, prepend=0, append=arch.C)
    degrees, Z = exponents[:, unseen_variables(arch.dx)].sum(axis=1), unseen_degree(arch.C)
    assert not whole[:, degrees > Z].any()
    assert part.shape == (arch.dx, np.count_nonzero(degrees == Z))
    assert sorted(part.T.tolist()) == sorted(whole[:, degrees == Z].T.tolist())


@pytest.mark.parametrize(("dx", "C", "k"), [(3, 4, 0), (3, 4, 2), (4, 4, 3), (3, 13, 6), (3, 13, 13)])
def test_entries_are_those_of_the_whole_block(dx, C, k):
    arch = Architecture({4: 2, 13: 3}[C], dx, dx)
    weights = unseen_weights(arch, P, 1)
    whole, part, sides = scaled_coefficients(weights, P), scaled_unseen_part(weights, P), unseen_sides(dx, C, k)
    every = grading("none", dx, C)
    full = all_sides(every, C, k)
    for rows, columns in sides.classes():
        for row, column in [(rows[0], columns[0]), (rows[-1], columns[-1]), (rows[len(rows) // 2], columns[0])]:
            q, m = divmod(column, len(sides.left))
            sums = sides.operators[row].astype(int) + sides.left[m]
            found = part[q, sum(place[b] for place, b in zip(sides.places, sums, strict=True))]
            name, named_column = sides.named_rows(np.array([row]))[0], sides.named_columns(np.array([column]))[0]
            q_again, m_again = divmod(named_column, sides.left_count)
            assert q_again == q
            sums = full.operators[name].astype(int) + full.left[m_again]
            assert found == whole[q, sum(place[b] for place, b in zip(full.places, sums, strict=True))]


@pytest.mark.parametrize("sizes", [(2, 3), (2, 5), (3, 3)])
def test_every_block_meets_the_staircase_bound(sizes):
    arch = Architecture(*sizes, sizes[1])
    part = scaled_unseen_part(unseen_weights(arch, P, 0), P)
    found = [block_pivots(part, unseen_sides(arch.dx, arch.C, k), P) for k in range(arch.C + 1)]
    assert [pivots.rank for pivots in found] == [bound.value for bound in block_bounds(arch)]
    assert all(len(set(pivots.rows)) == len(set(pivots.columns)) == pivots.rank for pivots in found)


def test_pivots_are_those_of_a_minor_of_the_whole_block():
    arch = Architecture(3, 3, 3)
    weights = unseen_weights(arch, P, 0)
    whole = scaled_coefficients(weights, P)
    pivots = block_pivots(scaled_unseen_part(weights, P), unseen_sides(3, 13, 7), P)
    full = all_sides(grading("none", 3, 13), 13, 7)
    q, m = np.divmod(np.array(pivots.columns), len(full.left))
    sums = full.operators[list(pivots.rows)].astype(int)[:, None] + full.left[m][None]
    numbers = full.places[np.arange(sums.shape[2]), sums].sum(axis=2)
    assert rank(whole[q[None], numbers], P) == pivots.rank == 480


def test_wrong_coefficients_are_noticed(monkeypatch):
    arch = Architecture(2, 3, 3)
    road = derivative_unseen._Road.through_network

    def wrong(self):
        part = road(self)
        part[1, 2, 0] = (part[1, 2, 0] + 1) % P
        return part

    monkeypatch.setattr(derivative_unseen._Road, "through_network", wrong)
    with pytest.raises(ArithmeticError, match=r"the part of degree 1 gives .* at a random input, the network"):
        scaled_unseen_part(unseen_weights(arch, P, 0), P)


def test_chosen_for_one_coordinate_a_head():
    found = derivative_rank(Architecture(3, 4, 4))
    assert (found.rank, found.certified_exact) == (16335, True)
    assert {block.weights for block in found.blocks} == {"unseen"}
    small = derivative_rank(Architecture(3, 3, 3), prime=1021, seed=2)
    assert (small.rank, small.certified_exact) == (2441, True)
