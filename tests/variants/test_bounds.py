"""Upper bounds of the variants: by a second count, above every measured rank, and met where that is claimed."""

from itertools import combinations_with_replacement, product
from math import prod

import pytest

from proofs_check.plain import staircase
from seprank import Architecture, Partition
from seprank.variants.bonds import chain_bound, tree_bound
from seprank.variants.causal import causal, prefix_blocks
from seprank.variants.conv import conv
from seprank.variants.embedding import embedding
from seprank.variants.feedforward import feedforward, moment_blocks
from seprank.variants.grouped import grouped
from seprank.variants.layer_forms import layer_form_blocks
from seprank.variants.limits import best_upper, upper_bounds
from seprank.variants.measure import variant_rank
from seprank.variants.per_layer import per_layer
from seprank.variants.recurrent import recurrent, token_degrees
from seprank.variants.reported import staircase_cover
from seprank.variants.residual import residual

CAUSAL = {  # (L, dx, H): rank by word
    (2, 2, 1): {"AB": 14, "AABB": 18, "AAABBB": 18, "ABAB": 37, "ABABAB": 62, "ABABABAB": 86, "AABBAABB": 42,
                "AABBAABBAABB": 66, "ABBA": 26},
    (2, 2, 2): {"AB": 12, "AABB": 14, "AAABBB": 14, "ABAB": 30, "ABABAB": 51, "ABABABAB": 72, "ABBA": 23},
    (2, 3, 1): {"AB": 30, "AABB": 47, "AAABBB": 47, "ABAB": 103, "ABBA": 68},
    (3, 2, 1): {"AB": 95, "AABB": 555, "AAABBB": 699, "ABAB": 1172},
}  # fmt: skip


@pytest.mark.parametrize(("sizes", "order"), [(sizes, order) for sizes, row in CAUSAL.items() for order in row])
def test_causal_ranks(sizes, order):
    found = variant_rank(causal(Architecture(*sizes), order))
    assert found.rank == CAUSAL[sizes][order]
    assert found.rank <= found.best_upper.value
    assert not found.sampled_out


def test_exchanging_the_names_reverses_the_blocks():
    first, second = (variant_rank(causal(Architecture(2, 2), order)).pieces for order in ("AABAB", "BBABA"))
    assert [piece.rank for piece in first] == [piece.rank for piece in second][::-1]
    assert [piece.rank for piece in first] != [piece.rank for piece in second]


def test_the_prefix_bound_is_reached_by_one_alternation_of_width_two_and_below_the_gram_bound_fails():
    found = variant_rank(causal(Architecture(2, 2), "AAABB"))
    assert (found.rank, found.certified_exact, found.best_upper.id) == (18, True, "prefix")
    assert prefix_blocks(Architecture(2, 2), "ABBA") == (1, 3, 10, 12, 2)
    gram = next(bound for bound in upper_bounds(causal(Architecture(2, 2), "ABAB")) if bound.id == "gram")
    assert (gram.holds, gram.value) == (False, 18)
    assert variant_rank(causal(Architecture(2, 2), "ABAB")).rank > gram.value


@pytest.mark.parametrize("order", ["AABBAABB", "AABBAABBAABB", "BBAABB", "ABBA", "BABA", "ABABBBAA"])
@pytest.mark.parametrize(("dx", "H"), [(1, 1), (2, 1), (2, 2), (3, 3)])
def test_the_prefix_bound_is_never_passed(dx, H, order):
    found = variant_rank(causal(Architecture(2, dx, H), order))
    blocks = prefix_blocks(Architecture(2, dx, H), order)
    ranks = [piece.rank for piece in found.pieces]
    assert all(rank <= bound for rank, bound in zip(ranks[::-1] if order[-1] == "B" else ranks, blocks, strict=True))
    assert ranks[::-1] != list(blocks) or (dx, H) != (2, 2)


GQA = {  # (L, dx, H, groups): exact rank
    (2, 2, 2, 1): 8, (2, 3, 3, 1): 8, (2, 4, 4, 1): 8, (2, 4, 4, 2): 40, (2, 4, 4, 4): 85, (2, 4, 2, 1): 85,
    (2, 6, 6, 2): 40, (2, 6, 6, 3): 98, (2, 6, 3, 1): 142, (2, 6, 2, 1): 307, (2, 8, 4, 1): 187, (2, 8, 4, 2): 489,
    (3, 2, 2, 1): 80, (3, 3, 3, 1): 80,
}  # fmt: skip


@pytest.mark.parametrize("sizes", GQA)
def test_shared_keys_and_values_have_these_exact_ranks(sizes):
    *arch, groups = sizes
    found = variant_rank(grouped(Architecture(*arch), groups))
    assert (found.rank, found.certified_exact) == (GQA[sizes], True)


@pytest.mark.parametrize(("L", "dx", "seen"), [(2, 3, 1), (2, 4, 2), (2, 4, 5), (3, 2, 2), (3, 3, 4)])
def test_the_cover_is_a_largest_matching(L, dx, seen):
    forms = staircase.Forms(dx, seen, dx * (dx + 1) // 2)
    assert list(staircase_cover(L, dx, seen)) == staircase.bounds(L, forms)
    assert list(staircase_cover(L, dx, seen)) != staircase.bounds(L, forms._replace(seen=seen + 1))


def monomials(variables, degree):
    """Their number, one by one."""
    return sum(1 for _ in combinations_with_replacement(range(variables), degree))


@pytest.mark.parametrize(("L", "d", "read"), [(1, 3, 2), (2, 2, 1), (2, 3, 2), (3, 2, 1)])
def test_layer_forms_counted_one_by_one(L, d, read):
    degrees = [3 ** (L - l) for l in range(1, L + 1)]
    words = [len(list(product(range(read), repeat=l))) for l in range(L)]
    forms = [min(monomials(d, 2), read * monomials(count, 2)) for count in words]
    own = min(d, read**L)
    expected = [0] * ((3**L - 1) // 2 + 1)
    for ks in product(*(range(degree + 1) for degree in degrees)):
        side_B = prod(monomials(n, k) for n, k in zip(forms, ks, strict=True))
        side_A = own * prod(monomials(n, degree - k) for n, degree, k in zip(forms, degrees, ks, strict=True))
        expected[sum(ks)] += min(side_A, side_B)
    assert list(layer_form_blocks(L, d, read)) == expected


def test_one_shared_thin_head_is_a_product_network():
    assert [sum(layer_form_blocks(L, 7, 1)) for L in (1, 2, 3, 4)] == [2, 8, 80, 2240]
    assert layer_form_blocks(30, 7, 1) is None


@pytest.mark.parametrize(("L", "d", "power", "seen"), [(1, 2, 2, 3), (1, 3, 3, 6), (1, 4, 2, 4), (2, 1, 2, 1)])
def test_moments_counted_one_by_one(L, d, power, seen):
    degrees = [power * (3 * power) ** (L - l) for l in range(1, L + 1)]
    forms = [seen if l == 1 else monomials(d, 2 * power ** (l - 1)) for l in range(1, L + 1)]
    expected = [0] * (power**L * (3**L - 1) // 2 + 1)
    for ks in product(*(range(degree + 1) for degree in degrees)):
        side_B = prod(monomials(n, k) for n, k in zip(forms, ks, strict=True))
        side_A = monomials(d, power**L)
        side_A *= prod(monomials(n, degree - k) for n, degree, k in zip(forms, degrees, ks, strict=True))
        expected[sum(power**l * k for l, k in enumerate(ks))] += min(side_A, side_B)
    assert list(moment_blocks(L, d, power, seen)) == expected


FEEDFORWARD = {(1, 2, 1, 2): 7, (1, 3, 1, 2): 13, (1, 4, 1, 2): 21, (1, 4, 2, 2): 19, (1, 4, 4, 2): 15}


@pytest.mark.parametrize("sizes", FEEDFORWARD)
def test_one_squared_layer_meets_the_moments(sizes):
    *arch, power = sizes
    found = variant_rank(feedforward(Architecture(*arch), power))
    assert (found.rank, found.certified_exact, found.best_upper.id) == (FEEDFORWARD[sizes], True, "moments")


WORDS = ["AB", "AABB", "ABAB", "ABBA", "BABA", "BBAA", "BABB", "AAAB"]


@pytest.mark.parametrize("sizes", [(1, 2), (2, 1), (2, 2), (2, 3), (3, 2), (3, 4)])
def test_trees_and_chains_meet_their_bounds(sizes):
    for order in [*WORDS, "AAAABBBB", "ABABABAB", "AABBAABB", "ABBAABBA", "AAABBBAB"]:
        for found in (variant_rank(conv(*sizes, order)), variant_rank(recurrent(*sizes, order))):
            assert found.certified_exact
            assert found.best_upper.id in ("tree", "chain")


def test_the_partition_matters_for_trees_and_chains():
    assert [tree_bound(order, 3, 4) for order in ("AAAABBBB", "AABBAABB", "ABABABAB")] == [4, 16, 81]
    assert [chain_bound(order, 3, 4) for order in ("AAAABBBB", "AABBAABB", "ABABABAB")] == [4, 36, 81]


@pytest.mark.parametrize("L", [2, 3])
@pytest.mark.parametrize("sizes", [(2, 2), (2, 3), (3, 2)])
def test_deep_chains(sizes, L):
    for order in WORDS[:6]:
        assert variant_rank(recurrent(*sizes, order, L)).certified_exact
    assert token_degrees(5, L) == [sum(1 for _ in combinations_with_replacement(range(L), 5 - t)) for t in range(1, 6)]


def test_depth_lengthens_the_memory_of_chains():
    ranks = [variant_rank(recurrent(2, 2, "AAABBB", L)).rank for L in (1, 2)]
    assert ranks == [2, 8]
    assert best_upper(recurrent(2, 2, "AAABBB", 2)).id == "state"


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize(("dx", "H"), [(3, 1), (4, 2), (4, 4), (6, 3)])
def test_an_embedding_has_at_most_the_rank_of_its_width(dx, H, rank):
    found = variant_rank(embedding(Architecture(2, dx, H), rank))
    one_head = 1 + rank * (rank + 1) // 2
    assert found.rank <= found.best_upper.value
    if H == 1:
        s = one_head - 1
        assert found.certified_exact
        assert found.rank == 1 + s + s * (s + 1) // 2 + rank * s + rank


def test_staircase_of_heads_in_the_first_layer_only():
    values = {heads: variant_rank(per_layer(4, heads)) for heads in [(4, 1), (1, 4), (2, 4), (4, 2), (1, 1)]}
    assert {heads: found.rank for heads, found in values.items()} == {
        (4, 1): 85, (1, 4): 110, (2, 4): 107, (4, 2): 85, (1, 1): 110
    }  # fmt: skip
    assert all(found.certified_exact for found in values.values())


def test_isotropic_loss_is_claimed_for_one_head_in_every_layer_only():
    def holds(heads):
        return {bound.id: bound.holds for bound in per_layer(4, heads).bounds}

    assert holds((1, 1, 1))["isotropic"] is True
    assert holds((1, 1, 4))["isotropic"] is False


@pytest.mark.parametrize("sides", [(1, 1), (1, 3), (3, 1), (2, 2)])
def test_skip_connections_keep_the_bounds(sides):
    for L, dx, H in [(1, 2, 1), (2, 2, 2), (2, 3, 1)]:
        found = variant_rank(residual(Architecture(L, dx, H), Partition(*sides)))
        assert found.rank <= found.best_upper.value
        assert {bound.id for bound in upper_bounds(found.variant) if bound.holds} >= {"gram", "gram.simple"}
