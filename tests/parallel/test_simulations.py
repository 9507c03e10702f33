"""Protocols run by attention, and transformers run by machines: the same results, at the stated depth and rounds."""

import networkx as nx
import numpy as np
import pytest

from seprank.errors import CheckFailed, InvalidInput
from seprank.parallel.components import HookAndShortcut, LabelPropagation, RandomMate
from seprank.parallel.graph_input import graph_edges, graph_memories
from seprank.parallel.mpc import run_protocol, spread
from seprank.parallel.mpc_as_transformer import fan_in_of, run_by_attention
from seprank.parallel.sizes import Sizes
from seprank.parallel.small_protocols import CycleDoubling, PrefixSums, SampleSort, cycle_memories
from seprank.parallel.transformer_as_mpc import (
    AttentionByPairs,
    TransformerSizes,
    branching,
    direct_pass,
    merge,
    run_on_machines,
)

KINDS = {"random-mate": RandomMate, "label-propagation": LabelPropagation, "hook-and-shortcut": HookAndShortcut}


def same(one, other):
    return one.rounds == other.rounds and all(
        a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)
        for a, b in zip(one.memories, other.memories, strict=True)
    )


def by_both(protocol, memories, words, most_rounds, **options):
    fan_in = fan_in_of(protocol, memories, words, most_rounds)
    run, exchange = run_by_attention(protocol, memories, words, most_rounds, fan_in, **options)
    assert same(run, run_protocol(protocol, memories, words, most_rounds))
    assert exchange.depth == run.rounds
    assert max(layer.deviation for layer in exchange.layers) < 0.1
    return run, exchange


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_sorting_and_prefix_sums_through_attention(dtype):
    values = np.random.default_rng(0).integers(-20, 20, 40)
    memories = [{"values": rows[:, 0]} for rows in spread(values[:, None], 4, 64)]
    run, _ = by_both(SampleSort(4, 40), memories, 64, 7, dtype=dtype)
    assert np.concatenate([memory["values"] for memory in run.memories]).tolist() == sorted(values.tolist())
    memories = [{"values": rows[:, 0]} for rows in spread(values[:, None], 8, 64)]
    run, _ = by_both(PrefixSums(8, 3), memories, 64, 7, dtype=dtype)
    assert np.concatenate([memory["values"] for memory in run.memories]).tolist() == np.cumsum(values).tolist()


@pytest.mark.parametrize("protocol", KINDS)
def test_components_of_general_graphs_through_attention(protocol):
    graph = nx.gnp_random_graph(20, 0.09, seed=2)
    edges, nodes, _ = graph_edges(graph)
    memories = graph_memories(protocol, edges, len(nodes), Sizes(6, 300, 3))
    run, _ = by_both(KINDS[protocol](6, 3), memories, 300, 900)
    pairs = np.concatenate([memory["vertices"][:, :2] for memory in run.memories])
    label = dict(pairs.tolist())
    assert all((label[u] == label[v]) == nx.has_path(graph, u, v) for u in graph for v in graph)


@pytest.mark.parametrize("two", [False, True])
def test_one_and_two_cycles_through_attention(two):
    n, m = 32, 16 if two else 32
    place = np.arange(n)
    neighbours = np.stack([place // m * m + (place + 1) % m, place // m * m + (place - 1) % m], axis=1)
    protocol = CycleDoubling(n)
    run, exchange = by_both(protocol, cycle_memories(neighbours), 4, protocol.rounds + 1)
    assert [int(memory["least"][0]) for memory in run.memories] == (place // m * m).tolist()
    assert exchange.fan_in == 2


def test_too_small_a_code_is_noticed():
    values = np.arange(40)[::-1]
    memories = [{"values": rows[:, 0]} for rows in spread(values[:, None], 4, 64)]
    with pytest.raises(CheckFailed, match=r"machine \d could not decode its messages in round \d"):
        run_by_attention(SampleSort(4, 40), memories, 64, 7, fan_in=4, rows=1)


@pytest.mark.parametrize(
    ("N", "m", "L", "H", "words", "b", "D"),
    [
        (16, 2, 3, 1, 24, 4, 2),
        (16, 2, 3, 1, 96, 16, 1),
        (32, 2, 2, 1, 24, 4, 3),
        (32, 2, 2, 1, 48, 8, 2),
        (20, 4, 1, 1, 48, 4, 3),
        (9, 2, 2, 3, 60, 3, 2),
        (1, 1, 1, 1, 6, 2, 1),
    ],
)
def test_machines_run_a_transformer(N, m, L, H, words, b, D):
    sizes = TransformerSizes(N, m, L, H)
    output, run, protocol = run_on_machines(sizes, words)
    np.testing.assert_allclose(output, direct_pass(sizes), rtol=1e-12, atol=1e-13)
    assert (protocol.b, protocol.depth, run.rounds) == (b, D, 2 * D * L)
    assert run.max_load <= words
    assert len(run.memories) == N + N * N


def test_a_bound_on_the_branching_that_looks_right_breaks_the_cap():
    sizes = TransformerSizes(N=20, m=4, L=1)
    wrong = AttentionByPairs(20, 4, 1, 1, 0, b=40 // (2 * 4 + 2))
    memories = [{"x": row.view(np.int64)} for row in sizes.tokens()] + [{}] * 400
    with pytest.raises(Exception, match="sends 48 in round"):
        run_protocol(wrong, memories, 40, 10)
    assert branching(sizes, 40) == 3


def test_merging_is_associative():
    triples = np.random.default_rng(0).normal(size=(6, 2, 5)) + np.array([0, 3, 0, 0, 0])
    whole = merge(triples)
    parts = merge(np.stack([merge(triples[:2]), merge(triples[2:])]))
    np.testing.assert_allclose(parts, whole, rtol=1e-12)


def test_bad_input():
    with pytest.raises(InvalidInput, match="words must be at least 12 for rows of 2 numbers, got 11"):
        run_on_machines(TransformerSizes(4, 2, 1), 11)
    with pytest.raises(InvalidInput, match="N must be a whole number at least 1, got 0"):
        TransformerSizes(0, 2, 1)
