"""Separation ranks from derivatives: known values, sampled ranks, and what is refused."""

import dataclasses
import json

import pytest

from proofs_check.plain.graded import derivative_ranks
from seprank import Architecture, Partition, separation_rank
from seprank.attention.weights import random_weights
from seprank.cli.main import run
from seprank.closed_forms.blocks import BlockBound, block_bounds
from seprank.errors import InvalidInput, OutOfScope, TooLarge
from seprank.field.primes import DEFAULT_PRIME, MAX_PRIME
from seprank.separation import derivative_plan, plan
from seprank.separation.derivative import certified, derivative_rank
from seprank.separation.derivative_plan import plan_derivatives
from seprank.separation.measure import confirmed
from seprank.separation.plan import plan_rank

CERTIFIED = {
    (1, 5, 1): 6,
    (2, 1, 1): 5,
    (2, 8, 1): 999,
    (2, 16, 1): 11645,
    (2, 4, 2): 107,
    (2, 6, 6): 231,
    (3, 3, 1): 3102,
    (3, 4, 1): 31456,
    (3, 2, 2): 215,
    (3, 3, 3): 2441,
    (4, 2, 1): 4538,
    (4, 2, 2): 4263,
    (5, 2, 1): 109024,
}
SMALL = [(2, dx, H) for dx in (1, 2, 3, 4) for H in (1, 2, 3, 4) if dx % H == 0]
SMALL += [(3, 2, 1), (3, 2, 2), (3, 3, 1), (3, 3, 3)]


@pytest.mark.parametrize(("sizes", "expected"), CERTIFIED.items())
def test_known_values_are_certified(sizes, expected):
    result = derivative_rank(Architecture(*sizes))
    assert (result.rank, result.certified_exact) == (expected, True)
    assert [block.k for block in result.blocks] == list(range(result.architecture.C + 1))
    assert all(block.met and block.weights for block in result.blocks)


@pytest.mark.parametrize("sizes", SMALL)
def test_generic_blocks_equal_sampled_ones_at_the_same_weights(sizes):
    arch = Architecture(*sizes)
    sampled = separation_rank(arch, method="blocks", seed=3)
    found = derivative_rank(arch, seed=3, grading="none")
    assert [block.rank for block in found.blocks] == [piece.rank for piece in sampled.pieces]


@pytest.mark.parametrize("sizes", [(2, 2, 1), (2, 2, 2), (2, 3, 3), (3, 2, 1)])
def test_every_block_equals_a_road_that_shares_no_code(sizes):
    arch = Architecture(*sizes)
    weights = random_weights(arch, DEFAULT_PRIME, 5)
    every = dataclasses.replace(plan_derivatives(arch, DEFAULT_PRIME, 5, "none"), blocks=tuple(range(arch.C + 1)))
    found = certified(every)
    assert all(block.source == block.k for block in found.blocks)
    assert tuple(block.rank for block in found.blocks) == derivative_ranks(weights, arch.C, DEFAULT_PRIME)


def test_block_seven_at_width_four_needs_signs_and_meets_the_isotropic_bound():
    blocks = derivative_rank(Architecture(3, 4)).blocks
    assert (blocks[7].rank, blocks[7].bound_id, blocks[7].weights) == (11436, "isotropic", "signs")
    assert {block.source for block in blocks} == {6, 7, 8}
    assert (blocks[2].weights, blocks[2].source, blocks[12].source) == ("torus", 6, 8)


def test_symmetric_links_are_left_out_where_isotropic_directions_form_curves():
    plan = plan_derivatives(Architecture(3, 4), DEFAULT_PRIME, 0)
    wider = dataclasses.replace(plan, arch=Architecture(3, 5), limits=tuple(block_bounds(Architecture(3, 5))))
    for k, expected in ((6, [False] * 4), (7, [True, True, False, False])):
        assert [derivative_plan.hopeless(wider, by, k, 10**6) for by in wider.gradings] == expected
        assert not any(derivative_plan.hopeless(plan, by, k, 10**6) for by in plan.gradings)
    assert [derivative_plan.hopeless(wider, by, 7, 116223) for by in wider.gradings] == [True, True, True, False]


def test_estimates_follow_the_prime():
    seconds = [plan_derivatives(Architecture(3, 4, 2), prime, 0).seconds for prime in (1021, DEFAULT_PRIME, MAX_PRIME)]
    assert seconds == sorted(seconds)
    assert seconds[0] < seconds[2] / 3


def test_one_kind_of_weights_gives_a_lower_bound_only():
    result = derivative_rank(Architecture(3, 3), grading="torus")
    assert not result.certified_exact
    assert [block.k for block in result.blocks if not block.met] == [7]
    assert result.blocks[7].rank < 792


def test_the_largest_prime_gives_the_same():
    assert derivative_rank(Architecture(3, 3), MAX_PRIME, seed=9).rank == 3102
    assert derivative_rank(Architecture(2, 4, 2), MAX_PRIME, seed=9).rank == 107


def test_a_small_prime_gives_a_lower_bound():
    assert derivative_rank(Architecture(2, 3), 5).rank <= 49


def test_as_a_method_of_separation_rank():
    arch = Architecture(3, 3)
    seen = []
    result = separation_rank(arch, method="derivative", progress=lambda done, total: seen.append((done, total)))
    assert (result.rank, result.certified_exact, result.method, result.points) == (3102, True, "derivative", 0)
    assert result.status == f"exact (certified): the rank meets the proved upper bound {result.best_upper.id}"
    assert [piece.rank for piece in result.blocks] == [piece.bound for piece in result.blocks]
    assert seen
    assert all(done <= total for done, total in seen)
    again = confirmed(result)
    assert (again.rank, again.prime != result.prime, again.seed) == (3102, True, 1)


def test_longer_input_gives_the_same():
    found = separation_rank(Architecture(2, 3), Partition(3, 7), method="derivative")
    assert (found.rank, found.partition) == (49, Partition(3, 7))


def test_a_shortfall_does_not_claim_the_generic_rank():
    result = dataclasses.replace(separation_rank(Architecture(2, 3), method="derivative"), rank=48)
    assert result.status == "lower bound; at special weights, so the generic rank may be higher"


def test_a_rank_above_its_bound_is_a_fault():
    good = plan_derivatives(Architecture(2, 2), DEFAULT_PRIME, 0)
    wrong = tuple(BlockBound(k, 1, "gram") for k in range(5))
    with pytest.raises(ArithmeticError, match="the rank 6 of block 2 exceeds the proved bound 1"):
        certified(dataclasses.replace(good, limits=wrong))


@pytest.mark.parametrize(
    ("arch", "partition", "message"),
    [
        (Architecture(2, 3, residual=True), None, "residual must be False for the derivative method, got True"),
        (Architecture(2, 3, 1, 2), None, "H \\* da must be dx .* got H = 1, da = 2, dx = 3"),
        (Architecture(2, 3), Partition(2, 5), "NA and NB must be at least dx = 3 .* got NA = 2, NB = 5"),
    ],
)
def test_out_of_scope(arch, partition, message):
    with pytest.raises(OutOfScope, match=message):
        separation_rank(arch, partition, method="derivative")


def test_refused_arguments():
    with pytest.raises(InvalidInput, match=r"points must be left out for the derivative method, .* got 9"):
        separation_rank(Architecture(2, 3), method="derivative", points=9)
    with pytest.raises(InvalidInput, match="prime must exceed C = 13 for the derivative method, got 13"):
        derivative_rank(Architecture(3, 2), 13)
    with pytest.raises(InvalidInput, match=r"grading must be auto or one of torus, signs, pairs, none .* got 'sign'"):
        derivative_rank(Architecture(3, 2), grading="sign")
    with pytest.raises(InvalidInput, match="one of unseen, none at H = 2, dx = 2, where it applies, got 'signs'"):
        derivative_rank(Architecture(3, 2, 2), grading="signs")
    with pytest.raises(InvalidInput, match="at H = 1, dx = 2, where it applies, got 'pairs'"):
        derivative_rank(Architecture(3, 2), grading="pairs")


def test_too_large_is_known_before_the_start(monkeypatch):
    with pytest.raises(TooLarge, match=r"the coefficients and monomials need about .* at L = 4, dx = 8"):
        derivative_rank(Architecture(4, 8))
    with pytest.raises(TooLarge, match="the derivative method would need 9842 blocks at L = 9"):
        derivative_rank(Architecture(9, 2))
    monkeypatch.setattr(derivative_plan, "room", lambda: 180 * 2**20)
    with pytest.raises(TooLarge, match=r"block 7 has 1696 lines and needs about .* 180.0 MiB may be used"):
        derivative_rank(Architecture(3, 4))


def test_on_the_command_line(capsys):
    assert run(["rank", "--L", "3", "--dx", "4", "--method", "derivative", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["rank"], found["certified_exact"], found["method"]) == (31456, True, "derivative")
    assert found["blocks"][7] == {
        "k": 7,
        "rank": 11436,
        "bound": 11436,
        "bound_id": "isotropic",
        "weights": "signs",
        "source": 7,
    }
    assert run(["rank", "--L", "2", "--dx", "3", "--N", "4", "--method", "derivative"]) == 2
    assert "NA and NB must be at least dx = 3" in capsys.readouterr().err


def test_chosen_for_large_blocks_of_long_input_only():
    def method(*sizes, partition=None, **options):
        return plan_rank(Architecture(*sizes), partition, **options).method

    assert method(3, 4) == method(5, 2) == method(6, 2) == "derivative"
    assert method(3, 3) == method(2, 8, 2) == "blocks"
    assert method(3, 4, partition=Partition(4, 9)) == "derivative"
    assert method(3, 4, partition=Partition(3, 9)) == "blocks"
    assert method(3, 4, points=50) == method(3, 4, method="blocks") == "blocks"
    with pytest.raises(TooLarge, match="the largest block needs"):
        method(6, 30)


def test_chosen_where_sampling_does_not_fit(monkeypatch):
    monkeypatch.setattr(plan, "room", lambda: 5 * 2**25)
    assert plan_rank(Architecture(5, 2)).method == "derivative"
    with pytest.raises(TooLarge, match="the largest block needs"):
        plan_rank(Architecture(5, 2), method="blocks")


def test_a_prime_below_the_sizes_still_gives_lower_bounds():
    found = [derivative_rank(Architecture(*sizes), prime).rank for sizes, prime in [((1, 3), 2), ((3, 2), 17)]]
    assert found[0] <= 4
    assert found[1] <= 232
