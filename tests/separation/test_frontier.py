"""The benchmark of the frontier, at sizes of a second."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "frontier.py"


@pytest.fixture
def frontier(monkeypatch):
    spec = importlib.util.spec_from_file_location("frontier", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "frontier", module)
    spec.loader.exec_module(module)
    return module


def test_a_row_says_what_was_certified_and_by_which_bounds(frontier):
    row = frontier.measure(frontier.read_case("3,3,3"))
    assert (row.rank, row.exact, row.bounds, row.weights) == (2441, True, ("gram", "staircase"), ("unseen",))
    assert (row.blocks, row.prime) == ((4, 5, 6, 7, 8, 9), 4194301)
    line = frontier.table([row]).splitlines()[2]
    assert line.startswith("| (3, 3, 3) | 2441 | gram, staircase | 4 to 9 (unseen) |")
    assert "| at least 2440 |" in frontier.table([frontier.Row(**{**vars(row), "rank": 2440, "exact": False})])


def test_closed_forms_are_compared(frontier, monkeypatch):
    assert frontier.measure(frontier.read_case("2,4,1,1021")).rank == frontier.theorem_A(4) == 110
    monkeypatch.setattr(frontier, "theorem_C", lambda d: 86)
    with pytest.raises(ArithmeticError, match="2,4,4,4194301 gives 85, the closed form 86"):
        frontier.measure(frontier.read_case("2,4,4"))


def test_cases_run_in_processes_of_their_own(frontier, monkeypatch, tmp_path, capsys):
    target = tmp_path / "rows.json"
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), "--case", "2,3,1", "--threads", "1", "--json", str(target)])
    frontier.main()
    assert "| (2, 3, 1) | 49 | gram |" in capsys.readouterr().out
    found = json.loads(target.read_text())
    assert (found["schema"], found["threads"], found["rows"][0]["rank"]) == ("seprank.frontier/1", 1, 49)
