"""A user's own network as a `Variant`: what is used of its declarations, checked, and refused."""

import numpy as np
import pytest

from seprank import Architecture, Partition
from seprank.attention.weights import random_weights
from seprank.errors import CheckFailed, InvalidInput, OutOfScope, TooLarge
from seprank.field.elimination import rank
from seprank.separation.assignments import draw_assignments
from seprank.separation.network import network_function
from seprank.variants import sizes
from seprank.variants.causal import causal
from seprank.variants.conv import conv
from seprank.variants.embedding import embedding
from seprank.variants.feedforward import feedforward
from seprank.variants.graded import Values, part_matrices
from seprank.variants.grouped import grouped
from seprank.variants.limits import best_upper
from seprank.variants.measure import confirmed_variant, variant_rank
from seprank.variants.per_layer import per_layer
from seprank.variants.recurrent import recurrent
from seprank.variants.variant import Grading, Upper, Variant

ARCH = Architecture(2, 3, 3)
EVEN = Grading(0, 2, 5, 9)


def plain(prime, seed):
    return network_function(random_weights(ARCH, prime, seed), prime)


def sums(prime, seed):
    """(a + b)^3 + a of the first entries: rank 4, neither homogeneous nor a function of Gram matrices."""

    def values(A, B):
        total = (A[:, 0, :1] + B[:, 0, 0]) % prime
        return (total * total % prime * total + A[:, 0, :1]) % prime

    return values


def test_gram_and_grading_give_blocks_and_their_bounds():
    found = variant_rank(Variant(plain, 3, Partition(3, 3), gram=4, grading=EVEN))
    assert [(piece.rank, piece.bound, piece.bound_id) for piece in found.pieces] == [
        (1, 1, "gram"), (6, 6, "gram"), (15, 21, "gram"), (18, 18, "gram"), (3, 3, "gram")
    ]  # fmt: skip
    assert (found.method, found.rank, found.best_upper.value, found.certified_exact) == ("blocks", 43, 49, False)
    assert found.status == "lower bound; equals the generic rank unless the draw was unlucky"


def test_a_declared_bound_that_is_met_makes_it_exact():
    own = Upper("mine", 43, "proved elsewhere")
    found = variant_rank(Variant(plain, 3, Partition(3, 3), gram=4, bounds=(own,)))
    assert (found.method, found.rank, found.best_upper) == ("full", 43, own)
    assert found.status == "exact (certified): the rank meets the proved upper bound mine"
    assert confirmed_variant(found).rank == 43


def test_a_declared_bound_that_fails_is_said():
    low = Upper("mine", 42, "wrong")
    with pytest.raises(CheckFailed, match="the rank 43 of the network exceeds 42, the upper bound mine"):
        variant_rank(Variant(plain, 3, Partition(3, 3), bounds=(low,)), points=60)
    blocks = Upper("mine", 49, "wrong", blocks=(1, 6, 14, 25, 3))
    with pytest.raises(CheckFailed, match="the rank 15 of part 2 exceeds 14, the upper bound mine"):
        variant_rank(Variant(plain, 3, Partition(3, 3), grading=EVEN, bounds=(blocks,)))
    other = Upper("mine", 42, "of another network", holds=False)
    assert variant_rank(Variant(plain, 3, Partition(3, 3), bounds=(other,))).best_upper is None


def test_the_least_bounds_of_all_parts_together():
    first = Upper("first", 45, "", blocks=(1, 6, 15, 20, 3))
    variant = Variant(plain, 3, Partition(3, 3), gram=4, grading=EVEN, bounds=(first,))
    assert (best_upper(variant).id, best_upper(variant).value) == ("first+gram", 43)
    assert variant_rank(variant).certified_exact


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"gram": 3}, "gram must be given for a network that sees its tokens through their Gram matrix only"),
        ({"grading": Grading(0, 1, 4, 3)}, "grading must hold the degree in all tokens, got 3 for another one"),
        ({"grading": Grading(0, 2, 2, 3)}, "grading must hold the degrees in the tokens of side B, got 0, 2 for"),
        ({"grading": Grading(0, 1, 9, 8)}, "grading must hold the degree in all tokens"),
    ],
)  # fmt: skip
def test_wrong_declarations_are_found(declared, message):
    with pytest.raises(OutOfScope, match=message):
        variant_rank(Variant(sums, 2, Partition(2, 2), **declared))


def test_a_causal_network_is_not_a_function_of_gram_matrices():
    masked = Variant(causal(Architecture(2, 2), "BABA").network, 2, Partition(2, 2), gram=4)
    with pytest.raises(OutOfScope, match="gram must be given"):
        variant_rank(masked, points=8)


@pytest.mark.parametrize("prime", [3, 5, 101])
def test_a_gram_form_passes_at_every_prime(prime):
    assert variant_rank(Variant(plain, 3, Partition(3, 3), gram=4), prime=prime, points=8).rank > 2


def test_points_double_until_they_are_enough(monkeypatch):
    monkeypatch.setattr(sizes, "FIRST_ROUND", 4)
    announced = []
    found = variant_rank(Variant(plain, 3, Partition(3, 3)), announce=announced.append)
    assert (found.rank, found.points, len(announced)) == (43, 64, 5)
    assert not found.sampled_out


def test_asked_for_points_limit_the_rank():
    found = variant_rank(Variant(plain, 3, Partition(3, 3)), points=10)
    assert (found.rank, found.sampled_out) == (10, True)
    assert found.status == "lower bound; the rank is limited by the number of points, more of them may raise it"


def test_parts_by_interpolation_are_the_parts():
    tokens = np.arange(1, 13).reshape(2, 3, 2), np.arange(3, 15).reshape(2, 3, 2) ** 2

    def product(A, B):
        a, b = A[:, 0, :1], B[:, 0, 0]
        return a**3 * b + 5 * a * b**3

    values = Values(product, *tokens, 10007)
    parts = dict(part_matrices(values, Grading(1, 2, 2, 4), [2, 2]))
    a, b = tokens[0][:, 0, :1], tokens[1][:, 0, 0]
    assert (parts[0] == a**3 * b % 10007).all()
    assert (parts[1] == 5 * a * b**3 % 10007).all()


@pytest.mark.parametrize(
    "variant",
    [
        grouped(Architecture(2, 4, 4), 2), per_layer(3, [1, 3]), embedding(Architecture(2, 4, 2), 2),
        causal(Architecture(2, 2), "ABBA"), Variant(plain, 3, Partition(2, 3), grading=EVEN),
    ],
)  # fmt: skip
def test_bidegree_blocks_by_both_roads(variant):
    found = variant_rank(variant)
    tokens = draw_assignments(variant.partition, variant.dx, found.prime, found.seed, found.points)
    values = Values(variant.network(found.prime, found.seed), *tokens, found.prime)
    parts = part_matrices(values, variant.grading, [found.points] * 5)
    assert [rank(matrix, found.prime) for _, matrix in parts] == [piece.rank for piece in found.pieces]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Variant(3, 2, Partition(1, 1)), "network must be callable, got 3"),
        (lambda: Variant(plain, 3, 4), "partition must be a Partition, got 4"),
        (lambda: Variant(plain, 0, Partition(1, 1)), "dx must be a whole number at least 1, got 0"),
        (lambda: Variant(plain, 3, Partition(1, 1), gram=-1), "gram must be a whole number at least 0, got -1"),
        (lambda: Grading(0, 2, 5, 7), "degree must be a whole number at least 8, got 7"),
        (lambda: Grading(0, 0, 5, 7), "step must be a whole number at least 1, got 0"),
        (
            lambda: Variant(plain, 3, Partition(1, 1), bounds=(Upper("mine", 3, "", blocks=(1, 2)),)),
            "bounds must have one number for each part of the grading, got 'mine'",
        ),
        (lambda: variant_rank(Variant(plain, 3, Partition(3, 3)), method="blocks"), "method must be full"),
        (lambda: variant_rank(Variant(plain, 3, Partition(3, 3)), method="grid"), "method must be blocks or full"),
        (lambda: variant_rank(Variant(plain, 3, Partition(3, 3)), points=0), "points must be a whole number"),
        (lambda: variant_rank(Variant(plain, 3, Partition(3, 3)), prime=6), "prime must be a prime at most 2147483647"),
        (
            lambda: variant_rank(Variant(plain, 3, Partition(3, 3), grading=EVEN), prime=7, points=3),
            r"prime must allow 5 different powers t\^2, got 7",
        ),
        (lambda: causal(Architecture(2, 2), "AABC"), "order must be a word of the letters A and B with both in it"),
        (lambda: causal(Architecture(2, 2), "AA"), "order must be a word of the letters A and B with both in it"),
        (lambda: causal(Architecture(2, 2), "AB" * 3000), "order must have at most 4096 letters, got 6000"),
        (lambda: causal(Architecture(2, 2, residual=True), "AB"), "residual must be False for the variant causal"),
        (lambda: conv(2, 2, "ABA"), "order must have 2, 4, 8, ... letters for the variant conv, got 3"),
        (lambda: conv(2, 0, "AB"), "width must be a whole number at least 1, got 0"),
        (lambda: recurrent(2, 2, "AB", 0), "L must be a whole number at least 1, got 0"),
        (lambda: embedding(Architecture(2, 2), 3), "rank must be a whole number from 1 to 2, got 3"),
        (lambda: embedding(Architecture(2, 2, residual=True), 1), "residual must be False for the variant embedding"),
        (lambda: feedforward(Architecture(2, 2), 0), "power must be a whole number from 1 to 1000, got 0"),
        (lambda: feedforward(Architecture(2, 2, residual=True)), "residual must be False for the variant feedforward"),
        (lambda: grouped(Architecture(2, 4, 4), 3), "groups must divide H, got groups=3, H=4"),
        (lambda: grouped(Architecture(2, 4, 4, residual=True), 2), "residual must be False for the variant gqa"),
        (lambda: per_layer(4, []), "per-layer must have a number of heads for every layer, got none"),
        (lambda: per_layer(4, [1, 3]), "per-layer must hold numbers of heads that divide dx, got 3 for dx=4"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(make, message):
    with pytest.raises(InvalidInput, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: variant_rank(grouped(Architecture(6, 30, 2), 1)), r"the matrices need .*e161 points .* --points"),
        (lambda: variant_rank(embedding(Architecture(60, 30), 20)), "the upper bound is too long to write"),
        (lambda: variant_rank(conv(10**4, 10**5, "AB"), points=5), "the matrices need 5 points .* smaller sizes"),
        (lambda: variant_rank(causal(Architecture(4, 2), "ABAB"), points=10**7), "the matrices need .* --points [0-9]"),
        (lambda: recurrent(2, 2, "AB" * 100, 40), "the degree of the output must be at most 10000"),
        (lambda: causal(Architecture(10**5, 2), "AB"), "L must be at most 1000 for a variant, got 100000"),
        (lambda: per_layer(2, [1] * 1001), "L must be at most 1000 for a variant, got 1001"),
        (lambda: recurrent(2, 2, "AB", 10**9), "the degree of the output must be at most 10000"),
    ],
)  # fmt: skip
def test_what_is_too_large_is_refused(monkeypatch, make, message):
    monkeypatch.setattr(sizes, "room", lambda: 2**30)
    with pytest.raises(TooLarge, match=message):
        make()


def test_a_round_that_takes_hours_is_not_started(monkeypatch):
    monkeypatch.setattr(sizes, "LONGEST_ROUND", 1e-6)
    with pytest.raises(TooLarge, match=r"the matrices need 64 points per side or more, about .* hours: --points 64"):
        variant_rank(Variant(plain, 3, Partition(3, 3)))
    assert variant_rank(Variant(plain, 3, Partition(3, 3)), points=3).rank == 3


def test_threads_change_nothing():
    from seprank.field.kernels import thread_limit

    found = []
    for limit in (1, 2):
        with thread_limit(limit):
            result = variant_rank(causal(Architecture(2, 2), "ABAB"))
        found.append([(piece.rank, piece.pivots) for piece in result.pieces])
    assert found[0] == found[1]
