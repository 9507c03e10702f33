"""Recurrences: registers solve the task, minimal numbers of states, bounds and their reasons by brute force."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seprank.errors import InvalidInput, TooLarge
from seprank.parallel import contrasts
from seprank.parallel.constructions import hop_construction
from seprank.parallel.hop import hop
from seprank.parallel.recurrence import hop_by_registers, minimal_states
from seprank.parallel.strings import cycles_string, layered_string


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.integers(1, 16))
def test_registers_solve_the_task(word, k):
    assert hop_by_registers(word, k, 4) == hop(word, k).tolist()


@pytest.mark.parametrize(
    ("alphabet", "counts"),
    [(1, [2, 2, 2]), (2, [5, 6, 9, 10, 13, 14]), (3, [19, 79, 283, 979, 3340]), (4, [117, 3009])],
)
def test_minimal_states(alphabet, counts):
    assert [minimal_states(k, alphabet).minimal for k in range(1, len(counts) + 1)] == counts


@pytest.mark.parametrize(("k", "alphabet", "length"), [(1, 2, 5), (2, 2, 5), (3, 2, 6), (1, 3, 6)])
def test_minimal_states_are_the_classes_of_prefixes(k, alphabet, length):
    """Myhill and Nerode: prefixes that no continuation tells apart; all short ones, by the definition of the task."""
    words = [w for n in range(length + 1) for w in itertools.product(range(alphabet), repeat=n)]
    ends = [w for w in words if 0 < len(w) <= 4]
    tables = {tuple(int(hop(w + e, k)[-1]) for e in ends) for w in words}
    assert len(tables) == minimal_states(k, alphabet).minimal


def test_too_many_states(monkeypatch):
    monkeypatch.setattr("seprank.parallel.recurrence.MOST_STATES", 3)
    with pytest.raises(TooLarge, match="k must leave at most 3 states"):
        minimal_states(1, 2)


@pytest.mark.parametrize(("n", "k"), [(3, 1), (3, 3), (4, 2)])
def test_all_prefixes_are_told_apart(n, k):
    same = list(range(n))
    answers = {
        tuple(layered_string([pi, *[same] * (k - 1)], x)[1] for x in range(n)) for pi in itertools.permutations(same)
    }
    assert len(answers) == math.factorial(n)
    word, _ = layered_string([same] * k, 0)
    assert contrasts.layered_size(len(word), k) == n
    assert contrasts.recurrent_state_bits(len(word), k).value == pytest.approx(math.log2(math.factorial(n)))


def test_a_recurrence_needs_what_it_has():
    """The register machine has enough bits for the bound on every size that fits its alphabet."""
    for n, k in [(3, 2), (5, 4), (8, 3)]:
        alphabet = (k + 1) * n
        bits = k * alphabet * math.log2(alphabet + 1)
        assert bits >= contrasts.recurrent_state_bits(2 * n * k + 1, k).value


def test_reconstructed_and_stated_forms():
    assert contrasts.recurrent_width(10**7, 10, L=10) is None
    assert contrasts.recurrent_width(10**7, 10, L=9).status == "reconstructed"
    for root in (2, 10, 30):
        assert contrasts.recurrent_width(root**7, root, 1).value == root
        assert root**7 / root ** (contrasts.recurrent_exponent() - 1) != root
    assert contrasts.graph_network_depth(10**8, 0.25).value == pytest.approx(10)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 16, 17])
@pytest.mark.parametrize("name", ["C1", "C2", "C3"])
def test_transformer_depth(k, name):
    built = hop_construction(name, k, 20, 2)
    assert contrasts.transformer_depth(k, name) == built.run([0, 1] * 10)[1].depth


@pytest.mark.parametrize("n", [6, 8, 12])
def test_cycle_reduction(n):
    word, k, _ = cycles_string([list(range(n))])
    assert (k, len(word)) == contrasts.cycle_reduction(n)[:2]
    assert len(set(word.tolist())) <= contrasts.cycle_reduction(n)[2]


@pytest.mark.parametrize("q", [64, 10**6])
def test_routing_width(q):
    ratios = [contrasts.routing_value_width(q, s)[1] / (s**4 * math.log2(q)) for s in range(2, 13)]
    assert all(16 < ratio < 17.1 for ratio in ratios)
    for s in (2, 5):
        rows, _ = contrasts.routing_value_width(q, s)
        assert s**2 * q ** (2 * s**2) < 2**rows
        assert s**2 * q ** (2 * s**2) >= 2 ** (rows - 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: contrasts.cycle_reduction(7), "n must be even, got 7"),
        (lambda: contrasts.transformer_depth(3, "C4"), "construction must be one of C1, C2, C3, got 'C4'"),
        (lambda: contrasts.graph_network_depth(9, 0.6), "epsilon must be a number at least 0 and at most 0.5, got 0.6"),
        (lambda: hop_by_registers([3], 1, 2), "X must be a whole number from 0 to 1, got 3"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
