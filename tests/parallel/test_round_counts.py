"""Rounds of protocols on families of graphs, kept in a file."""

import pytest

from seprank.errors import InvalidInput
from seprank.parallel.round_counts import Case, checked_cases, count_rounds, guessed_seconds, read_counts


def test_counts_are_kept_in_a_file(tmp_path):
    from seprank.cli.output import to_csv

    found = [count_rounds(Case(family, 16, "random-mate", 0.4, 1)) for family in ("path", "grid", "gnp", "star")]
    (tmp_path / "rounds.csv").write_text(to_csv([count.row() for count in found]))
    assert read_counts(tmp_path / "rounds.csv") == {count.case: count for count in found}
    assert read_counts(tmp_path / "none.csv") == {}


def test_label_propagation_takes_the_diameter_and_contraction_does_not():
    """On a path with shuffled numbers: more than n / 4 iterations against fewer than 4 log2 n."""
    slow, fast = (count_rounds(Case("path", 128, name, 0.4, 0)) for name in ("label-propagation", "random-mate"))
    assert slow.iterations > 32
    assert fast.iterations < 28
    assert fast.depth == fast.rounds + 2
    assert fast.max_load <= fast.words


def test_two_cycles_and_guesses():
    cases = checked_cases(["two-cycles", "path"], [16], ["label-propagation", "hook-and-shortcut"], 0.4, 0)
    assert cases[0][:3] == ("two-cycles", 16, "label-propagation")
    assert all(0 < guessed_seconds(case) < 60 for case in cases)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"families": ["tree"]}, "family must be one of path, cycle, two-cycles, star, grid, gnp, got 'tree'"),
        ({"protocols": ["gossip"]}, "protocol must be one of random-mate"),
        ({"sizes": [5]}, "sizes must be a whole number from 6 to 1000000, got 5"),
        ({"families": ["two-cycles"], "sizes": [7]}, "graph must have an even N"),
        ({"delta": 1.0}, "delta must be a number between 0 and 1, got 1.0"),
    ],
)
def test_refused(change, message):
    given = {"families": ["path"], "sizes": [16], "protocols": ["random-mate"], "delta": 0.4, "seed": 0}
    with pytest.raises(InvalidInput, match=message):
        checked_cases(**{**given, **change})


def test_another_file_is_refused(tmp_path):
    (tmp_path / "rounds.csv").write_text("family,n\npath,3\n")
    with pytest.raises(InvalidInput, match=r"records must be a CSV file of rounds, got .*rounds.csv"):
        read_counts(tmp_path / "rounds.csv")
    with pytest.raises(InvalidInput, match="Is a directory"):
        read_counts(tmp_path)
