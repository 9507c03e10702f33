import os
import subprocess
import sys

import numpy as np
import pytest

from seprank.attention.architecture import Architecture
from seprank.attention.gram import GramNetwork
from seprank.attention.gram_kernels import field_constants, reduce_row
from seprank.attention.layer import forward_integers, forward_mod
from seprank.attention.weights import Weights, random_weights
from seprank.errors import InvalidInput
from seprank.field.draw import residues
from seprank.field.kernels import thread_limit

PRIMES = [7, 509, 4194301, 2147483629, 2147483647]
HEADS = [(1, 1, 1), (2, 1, 2), (2, 2, 1), (3, 1, 3), (3, 3, 1), (4, 1, 4), (4, 2, 2), (4, 4, 1)]
FREE_HEADS = [(3, 2, 2), (2, 3, 1), (4, 1, 1), (2, 1, 5), (4, 3, 3)]  # H * da != dx
CASES = [(L, *sizes) for L in (1, 2, 3, 4) for sizes in HEADS + FREE_HEADS]


def drawn(architecture, prime, shape_A, shape_B, seed=1):
    """Weights, and tokens for both sides."""
    dx = architecture.dx
    tokens = [residues(seed, stream, (*shape, dx), prime) for stream, shape in (("A", shape_A), ("B", shape_B))]
    return random_weights(architecture, prime, seed), *tokens


def gram_values(weights, prime, tokens_A, tokens_B, entry=0, scale=1):
    network = GramNetwork(weights, prime, entry)
    return network.evaluate(network.side_A(tokens_A), network.side_B(tokens_B), scale)


def attention_values(weights, prime, tokens_A, tokens_B, entry=0):
    """The same matrix from explicit tokens."""
    RA, RB = len(tokens_A), len(tokens_B)
    left = np.broadcast_to(tokens_A[:, None], (RA, RB, *tokens_A.shape[1:]))
    right = np.broadcast_to(tokens_B[None, :], (RA, RB, *tokens_B.shape[1:]))
    return forward_mod(weights, np.concatenate([left, right], axis=2), prime)[:, :, 0, entry]


@pytest.mark.parametrize("prime", PRIMES)
@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize(("L", "dx", "H", "da"), CASES)
def test_the_gram_form_is_eq_3_entry_by_entry(L, dx, H, da, residual, prime):
    weights, A, B = drawn(Architecture(L, dx, H, da, residual), prime, (2, 2), (3, 1))
    for entry in {0, dx - 1}:
        values = gram_values(weights, prime, A, B, entry)
        assert np.array_equal(values, attention_values(weights, prime, A, B, entry))
    exact = forward_integers(weights, np.concatenate([A[1], B[2]]))[0, entry]
    assert values[1, 2] == exact % prime


def test_the_cases_take_both_roads_through_a_layer():
    wide = {GramNetwork(random_weights(Architecture(2, *c), 7, 0), 7)._wide for c in HEADS + FREE_HEADS}
    assert wide == {False, True}


def slow_gram_form(weights, tokens, prime, next_gram):
    """The Gram form in Python ints, with the rule for ``G_{l+1}`` as an argument."""
    x = tokens.astype(object)
    G, vector = x.T @ x, x[0]
    for Q, K, V, O in zip(*(array.astype(object) for array in weights), strict=True):
        M = sum(O[h] @ V[h] @ G @ K[h].T @ Q[h] for h in range(len(Q))) % prime
        G, vector = next_gram(M, G) % prime, M @ vector % prime
    return vector.tolist()


def test_wrong_gram_forms_are_told_apart():
    prime = 4194301
    for sizes in [(2, 2, 1), (2, 4, 2), (3, 3, 3)]:
        weights, A, B = drawn(Architecture(*sizes), prime, (1, 2), (1, 2))
        tokens = np.concatenate([A[0], B[0]])
        attention = forward_mod(weights, tokens, prime)[0].tolist()
        exchanged = Weights(weights.architecture, weights.key, weights.query, weights.value, weights.output)
        assert slow_gram_form(weights, tokens, prime, lambda M, G: M @ G @ M.T) == attention
        assert slow_gram_form(weights, tokens, prime, lambda M, G: M @ G) != attention
        assert slow_gram_form(exchanged, tokens, prime, lambda M, G: M @ G @ M.T) != attention
        assert gram_values(exchanged, prime, A, B).item() != attention[0]


@pytest.mark.parametrize("residual", [False, True])
def test_the_scale_stands_for_squared_side_b_tokens(residual):
    weights, A, B = drawn(Architecture(3, 3, 3, residual=residual), 509, (2, 2), (3, 2))
    for t in (0, 1, 5, -4, 1000):
        assert np.array_equal(gram_values(weights, 509, A, B, scale=t * t), gram_values(weights, 509, A, t * B))


def test_several_scales_at_once():
    weights, A, B = drawn(Architecture(2, 2), 509, (2, 2), (3, 2))
    network = GramNetwork(weights, 509)
    sides = network.side_A(A), network.side_B(B)
    nodes = network.evaluate_nodes(*sides, scales=[0, 1, 4])
    assert nodes.shape == (3, 2, 3)
    for values, scale in zip(nodes, [0, 1, 4], strict=True):
        assert np.array_equal(values, network.evaluate(*sides, scale=scale))


@pytest.mark.parametrize("sizes", [(2, 8, 1), (3, 6, 3), (2, 8, 8)])
@pytest.mark.parametrize("residual", [False, True])
def test_the_largest_residues_do_not_overflow(sizes, residual):
    prime = 2147483647
    architecture = Architecture(*sizes, residual=residual)
    ones, A, B = drawn(architecture, prime, (2, 3), (2, 3))
    weights = Weights(architecture, *(np.full_like(array, prime - 1) for array in ones))
    A, B = np.full_like(A, prime - 1), np.full_like(B, prime - 1)
    assert np.array_equal(gram_values(weights, prime, A, B), attention_values(weights, prime, A, B))


@pytest.mark.parametrize("residual", [False, True])
def test_tiles_cover_a_large_matrix_and_threads_do_not_matter(residual):
    weights, A, B = drawn(Architecture(3, 2, 2, residual=residual), 4194301, (131, 1), (1030, 1))
    values = gram_values(weights, 4194301, A, B)
    assert np.array_equal(values, attention_values(weights, 4194301, A, B))
    with thread_limit(1):
        assert np.array_equal(values, gram_values(weights, 4194301, A, B))


def test_only_the_output_position_and_the_gram_matrix_of_side_a_matter():
    weights, A, B = drawn(Architecture(2, 3), 509, (1, 4), (2, 4))
    assert np.array_equal(gram_values(weights, 509, A, B), gram_values(weights, 509, A[:, [0, 2, 3, 1]], B[:, ::-1]))
    assert (gram_values(weights, 509, A, B) != gram_values(weights, 509, A[:, ::-1], B)).any()


@pytest.mark.parametrize("prime", [2, 3, *PRIMES])
def test_sums_are_reduced_exactly_up_to_the_stated_number_of_products(prime):
    field = field_constants(prime)
    chunk = field[2]
    assert chunk >= 2
    largest = chunk * (prime - 1) ** 2 + prime - 1
    assert largest < 2**63
    multiples = [m * prime for m in (0, 1, 2, largest // prime // 2, largest // prime)]
    sums = [m + shift for m in multiples for shift in (-1, 0, 1) if 0 <= m + shift <= largest] + [largest]
    row = np.array(sums, np.int64)
    reduce_row(row, field)
    assert row.tolist() == [value % prime for value in sums]


NO_JIT = """
import numpy as np
from seprank.attention.architecture import Architecture
from seprank.attention.gram import GramNetwork
from seprank.attention.gram_kernels import grid_tile
from seprank.attention.layer import forward_mod
from seprank.attention.weights import random_weights
assert not hasattr(grid_tile, "py_func")
for prime in (7, 2147483647):
    for sizes in ((1, 2, 1, 2), (2, 3, 3, 1, True), (3, 3, 1, 3), (3, 4, 2, 2, True)):
        weights = random_weights(Architecture(*sizes), prime, 1)
        tokens = np.random.default_rng(1).integers(0, prime, (2, 2, sizes[1]))
        network = GramNetwork(weights, prime)
        values = network.evaluate(network.side_A(tokens), network.side_B(tokens[:1]))
        for row, A in zip(values, tokens, strict=True):
            assert row[0] == forward_mod(weights, np.concatenate([A, tokens[0]]), prime)[0, 0]
print("checked")
"""


def test_the_kernels_run_uncompiled_without_overflow():
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "error", "-c", NO_JIT]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=80)
    assert (done.stdout, done.stderr) == ("checked\n", "")


def test_what_is_not_a_side_is_refused():
    network = GramNetwork(random_weights(Architecture(2, 2), 509, 0), 509)
    with pytest.raises(InvalidInput, match=r"^tokens_A must have shape \(R, N, 2\) .* got \(1, 2\)$"):
        network.side_A([[1, 2]])
    with pytest.raises(InvalidInput, match=r"^tokens_B must have shape \(R, N, 2\) .* got \(1, 1, 3\)$"):
        network.side_B([[[1, 2, 3]]])
    with pytest.raises(InvalidInput, match=r"R, N at least 1"):
        network.side_B(np.ones((0, 1, 2), int))
    with pytest.raises(InvalidInput, match=r"^tokens_B must be whole numbers, got dtype float64$"):
        network.side_B([[[1.0, 2.0]]])


def test_what_is_not_a_network_is_refused():
    weights = random_weights(Architecture(2, 2), 509, 0)
    with pytest.raises(InvalidInput, match=r"^prime must be a prime at most 2147483647, got 9$"):
        GramNetwork(weights, 9)
    with pytest.raises(InvalidInput, match=r"^entry must be a whole number from 0 to 1, got 2$"):
        GramNetwork(weights, 509, entry=2)
    with pytest.raises(InvalidInput, match=r"whole numbers for exact arithmetic"):
        GramNetwork(Weights(weights.architecture, *(array / 2 for array in weights)), 509)
