"""Sizes keep to the caps: the bound on overflow is above what is seen, and refuses what is sure to fail."""

import math

import numpy as np
import pytest

from seprank.errors import InvalidInput
from seprank.parallel.combining_tree import public_hash
from seprank.parallel.graph_input import connected_components
from seprank.parallel.graph_sources import least_vertices, named_graph
from seprank.parallel.sizes import PROTOCOLS, RISK, Sizes, _log_tail, default_sizes, overflow_bound, tree_depth

GRAPHS = ("path:1", "path:2", "path:10", "two-cycles:24", "star:60", "gnp:30:0.4", "gnp:60:0.06")


@pytest.mark.parametrize("delta", [0.2, 0.3, 0.4, 0.5, 0.9])
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(("n", "e"), [(1, 0), (2, 1), (50, 49), (400, 4000), (10**6, 10**6)])
def test_defaults_are_safe(n, e, protocol, delta):
    sizes = default_sizes(n, e, delta, protocol=protocol)
    assert overflow_bound(n, e, protocol, sizes) <= RISK
    assert sizes.words >= (16 if delta >= 0.5 else 24) * (2 * e + n) ** delta


@pytest.mark.parametrize("delta", [0.3, 0.4, 0.5])
@pytest.mark.parametrize("graph", GRAPHS)
def test_no_graph_breaks_a_cap(graph, delta):
    for seed, protocol in enumerate(PROTOCOLS):
        given = named_graph(graph).shuffled(seed)
        sizes = default_sizes(given.vertices, len(given.edges), delta, protocol=protocol)
        found = connected_components(given.edges, given.vertices, protocol, sizes, seed)
        assert np.array_equal(found.labels, least_vertices(given))
        assert max(found.run.max_load, found.run.max_memory) <= sizes.words


@pytest.mark.parametrize(("items", "weight", "machines", "room"), [(300, 6, 20, 170), (900, 1, 30, 50), (40, 9, 8, 90)])
def test_the_tail_bound_is_above_the_frequency(items, weight, machines, room):
    draws = np.array([public_hash(seed, np.arange(items)) % np.uint64(machines) for seed in range(2000)]).astype(int)
    loads = np.stack([np.bincount(row, minlength=machines) * weight for row in draws])
    frequency = (loads > room).mean()
    bound = math.exp(_log_tail(room, items * weight, machines, weight))
    assert frequency <= bound + 5 * math.sqrt(bound / loads.size)
    if weight == 6:
        assert frequency > 0


def test_the_old_rule_is_unsafe_where_it_failed():
    """Fan-in s / 8 and 8 times the memory of the input: what broke caps by up to a fifth."""
    s = math.ceil(24 * 128**0.4)
    assert overflow_bound(128, 254, "hook-and-shortcut", Sizes(math.ceil(8 * 636 / s), s, s // 8)) > 1


def test_words_too_small_for_the_input_are_hopeless():
    assert overflow_bound(1000, 999, "random-mate", Sizes(2, 64, 2)) == math.inf


def test_tree_depth():
    assert [tree_depth(q, 3) for q in (1, 3, 4, 9, 10)] == [1, 1, 2, 2, 3]


def test_a_protocol_that_is_not_there():
    with pytest.raises(InvalidInput, match="protocol must be one of random-mate"):
        default_sizes(5, 4, protocol="guess")
