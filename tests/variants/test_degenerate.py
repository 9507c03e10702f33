"""Where a variant is a plain network it has that network's values, ranks and bounds."""

import numpy as np
import pytest

from seprank import Architecture, Partition, separation_rank
from seprank.attention.weights import Weights, random_weights
from seprank.closed_forms.staircase import staircase_blocks
from seprank.field.draw import residues
from seprank.field.products import matmul
from seprank.separation.assignments import draw_assignments
from seprank.separation.network import network_function
from seprank.variants.causal import causal
from seprank.variants.embedding import Embedded, embedding
from seprank.variants.feedforward import feedforward
from seprank.variants.grouped import grouped
from seprank.variants.measure import variant_rank
from seprank.variants.per_layer import per_layer
from seprank.variants.reported import staircase_cover
from seprank.variants.residual import residual

P = 4194301
ARCH = Architecture(2, 4, 2)
SIDES = Partition(3, 2)
TOKENS = draw_assignments(SIDES, 4, P, 3, 5)
PLAIN = network_function(random_weights(ARCH, P, 7), P)(*TOKENS)


def test_as_many_groups_as_heads():
    assert (grouped(ARCH, 2, SIDES).network(P, 7)(*TOKENS) == PLAIN).all()


def test_equal_numbers_of_heads():
    assert (per_layer(4, [2, 2], SIDES).network(P, 7)(*TOKENS) == PLAIN).all()
    assert (per_layer(4, [2, 4], SIDES).network(P, 7)(*TOKENS) != PLAIN).any()


def test_power_one_is_absorbed_in_the_output_matrices():
    up, down = residues(7, "W1", (2, 3, 4), P), residues(7, "W2", (2, 4, 3), P)
    query, key, value, output = random_weights(ARCH, P, 7)
    absorbed = [[matmul(matmul(down[l], up[l], P), output[l, h], P) for h in range(2)] for l in range(2)]
    plain = network_function(Weights(ARCH, query, key, value, np.array(absorbed)), P)
    assert (feedforward(ARCH, 1, 3, SIDES).network(P, 7)(*TOKENS) == plain(*TOKENS)).all()


def test_a_full_embedding_changes_the_basis_only():
    network = network_function(random_weights(ARCH, P, 7), P)
    assert (Embedded(network, np.eye(4, dtype=np.int64), P)(*TOKENS) == PLAIN).all()
    assert variant_rank(embedding(ARCH, 4)).rank == separation_rank(ARCH).rank == 107


@pytest.mark.parametrize(("L", "dx", "H"), [(1, 3, 1), (2, 2, 1), (2, 3, 3), (3, 2, 2)])
def test_ranks_of_degenerate_variants(L, dx, H):
    arch = Architecture(L, dx, H)
    expected = separation_rank(arch, method="blocks")
    variants = [grouped(arch, H), per_layer(dx, [H] * L), embedding(arch, dx), feedforward(arch, 1)]
    for variant in variants:
        found = variant_rank(variant)
        assert [piece.rank for piece in found.pieces] == [piece.rank for piece in expected.pieces]
        assert found.certified_exact
    assert variant_rank(residual(arch)).rank == separation_rank(Architecture(L, dx, H, residual=True)).rank


@pytest.mark.parametrize("order", ["AB", "AABB", "ABAB", "BABBA"])
def test_one_layer_does_not_see_the_mask(order):
    arch, own = Architecture(1, 3, 3), order[-1]
    variant = causal(arch, order)
    A, B = draw_assignments(variant.partition, 3, P, 3, 4)
    last, rest = (A, B) if own == "A" else (B, A)
    plain = network_function(random_weights(arch, P, 7), P)(last[:, ::-1], rest)
    assert (variant.network(P, 7)(A, B) == (plain if own == "A" else plain.T)).all()
    assert variant_rank(variant).rank == 4


def test_two_layers_see_it():
    arch = Architecture(2, 2)
    A, B = draw_assignments(Partition(2, 2), 2, P, 3, 4)
    plain = network_function(random_weights(arch, P, 7), P)(B[:, ::-1], A).T
    assert (causal(arch, "AABB").network(P, 7)(A, B) != plain).any()


@pytest.mark.parametrize("sizes", [(1, 3, 3), (2, 4, 2), (2, 6, 6), (3, 4, 4), (3, 2, 2), (4, 2, 2)])
def test_the_cover_is_the_staircase_bound_of_plain_networks(sizes):
    arch = Architecture(*sizes)
    seen = min(arch.s, arch.H * arch.da**2)
    assert list(staircase_cover(arch.L, arch.dx, seen)) == staircase_blocks(arch)
