"""Ranks set beside the proved bounds: certified values, lower bounds, and what a result says about itself."""

import dataclasses

import pytest

from seprank import Architecture, Partition, separation_rank
from seprank.closed_forms.blocks import BlockBound
from seprank.errors import InvalidInput, TooLarge
from seprank.field import thread_limit
from seprank.field.primes import DEFAULT_PRIME, MAX_PRIME, is_prime
from seprank.separation import plan
from seprank.separation.measure import another_prime, confirmed, measured
from seprank.separation.plan import plan_rank

CERTIFIED = {
    (2, 8, 2): 989,
    (2, 8, 1): 999,
    (2, 4, 4): 85,
    (2, 6, 3): 340,
    (3, 2, 2): 215,
    (3, 3, 1): 3102,
    (3, 3, 3): 2441,
    (4, 2, 1): 4538,
    (4, 2, 2): 4263,
}
UNMET = {(2, 3, 1): (39, 41), (2, 4, 1): (80, 90)}


@pytest.mark.parametrize(("sizes", "expected"), CERTIFIED.items())
def test_certified_values_of_long_input(sizes, expected):
    result = separation_rank(Architecture(*sizes))
    assert result.rank == result.best_upper_value == expected
    assert result.certified_exact
    assert result.status == f"exact (certified): the rank meets the proved upper bound {result.best_upper.id}"
    assert result.gram_bound >= expected
    assert [piece.k for piece in result.blocks] == list(range(result.architecture.C + 1))
    assert all(piece.rank == piece.bound for piece in result.blocks)


@pytest.mark.parametrize(("sizes", "expected"), UNMET.items())
def test_lower_bounds_that_meet_no_upper_bound(sizes, expected):
    result = separation_rank(Architecture(*sizes), Partition(1, 4))
    assert (result.rank, result.gram_bound) == expected
    assert not result.certified_exact
    assert not result.sampled_out
    assert result.status == "lower bound; equals the generic rank unless the draw was unlucky"
    again = confirmed(result)
    assert (again.rank, again.prime, again.seed) == (result.rank, 4194287, 1)


@pytest.mark.parametrize(("sizes", "expected"), [((2, 3, 1), 49), ((2, 2, 2), 17)])
def test_skip_connections_by_the_full_method(sizes, expected):
    result = separation_rank(Architecture(*sizes, residual=True))
    assert (result.method, result.rank, result.blocks) == ("full", expected, None)
    assert result.certified_exact


@pytest.mark.parametrize("partition", [Partition(1, 1), Partition(2, 1), Partition(2, 2)])
@pytest.mark.parametrize("arch", [Architecture(1, 2), Architecture(2, 2), Architecture(2, 3), Architecture(2, 2, 2)])
def test_the_grid_is_at_most_the_sampled_rank_and_that_at_most_the_bound(arch, partition):
    grid, full, blocks = (separation_rank(arch, partition, method=method) for method in ("grid", "full", "blocks"))
    assert grid.rank <= full.rank == blocks.rank <= blocks.gram_bound == grid.gram_bound


def test_enough_templates_reach_the_certified_value():
    assert separation_rank(Architecture(2, 2), method="grid").certified_exact
    few = [separation_rank(Architecture(2, 2), method="grid", points=points).rank for points in (1, 2, 3, 4)]
    assert few == sorted(few)
    assert few[0] == 1 < few[-1] <= 18


def test_the_methods_agree_modulo_a_large_prime_and_from_another_seed():
    for seed in (1, 2**64 - 1):
        ranks = {
            separation_rank(Architecture(2, 3, 3), prime=MAX_PRIME, seed=seed, method=method).rank
            for method in ("blocks", "full")
        }
        assert ranks == {43}


def test_a_long_input_is_one_with_dx_tokens_on_each_side():
    arch = Architecture(2, 3)
    assert separation_rank(arch).partition == Partition(3, 3)
    assert separation_rank(arch).pieces == separation_rank(arch, Partition(3, 3)).pieces


def test_few_points_limit_the_rank_and_the_result_says_so():
    for method in ("blocks", "full"):
        result = separation_rank(Architecture(2, 4), method=method, points=20)
        assert result.points == 20
        assert result.sampled_out
        assert not result.certified_exact
        assert "more of them may raise it" in result.status
    assert separation_rank(Architecture(2, 4), points=10**9).points == 55 + plan.SPARE_POINTS


def test_the_answer_depends_on_the_arguments_alone():
    arch = Architecture(3, 2)
    first = separation_rank(arch, seed=5)
    with thread_limit(1):
        assert separation_rank(arch, seed=5).pieces == first.pieces
    assert separation_rank(arch, seed=6).pieces != first.pieces or separation_rank(arch, seed=6).rank == first.rank


def test_progress_is_reported_up_to_the_end():
    calls = []
    separation_rank(Architecture(2, 3), progress=lambda done, total: calls.append((done, total)))
    assert calls[-1][0] == calls[-1][1]
    assert calls == sorted(calls)


def test_a_rank_above_a_proved_bound_is_a_fault_that_is_not_passed_on():
    good = plan_rank(Architecture(2, 3))
    wrong = (*good.limits[:2], BlockBound(2, good.limits[2].value - 1, "gram"), *good.limits[3:])
    with pytest.raises(ArithmeticError, match="of block 2 exceeds the proved bound"):
        measured(dataclasses.replace(good, limits=wrong))


@pytest.mark.parametrize("prime", [2, 101, 4194287, DEFAULT_PRIME, 4194319, 2147483629, MAX_PRIME])
def test_the_second_prime_is_another_one_and_allows_what_the_first_did(prime):
    other = another_prime(prime)
    assert is_prime(other)
    assert other != prime
    assert other >= min(prime, 2147483629) or (prime, other) == (DEFAULT_PRIME, 4194287)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prime": 6}, "prime must be a prime at most 2147483647, got 6"),
        ({"prime": 5}, r"prime must exceed 3\*\*L = 9 for the block method, got 5"),
        ({"seed": -1}, "seed must be a whole number from 0 to 18446744073709551615, got -1"),
        ({"seed": 2**64}, "seed must be a whole number from 0 to"),
        ({"seed": 0.0}, "seed must be a whole number"),
        ({"points": 0}, "points must be a whole number at least 1, got 0"),
        ({"method": "guess"}, "method must be one of blocks, full, grid, derivative, got 'guess'"),
        ({"partition": (3, 3)}, r"partition must be a Partition or None, got \(3, 3\)"),
    ],
)
def test_bad_arguments_are_named(options, message):
    with pytest.raises(InvalidInput, match=message):
        separation_rank(Architecture(2, 3), **options)


def test_blocks_are_refused_for_skip_connections_and_deep_networks():
    with pytest.raises(InvalidInput, match="method must be full or grid for a residual network, got 'blocks'"):
        separation_rank(Architecture(2, 3, residual=True), method="blocks")
    with pytest.raises(InvalidInput, match=r"prime must exceed 3\*\*L = 4782969 .* got 4194301"):
        separation_rank(Architecture(14, 2))
    with pytest.raises(TooLarge, match="the block method would need 2391485 blocks"):
        separation_rank(Architecture(14, 2), prime=MAX_PRIME)


def test_deep_networks_have_a_rank_by_the_full_method():
    result = separation_rank(Architecture(30, 2), method="full", points=40)
    assert result.rank == 40
    assert result.sampled_out
