"""`seprank plot hop-...` and `seprank plot mpc-...`: files, records that are kept, bad input."""

import pytest


def test_rounds_are_kept_and_read_again(succeeds, tmp_path, monkeypatch):
    line = f"mpc-rounds --family path --sizes 16,8 --protocol random-mate --records {tmp_path / 'r.csv'}"
    succeeds("plot", f"{line} -o {tmp_path / 'a.png'}")
    rows = (tmp_path / "r.csv").read_text().splitlines()
    assert [row[: row.index("-")] for row in rows[1:]] == ["path,8,random", "path,16,random"]

    def never(case):
        raise AssertionError(case)

    monkeypatch.setattr("seprank.parallel.round_counts.count_rounds", never)
    succeeds("plot", f"{line} -o {tmp_path / 'b.png'}")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


@pytest.mark.parametrize(
    "line", ["mpc-loads --graph cycle:16", "hop-errors", "hop-attention --k 2 --N 12 --alphabet 3"]
)
def test_files(succeeds, tmp_path, line):
    succeeds("plot", f"{line} -o {tmp_path / 'a.png'}")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("mpc-rounds --sizes 16,x", "sizes must be a whole number at least 6, got 'x'"),
        ("mpc-rounds --sizes 3", "sizes must be a whole number at least 6, got 3"),
        ("mpc-rounds --family tree", "family must be one of"),
        ("mpc-rounds --delta 1", "delta must be a number between 0 and 1, got 1.0"),
        ("mpc-rounds --records /nowhere/r.csv", "records must be a file that can be written"),
        ("mpc-loads --graph nothing.edges", "graph must be path:N"),
        ("mpc-loads --delta 0", "delta must be a positive number, got 0.0"),
        ("hop-errors --log /nowhere.csv", "log must be a file of"),
        ("hop-errors --no-table", "panels must be 1 to 4 tables of errors"),
        ("hop-attention --checkpoint /nowhere.pt", "checkpoint must be a file of"),
        ("hop-attention --N 5000", "N must be at most 2000"),
    ],
)
def test_bad_input(is_refused, tmp_path, line, message):
    code, said = is_refused("plot", f"{line} -o {tmp_path / 'a.png'}")
    assert (code, message in said) == (2, True), said
    assert not (tmp_path / "a.png").exists()
