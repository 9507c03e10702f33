"""The helpers of the checkers on parallel computation, against networkx and cases known by hand."""

import itertools

import networkx as nx
import numpy as np
import pytest

from proofs_check.parallel_computation._table import ceiling_rule, cells, floor_rule, smallest_depth
from proofs_check.parallel_computation.fixed_alphabets_take_states_linear_in_k import _fresh, _read
from proofs_check.plain.graphs import graph, least_labels, propagation_rounds
from proofs_check.plain.hops import KINDS, chase, fast_hops, find, hops, last_hop, layered, word
from proofs_check.plain.transformer_pass import drawn_pass


def test_the_example_by_hand():
    X = tuple("abcabdca".index(c) for c in "abcabdca")
    assert [find(X, i, 1) for i in range(1, 9)] == [0, 0, 0, 2, 3, 0, 4, 5]
    assert hops(X, 2) == fast_hops(X, 2) == (-1,) * 6 + (1, 2)
    assert find((0, 0), 2, 1) == 2
    assert last_hop(X, 1) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_words(kind):
    X = word(kind, 50, 3, 1)
    assert len(X) == 50
    assert set(X) <= {0, 1, 2}
    equal = sum(a == b for a, b in itertools.pairwise(X))
    assert {"uniform": 5 < equal < 30, "no repeats": equal == 0, "constant": equal == 49, "runs": equal >= 32}[kind]


def test_layered_words_chase():
    permutations = [(1, 2, 0), (2, 1, 0)]
    for x in range(3):
        X = layered(permutations, x)
        assert (len(X), last_hop(X, 2)) == (13, chase(permutations, x))
    assert chase(permutations, 0) == 0


@pytest.mark.parametrize("kind", ["path", "cycle", "two cycles", "star", "grid", "random"])
def test_graphs(kind):
    n = 48
    built = nx.empty_graph(n)
    built.add_edges_from(graph(kind, n))
    known = {
        "path": nx.path_graph(n),
        "cycle": nx.cycle_graph(n),
        "two cycles": nx.disjoint_union(nx.cycle_graph(24), nx.cycle_graph(24)),
        "star": nx.star_graph(n - 1),
        "grid": nx.grid_2d_graph(6, 8),
    }
    assert kind == "random" or nx.is_isomorphic(built, known[kind])
    labels = least_labels(graph(kind, n), n)
    assert labels == tuple(min(nx.node_connected_component(built, v)) for v in range(n))


def test_propagation_takes_the_distance_of_the_least_name():
    edges = [(v, v + 1) for v in range(9)]
    assert propagation_rounds(edges, 10) == 10
    assert propagation_rounds([], 3) == 1


def test_histories_solve_the_task():
    X, state, answers = word("uniform", 40, 3, 2), _fresh(3, 4), []
    for x in X:
        state, answer = _read(state, x, 4)
        answers.append(answer)
    assert tuple(answers) == fast_hops(X, 4)


def test_the_drawn_pass_is_an_average_of_rows():
    assert np.allclose(drawn_pass(6, 2, 1, 1, block=6), drawn_pass(6, 2, 1, 1))
    assert not np.allclose(drawn_pass(6, 2, 1, 1, block=4), drawn_pass(6, 2, 1, 1))


def test_the_table_by_hand():
    found = cells("authors_errors.csv")
    assert len(found) == 425
    assert found[3, 4, -1, 7] == (3210, 7600)
    assert [floor_rule(3), ceiling_rule(3), smallest_depth(found, 4, 3, 5), smallest_depth(found, 4, 3, 40)] == [
        3,
        4,
        3,
        2,
    ]
    assert smallest_depth(found, 4, 16, 1) is None
