"""Graphs by name equal networkx's own; files of edges are read as said, and refused by line."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seprank.errors import InvalidInput, TooLarge
from seprank.parallel.graph_sources import edge_file, least_vertices, named_graph, simple_graph


@pytest.mark.parametrize(
    ("name", "graph"),
    [
        ("path:1", nx.path_graph(1)),
        ("path:9", nx.path_graph(9)),
        ("cycle:3", nx.cycle_graph(3)),
        ("two-cycles:10", nx.disjoint_union(nx.cycle_graph(5), nx.cycle_graph(5))),
        ("star:7", nx.star_graph(6)),
        ("grid:3:4", nx.grid_2d_graph(3, 4)),
        ("gnp:8:1", nx.complete_graph(8)),
        ("gnp:8:0", nx.empty_graph(8)),
    ],
)
def test_families(name, graph):
    found = named_graph(name)
    built = nx.empty_graph(found.vertices)
    built.add_edges_from(found.edges.tolist())
    assert found.loops == found.repeated == 0
    assert nx.is_isomorphic(built, graph)


def test_random_graphs():
    found = named_graph("gnp:2000:0.01", seed=3)
    assert abs(len(found.edges) - 19990) < 5 * 141
    assert (found.edges[:, 0] < found.edges[:, 1]).all()
    assert found.edges.max() < 2000
    assert np.array_equal(found.edges, named_graph("gnp:2000:0.01", seed=3).edges)
    ends = np.bincount(found.edges.ravel(), minlength=2000)
    assert 0.7 < ends.var() / (20 * 0.99) < 1.3
    dense = named_graph("gnp:60:0.5", seed=1)
    assert abs(len(dense.edges) - 885) < 5 * 21


def test_files(tmp_path):
    path = tmp_path / "g.edges"
    path.write_text("# names\na b 0.5\n\nb a\n% more\nc c\nc\td\n")
    found = edge_file(path)
    assert (found.vertices, found.edges.tolist(), found.loops, found.repeated) == (4, [[0, 1], [2, 3]], 1, 1)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40), st.integers(0, 9))
def test_shuffling_keeps_the_components(rows, seed):
    given = simple_graph("g", 10, np.array(rows, np.int64))
    assert len(given.edges) + given.loops + given.repeated == len(rows)
    sizes = [sorted(np.unique(least_vertices(g), return_counts=True)[1]) for g in (given, given.shuffled(seed))]
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("path:0", InvalidInput, "graph must have N as a whole number at least 1, got '0'"),
        ("path:²", InvalidInput, "at least 1, got '²'"),
        ("cycle:2", InvalidInput, "at least 3, got '2'"),
        ("two-cycles:7", InvalidInput, "even N"),
        ("grid:3", InvalidInput, "graph must be path:N"),
        ("gnp:5:nan", InvalidInput, "graph must have P as a number from 0 to 1, got 'nan'"),
        ("gnp:100000:1", TooLarge, "at most 20000000 edges, got about 5.0e[+]09"),
        ("grid:10000:10000", TooLarge, "at most 20000000 edges"),
        ("path:99999999", TooLarge, "at most 20000000 vertices"),
        ("no such file", InvalidInput, "got 'no such file': No such file"),
    ],
)
def test_bad_names(text, error, message):
    with pytest.raises(error, match=message):
        named_graph(text)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1 2\n3\n", "line 2 of .* must name two vertices, got '3'"),
        (b"#\n", "at least one edge"),
        (b"\xff\n", "UTF-8"),
    ],
)
def test_bad_files(tmp_path, content, message):
    (tmp_path / "bad").write_bytes(content)
    with pytest.raises(InvalidInput, match=message):
        edge_file(tmp_path / "bad")
