"""`seprank mpc components` and `seprank mpc route`."""

import json

import pytest

import seprank.parallel.graph_sources
from seprank.cli.main import run


@pytest.mark.parametrize(
    ("graph", "components"), [("path:40", 1), ("two-cycles:20", 2), ("gnp:30:0", 30), ("star:9", 1), ("grid:3:3", 1)]
)
def test_components(succeeds, graph, components):
    found = json.loads(succeeds("mpc", f"components --graph {graph} --seed 2 --format json"))
    assert found["schema"] == "seprank.mpc.components/1"
    assert (found["components"], found["agrees"]) == (components, True)
    assert found["depth"] == found["rounds"] + 2
    assert max(found["max_load"], found["max_memory"]) <= found["memory"]
    assert len(found["loads"]) == found["rounds"] + 1


def test_components_of_a_file(succeeds, tmp_path):
    path = tmp_path / "g.edges"
    path.write_text("a b\nb a\nc c\nd e\n")
    text = succeeds("mpc", f"components --graph {path} --words 400 --protocol label-propagation")
    assert "5 vertices, 2 edges; 1 loop left out; 1 repeated edge counted once" in text
    assert "components:    3 (as networkx finds)" in text
    assert "of 400 words (as given)" in text


def test_a_disagreement_is_an_error(monkeypatch, capsys):
    monkeypatch.setattr(seprank.parallel.graph_sources, "least_vertices", lambda graph: graph.edges[:, 0])
    assert run(["mpc", "components", "--graph", "path:5"]) == 1
    assert "networkx DISAGREES" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("components --graph path:9 --delta 1.5", 2, "delta must be a number between 0 and 1, got 1.5"),
        ("components --graph path:999 --words 64", 2, "words must be enough for every machine, got 64"),
        ("components --graph path:9 --words 9", 2, "words must be a whole number at least 64, got 9"),
        ("components --graph nothing", 2, "graph must be path:N, cycle:N"),
        ("components --graph gnp:99999999:1", 3, "graph must have at most 20000000 vertices"),
        ("route --machines 4 --beta 5", 2, "beta must be a whole number from 1 to 4, got 5"),
        ("route --machines 8 --beta 2 --dimension 1", 2, "dimension must keep the codes of 2 destinations independent"),
        ("route --machines 10000000 --beta 9", 3, "machines must leave the layer in half of the free memory"),
    ],
)
def test_refusals(is_refused, line, code, message):
    found = is_refused("mpc", line)
    assert found[0] == code
    assert found[1].startswith(message)


def test_route(succeeds):
    found = json.loads(succeeds("mpc", "route --machines 32 --beta 2 --words 2 --pattern shift --format json"))
    assert found["schema"] == "seprank.mpc.route/1"
    assert (found["wrong"], found["flagged"], found["messages"], found["certified"]) == ([], [], 64, True)
    assert (found["query_width"], found["value_width"]) == (113, 12 * 8 * 5 + 1)
    text = succeeds("mpc", "route --machines 8 --beta 1 --dtype float32 --pattern empty")
    assert "0 messages (empty) among 8 machines" in text
    assert "wrong receivers: 0" in text


def test_too_few_tables_are_an_error(capsys):
    assert run(["mpc", "route", "--machines", "64", "--beta", "2", "--rows", "1"]) == 1
    assert "flags raised:    3" in capsys.readouterr().out
