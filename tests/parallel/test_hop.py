"""The k-hop task: three roads agree, the structural facts hold, and wrong readings of the definition are told apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seprank.errors import InvalidInput
from seprank.parallel import facts, hop, strings

words = st.lists(st.integers(0, 5), min_size=1, max_size=40)


def naive_find(X, i, k):
    """The definition, word for word, on a list counted from 1."""
    for _ in range(k):
        i = max([0] + [j for j in range(2, i + 1) if X[j - 2] == X[i - 1]]) if i else 0
    return i


def naive_hop(X, k):
    places = [naive_find(X, i, k) for i in range(1, len(X) + 1)]
    return [X[place - 1] if place else hop.BLANK for place in places]


@given(words, st.integers(0, 12))
def test_all_roads_follow_the_definition(X, k):
    assert hop.find(X, k).tolist() == [naive_find(X, i, k) for i in range(1, len(X) + 1)]
    assert hop.hop(X, k).tolist() == naive_hop(X, k)


@given(words, st.integers(1, 12))
def test_registers_and_doubling_agree_where_words_are_many(X, k):
    spread = [401 * x for x in X]  # 11 bits a register, five to a word
    by_registers = np.empty(len(spread), np.int64)
    hop.registers_pass(np.array(spread), k, max(spread) + 1, by_registers)
    assert by_registers.tolist() == naive_hop(spread, k)


def test_long_strings_agree():
    for alphabet, k in [(2, 1), (2, 64), (4, 16), (26, 70), (300, 9), (3000, 40)]:
        X = strings.uniform_string(20_000, alphabet, seed=k)
        places = hop.find(X, k)
        assert (hop.hop(X, k) == np.where(places > 0, X[places - 1], hop.BLANK)).all()


def test_the_example():
    X = [0, 1, 2, 0, 1, 3, 2, 0]
    assert hop.hop(X, 1).tolist() == [-1, -1, -1, 1, 2, -1, 0, 1]
    assert hop.hop(X, 2).tolist() == [-1] * 6 + [1, 2]
    assert hop.hop(X, 3).tolist() == [-1] * 8
    assert hop.hop(X, 0).tolist() == X
    assert hop.find([5, 5]).tolist() == [0, 2]  # a fixed point


@given(words, st.integers(1, 8))
def test_a_trace_is_the_walk(X, k):
    for i in range(1, len(X) + 1):
        path = hop.trace(X, i, k)
        assert path == [naive_find(X, i, step) for step in range(len(path))]
        assert len(path) == k + 1 or path[-1] == 0


def off_by_one(X, i):
    return max([0] + [j - 1 for j in range(2, i + 1) if X[j - 2] == X[i - 1]])


def first_occurrence(X, i):
    return min([j for j in range(2, i + 1) if X[j - 2] == X[i - 1]] or [0])


def own_position_allowed(X, i):
    return max([0] + [j for j in range(2, i + 2) if X[j - 2] == X[i - 1]])


@pytest.mark.parametrize("wrong", [off_by_one, first_occurrence, own_position_allowed])
def test_wrong_readings_are_told_apart(wrong):
    X = strings.uniform_string(60, 4).tolist()
    assert [wrong(X, i) for i in range(1, 61)] != hop.find(X).tolist()


@given(words, st.integers(1, 10))
def test_structural_facts(X, k):
    links = hop.find(X)
    nonzero = links[links > 0]
    assert len(set(nonzero.tolist())) == len(nonzero)
    assert facts.undefined_positions(X, 1) == len(set(X))
    assert facts.undefined_positions(X, k) <= facts.most_undefined(len(set(X)), k)
    assert facts.find_by_counts(X).tolist() == links.tolist()
    counts = facts.earlier_counts(X)
    assert counts.tolist() == [[X[:j].count(c) for c in sorted(set(X))] for j in range(len(X))]


def test_undefined_positions_of_the_trained_distribution():
    for seed in range(20):
        X = strings.string_without_repeats(98, 4, seed)
        assert (X[1:] != X[:-1]).all()
        assert [facts.undefined_positions(X, k) for k in range(1, 17)] == [4 + 3 * (k - 1) for k in range(1, 17)]


def test_distributions():
    X = strings.uniform_string(40_000, 4, seed=1)
    assert np.abs(np.bincount(X) - 10_000).max() < 500  # five standard deviations are 433
    Y = strings.string_without_repeats(40_000, 4, seed=1)
    pairs = np.bincount(4 * Y[:-1] + Y[1:], minlength=16).reshape(4, 4)
    assert np.diag(pairs).sum() == 0
    assert np.abs(pairs[~np.eye(4, dtype=bool)] - 39_999 / 12).max() < 300
    assert (strings.uniform_string(50, 7, 3) == strings.uniform_string(50, 7, 3)).all()
    assert (strings.uniform_string(50, 7, 3) != strings.uniform_string(50, 7, 4)).any()


@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 1), (3, 2), (5, 4), (8, 8)])
def test_layered_strings_have_the_known_answer(n, k):
    for seed in range(10):
        X, answer = strings.random_layered_string(n, k, seed)
        assert len(X) == 2 * n * k + 1
        assert hop.hop(X, k)[-1] == answer
        assert naive_hop(X.tolist(), k)[-1] == answer


@pytest.mark.parametrize("n", [6, 8, 10, 12])
def test_cycles_are_told_apart(n):
    one = [list(range(n))]
    two = [list(range(n // 2)), list(range(n // 2, n))]
    for cycles, returns in ((one, False), (two, True)):
        X, k, start = strings.cycles_string(cycles)
        assert len(X) == 8 * k * k + 1
        assert len(set(X.tolist())) <= 4 * k * (k + 1)
        assert (hop.hop(X, k)[-1] == start) is np.bool_(returns)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hop.find([]), "X must be one sequence of at least one symbol"),
        (lambda: hop.find([[1]]), "X must be one sequence"),
        (lambda: hop.find([0.5]), "X must hold whole numbers, got float64"),
        (lambda: hop.hop([-1]), "X must hold symbols from 0 on, got -1"),
        (lambda: hop.hop([1], -1), "k must be a whole number at least 0, got -1"),
        (lambda: hop.trace([1], 2, 1), "i must be a whole number from 1 to 1, got 2"),
        (lambda: strings.uniform_string(0, 4), "N must be a whole number at least 1, got 0"),
        (lambda: strings.string_without_repeats(5, 1), "alphabet must be a whole number from 2"),
        (lambda: strings.layered_string([[0, 0]], 0), "permutations must be permutations of 0..n-1"),
        (lambda: strings.cycles_string([[0, 1, 2]]), "cycles must have at least 3 vertices each"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(InvalidInput, match=message.replace("(", r"\(")):
        call()
