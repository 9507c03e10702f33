"""`seprank hop solve`: text from everywhere, every format, one line for bad input."""

import io
import json

import pytest

from seprank.cli.main import run


def test_the_example(succeeds):
    assert succeeds("hop", "solve --k 1 abcabdca") == "___bc_ab\n"
    assert succeeds("hop", "solve --k 0 abcabdca") == "abcabdca\n"
    found = json.loads(succeeds("hop", "solve --k 2 abcabdca --format json"))
    assert found == {"schema": "seprank.hop.solve/1", "k": 2, "output": [None] * 6 + ["b", "c"]}


def test_the_path(succeeds):
    text = succeeds("hop", "solve --k 3 --trace abcabdca")
    assert "8 -> 5 -> 3 -> 0" in text
    found = json.loads(succeeds("hop", "solve --k 3 --trace abcabdca --format json"))
    assert found["paths"][-1] == [8, 5, 3, 0]
    assert "8,a,c,8 -> 5 -> 3" in succeeds("hop", "solve --k 2 --trace abcabdca --format csv")


def test_text_from_a_file_and_from_stdin(succeeds, tmp_path, monkeypatch):
    file = tmp_path / "text.txt"
    file.write_text("äöüäö\n", encoding="utf-8")
    assert succeeds("hop", f"solve --k 1 --file {file}") == "___öü\n"
    monkeypatch.setattr("sys.stdin", io.StringIO("abab\r\n"))
    assert succeeds("hop", "solve --k 1") == "__ba\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("solve abc", "Missing option '--k'"),
        ("solve --k -1 abc", "k must be a whole number at least 0, got -1"),
        ("solve --k 1 --alphabet ab abc", "TEXT must use the symbols 'ab' only, got 'c' at position 3"),
        ("solve --k 1 --file no-such-file", "file must be a text file, got 'no-such-file': No such file"),
        ("solve --k 1 abc --file x", "TEXT and file exclude each other"),
        ("sovle --k 1 abc", "did you mean 'solve'?"),
    ],
)
def test_bad_input(is_refused, line, message):
    code, said = is_refused("hop", line)
    assert code == 2
    assert message in said


def test_an_empty_text_is_refused(capsys):
    assert run(["hop", "solve", "--k", "1", ""]) == 2
    assert "TEXT must have at least one character" in capsys.readouterr().err


def test_the_group_prints_its_help(succeeds):
    assert "solve" in succeeds("hop", "")
