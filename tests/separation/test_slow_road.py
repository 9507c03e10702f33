"""The checker's own arithmetic agrees with the fast road, and shares nothing with it."""

import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from seprank import Architecture
from seprank.attention.layer import forward_mod
from seprank.attention.weights import random_weights
from seprank.field import draw
from seprank.separation import slow_road
from seprank.separation.slow_road import Draw, Network, interpolation

SIZES = [(1, 1, 1, 1), (1, 3, 1, 3), (2, 4, 2, 2), (2, 3, 2, 5), (3, 2, 2, 1), (2, 4, 1, 1), (4, 2, 1, 2)]
PRIMES = [101, 4194301, 2147483647]


def draws(sizes, prime, residual=False, NA=2, NB=3, seed=9):
    return Draw(*sizes, residual, NA, NB, prime, seed)


@pytest.mark.parametrize(("seed", "stream", "start"), [(0, "A", 0), (7, "weights", 5), (2**64 - 1, "T", 2**40)])
def test_both_generators_give_the_same_words(seed, stream, start):
    assert list(slow_road.words(seed, stream, start, 9)) == draw.words(seed, stream, start, 9).tolist()


def test_the_generator_is_pinned():
    assert hex(next(slow_road.words(0, "example", 0, 1))) == "0x7ec62fa65463859f"


@pytest.mark.parametrize("prime", PRIMES)
def test_weights_and_tokens_are_those_of_the_fast_road(prime):
    found = draws((2, 4, 2, 3), prime)
    weights = random_weights(Architecture(2, 4, 2, 3), prime, 9)
    for stream, array in zip("QKVO", weights, strict=True):
        matrices = found.matrices(stream, *array.shape[2:])
        read = [[[[int(x) for x in row] for row in m.tolist()] for m in layer] for layer in matrices]
        assert read == array.tolist()
    tokens = draw.residues(9, "A", (5, 3, 4), prime)
    assert [found.tokens("A", number, 3) for number in range(5)] == tokens.reshape(5, 12).tolist()


@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("prime", PRIMES)
@pytest.mark.parametrize("sizes", SIZES)
def test_the_output_is_that_of_eq_3(sizes, prime, residual):
    network = Network(draws(sizes, prime, residual))
    weights = random_weights(Architecture(*sizes, residual=residual), prime, 9)
    tokens = draw.residues(1, "tokens", (4, 5, sizes[1]), prime)
    expected = forward_mod(weights, tokens, prime)[:, 0, 0]
    assert [network.value(input.ravel().tolist()) for input in tokens] == expected.tolist()


@pytest.mark.parametrize(("C", "prime"), [(0, 2), (1, 5), (4, 11), (13, 101), (40, 2147483647)])
def test_interpolation_finds_every_coefficient(C, prime):
    coefficients = [(7 * k + 3) ** 3 % prime for k in range(C + 1)]
    values = [sum(c * t ** (2 * k) for k, c in enumerate(coefficients)) for t in range(C + 1)]
    for k in range(C + 1):
        weights = interpolation(C, k, prime)
        assert sum(w * v for w, v in zip(weights, values, strict=True)) % prime == coefficients[k]


def test_interpolation_agrees_with_fractions():
    nodes = [Fraction(t * t) for t in range(4)]
    inverse = np.linalg.inv(np.array([[float(node**k) for k in range(4)] for node in nodes]))
    for k in range(4):
        exact = [Fraction(float(weight)).limit_denominator(10**6) for weight in inverse[k]]
        modular = [weight.numerator * pow(weight.denominator, -1, 4194301) % 4194301 for weight in exact]
        assert interpolation(3, k, 4194301) == modular


def test_the_checker_loads_nothing_of_the_fast_road():
    code = (
        "import sys; from seprank.separation import certificate_file, check; from seprank.cli import check_certificate;"
        "print(*(name for name in sys.modules if name.startswith('seprank.')), *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "seprank.separation.slow_road" in loaded
    assert not {"numpy", "numba", "scipy", "sympy", "mpmath"} & loaded
    fast = ("seprank.field.", "seprank.closed_forms.", "seprank.attention.layer", "seprank.attention.weights")
    assert not [name for name in loaded if name.startswith((*fast, "seprank.attention.gram"))]
