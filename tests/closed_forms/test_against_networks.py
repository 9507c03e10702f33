"""Every bound against the rank of an actual network: the layer as printed, on explicit tokens, modulo a prime.

The rank at one weight setting is a lower bound on the generic one; at random weights it is the generic one but
for bad luck, so the lower bounds must not exceed it, and no upper bound may lie below.
"""

import numpy as np
import pytest
from flint import nmod_mat

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.closed_forms.report import bounds

PRIME = 2**31 - 1
# L, dx, H, da, NA, NB, residual: the rank found
RANKS = {
    (1, 5, 1, 2, 2, 2, False): 3,
    (1, 4, 3, 1, 1, 1, False): 4,
    (1, 4, 2, 3, 1, 2, False): 5,
    (1, 3, 1, 2, 2, 2, True): 3,
    (2, 1, 3, 2, 1, 1, False): 5,
    (2, 2, 1, 1, 2, 2, False): None,
    (2, 3, 1, 1, 3, 3, False): None,
    (2, 3, 1, 2, 3, 3, False): None,
    (2, 3, 2, 1, 3, 3, False): None,
    (2, 3, 2, 2, 3, 3, False): None,
    (2, 3, 3, 1, 3, 3, True): 43,
    (2, 3, 1, 3, 1, 2, False): 39,
    (2, 3, 1, 5, 3, 3, False): 49,
    (2, 4, 2, 1, 2, 2, False): None,
    (2, 4, 1, 3, 4, 4, False): None,
    (2, 5, 2, 1, 5, 5, True): None,
    (2, 6, 1, 1, 2, 2, False): None,
    (2, 2, 1, 2, 1, 2, False): 16,
    (2, 2, 1, 2, 2, 1, False): 17,
    (2, 2, 3, 1, 2, 2, False): None,
    (3, 2, 1, 1, 2, 2, False): None,
    (3, 2, 1, 1, 2, 2, True): None,
    (3, 3, 1, 1, 2, 2, False): None,
    (3, 3, 2, 1, 1, 1, False): None,
    (3, 2, 1, 2, 2, 1, False): 137,
    (3, 2, 2, 1, 2, 2, False): 215,
}


def multiply(left, right):
    """Product of stacks of matrices modulo the prime, one inner index at a time (entries stay below 2**63)."""
    total = 0
    for k in range(left.shape[-1]):
        total = (total + left[..., :, k, None] * right[..., None, k, :]) % PRIME
    return total


def output(tokens, weights, residual):
    """Entry 0 of the first position after all layers; `tokens` has shape (..., N, dx)."""
    for layer in weights:
        new = tokens if residual else 0 * tokens
        for query, key, value, back in layer:
            scores = multiply(multiply(tokens, query.T), np.swapaxes(multiply(tokens, key.T), -1, -2))
            new = (new + multiply(multiply(scores, multiply(tokens, value.T)), back.T)) % PRIME
        tokens = new
    return tokens[..., 0, 0]


def network_rank(L, d, H, da, NA, NB, residual, size):
    draw = np.random.default_rng([L, d, H, da, NA, NB])
    shapes = [(da, d), (da, d), (da, d), (d, da)]
    weights = [[[draw.integers(0, PRIME, shape) for shape in shapes] for _ in range(H)] for _ in range(L)]
    on_A, on_B = draw.integers(0, PRIME, (size, 1, NA, d)), draw.integers(0, PRIME, (1, size, NB, d))
    tokens = np.concatenate(
        [np.broadcast_to(on_A, (size, size, NA, d)), np.broadcast_to(on_B, (size, size, NB, d))], axis=2
    )
    table = output(tokens, weights, residual)
    return nmod_mat(size, size, [int(x) for x in table.ravel()], PRIME).rank()


@pytest.mark.parametrize(("case", "expected"), RANKS.items())
def test_no_lower_bound_above_and_no_upper_bound_below_the_rank(case, expected):
    L, d, H, da, NA, NB, residual = case
    report = bounds(Architecture(L, d, H, da, residual), Partition(NA, NB))
    least = report.best_upper.value
    rank = network_rank(*case, size=least + 4)
    assert rank <= least
    assert rank == (expected or rank)
    for bound in report:
        if bound.valid:
            assert bound.value is None or (bound.value <= rank if bound.kind == "lower" else bound.value >= rank), (
                bound.id
            )
    if report.exact is not None:
        assert report.exact.value == rank


def test_printed_lower_bound_fails_for_a_narrow_inner_width():
    """Theorem 1 is stated for H da = dx. With one head of size 1 it would give 10 where the rank is 8."""
    thin = bounds(Architecture(2, 20, 1, 1), Partition(1, 1))
    assert thin["thm1.lower"].value == 10
    assert network_rank(2, 20, 1, 1, 1, 1, False, size=24) == 8
    assert thin["thm1.lower"].valid is False
    assert thin["multiset.all-heads"].value == 1
    assert bounds(Architecture(2, 100, 1, 1))["thm1.lower"].valid is False  # 49.5 against eq. 18, 16


def test_skip_connections_can_raise_the_rank_of_thin_networks():
    """Equal ranks with and without were seen for H da = dx only."""
    assert network_rank(3, 2, 1, 1, 2, 2, False, size=128) == 50
    assert network_rank(3, 2, 1, 1, 2, 2, True, size=128) == 101
