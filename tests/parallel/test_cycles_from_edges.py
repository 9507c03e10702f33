"""One cycle or two from raw edge tokens by attention, at the stated depth."""

import numpy as np
import pytest

from seprank.errors import InvalidInput
from seprank.parallel.cycles_from_edges import CyclesFromEdges, one_cycle_by_attention
from seprank.parallel.mpc import run_protocol


def edges_of(n, two, seed):
    rng = np.random.default_rng(seed)
    m = n // 2 if two else n
    place = np.arange(n)
    rows = np.stack([place, place // m * m + (place + 1) % m], axis=1)
    return rng.permuted(rng.permutation(n)[rng.permutation(rows)], axis=1)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("two", [False, True])
@pytest.mark.parametrize("n", [6, 8, 16, 32])
def test_verdicts(n, two, dtype):
    edges = edges_of(n, two, n)
    found = one_cycle_by_attention(edges, dtype=dtype)
    assert found.one_cycle is not two
    assert found.depth == int(np.ceil(np.log2(n + 1))) - 1 + 3
    assert len(set(found.labels.tolist())) == 1 + two
    assert all(found.labels[u] == found.labels[v] for u, v in edges)


def test_one_layer_less_sees_two_cycles_in_one():
    assert not one_cycle_by_attention(edges_of(16, False, 1), fewer=1).one_cycle


def test_the_memory_is_four_words():
    edges = edges_of(64, False, 3)
    protocol = CyclesFromEdges(64)
    run = run_protocol(protocol, [{"symbol": np.array([token])} for token in edges.ravel()], 4, protocol.rounds + 1)
    assert (run.rounds, run.max_load) == (protocol.rounds, 4)


@pytest.mark.parametrize(
    "edges", [[[0, 1], [1, 2]], [[0, 1], [1, 2], [2, 3]], [[0, 1], [1, 0]], [[0, -1], [1, 2], [2, 0]]]
)
def test_bad_input(edges):
    with pytest.raises(InvalidInput, match="edges must meet every vertex"):
        one_cycle_by_attention(edges)
