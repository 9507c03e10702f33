"""JSON, CSV, LaTeX, tables, and writing them."""

import csv
import io
import json
import math
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from seprank.cli import output, tables
from seprank.cli.output import Number, check_output, emit, to_csv, to_json
from seprank.cli.tables import to_table
from seprank.errors import InvalidInput, SeprankError
from seprank.tabular import latex_text, to_latex

DOCUMENT = {
    "text": 'ü "quoted" \n line',
    "none": None,
    "true": True,
    "int": 10**40,
    "float": 0.1,
    "nested": {"list": [1, [2, {}], []], "tuple": (True, "x")},
}


def test_json_is_the_one_of_the_standard_library():
    assert to_json(DOCUMENT) == json.dumps(DOCUMENT, indent=2, ensure_ascii=False) + "\n"
    assert to_json({}) == "{}\n"


def test_json_numbers_beyond_floats_are_written_as_they_are():
    text = to_json({"bound": Number("6.6e477"), "more": [Number("-1E+9")]})
    assert '"bound": 6.6e477' in text
    assert json.loads(text, parse_float=str) == {"bound": "6.6e477", "more": ["-1E+9"]}


@pytest.mark.parametrize("text", ["", "1e", "01", "+1", ".5", "1.", "NaN", "Infinity", "0x1", "1 ", "1\n", "1e5.5"])
def test_what_is_no_json_number(text):
    with pytest.raises(ValueError, match="text must be a JSON number, got"):
        Number(text)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_json_has_no_such_floats(value):
    with pytest.raises(ValueError, match="JSON has no number"):
        to_json({"a": [value]})


def test_json_refuses_other_types():
    with pytest.raises(TypeError, match="JSON has no form for set"):
        to_json({"a": {1}})
    with pytest.raises(TypeError, match="keys of a JSON object must be text, got 1"):
        to_json({1: 2})


def test_json_takes_whole_numbers_and_floats_of_numpy():
    import numpy as np

    assert json.loads(to_json({"a": np.int64(3), "b": np.float64(0.5)})) == {"a": 3, "b": 0.5}


def test_csv_reads_back():
    rows = [{"L": 2, "name": 'a,"b"\nc'}, {"L": Number("1e999"), "extra": None}]
    assert list(csv.reader(io.StringIO(to_csv(rows)))) == [
        ["L", "name", "extra"],
        ["2", 'a,"b"\nc', ""],
        ["1e999", "", ""],
    ]


def test_latex():
    text = to_latex([{"x_1": 1.5, "what": "50% of #1 & {2}"}, {"x_1": Number("-2e9"), "what": "a≤b"}], caption="A_b")
    assert "\\begin{tabular}{rl}" in text
    assert "\\caption{A\\_b}" in text
    assert "1.5 & 50\\% of \\#1 \\& \\{2\\} \\\\" in text
    assert "-2e9 & a$\\leq$b \\\\" in text
    assert [text.count(rule) for rule in ("\\toprule", "\\midrule", "\\bottomrule")] == [1, 1, 1]


def test_latex_text_escapes_every_special_character():
    assert latex_text("\\~^&%$#_{}") == (r"\textbackslash{}\textasciitilde{}\textasciicircum{}\&\%\$\#\_\{\}")


def test_table_for_pipes_is_plain_wide_and_whole():
    long = "word " * 30 + "[bold]end[/bold]"
    text = to_table([{"name": long, "value": 12345}], title="[T]", for_terminal=False)
    assert "\x1b" not in text
    assert "…" not in text
    assert long in text
    assert text.startswith("[T]")
    assert text.endswith("\n")


def test_table_for_pipes_folds_what_is_wider_than_400_columns():
    text = to_table([{"digits": "7" * 1000}], for_terminal=False)
    assert text.count("7") == 1000
    assert max(map(len, text.splitlines())) <= tables.WIDEST_PIPED


def test_table_for_terminals_takes_their_width(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    text = to_table([{"name": "x" * 150, "value": 3}], for_terminal=True)
    assert text.count("x") == 150
    assert "…" not in text
    assert "\x1b[1m" in text
    monkeypatch.setenv("COLUMNS", "5")
    assert to_table([{"name": "x" * 150}], for_terminal=True).count("x") == 150


def test_table_columns_of_numbers_are_set_to_the_right():
    lines = to_table([{"n": 5, "t": "a"}, {"n": 12345, "t": "b"}], for_terminal=False).splitlines()
    assert lines[-2].split() == ["5", "a"]
    assert lines[-2].index("5") == lines[-1].index("5")


def test_table_in_a_locale_without_unicode(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert to_table([{"n": 5}], for_terminal=False).isascii()


def test_emit_to_stdout_ends_with_one_newline(capsys):
    emit("a")
    emit("b\n", Path("-"))
    assert capsys.readouterr().out == "a\nb\n"


def test_emit_to_a_stdout_without_unicode_stays_readable_json(monkeypatch):
    content = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(content, encoding="latin-1"))
    emit(to_json({"a": "ü ≤ 𝔽 \\ x"}))
    assert json.loads(content.getvalue().decode("ascii")) == {"a": "ü ≤ 𝔽 \\ x"}


def test_emit_to_a_closed_stdout(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(SeprankError, match="cannot write to standard output: it is closed"):
        emit("a")


def test_emit_to_a_new_file_follows_the_umask(tmp_path):
    path = tmp_path / "new.txt"
    mask = os.umask(0o027)
    try:
        emit("ü", path)
    finally:
        os.umask(mask)
    assert path.read_bytes() == "ü\n".encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [file.name for file in tmp_path.iterdir()] == ["new.txt"]


def test_emit_keeps_permissions_and_follows_links(tmp_path):
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.write_text("old")
    target.chmod(0o604)
    link.symlink_to(target)
    emit("new", link)
    assert link.is_symlink()
    assert target.read_text() == "new\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o604


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_emit_leaves_the_old_file_and_no_other_behind(tmp_path, monkeypatch, error):
    path = tmp_path / "kept.txt"
    path.write_text("old")

    def fail(*_):
        raise error

    monkeypatch.setattr(output.os, "replace", fail)
    with pytest.raises((KeyboardInterrupt, InvalidInput)) as caught:
        emit("new", path)
    assert caught.type is KeyboardInterrupt or "kept.txt': No space left on device" in str(caught.value)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["kept.txt"]


def test_emit_to_a_device_does_not_replace_it():
    emit("gone", Path("/dev/null"))
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.parametrize("write", [check_output, lambda path: emit("text", path)])
def test_places_that_cannot_be_written_to(tmp_path, write):
    with pytest.raises(InvalidInput, match=r"output must be a file that can be written, got .*: it is a folder"):
        write(tmp_path)
    with pytest.raises(InvalidInput, match=r"there is no folder '.*/none'"):
        write(tmp_path / "none" / "a.txt")
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match=r"there is no folder '.*/file'|Not a directory"):
        write(tmp_path / "file" / "a.txt")
    with pytest.raises(InvalidInput, match="File name too long"):
        write(tmp_path / ("x" * 300))
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(InvalidInput, match=r"(?i)loop"):
        write(loop)
    with pytest.raises(InvalidInput, match="output must be a file"):
        write(Path("a\0b"))


def test_a_permission_that_is_lacking_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(output.os, "access", lambda *_: False)
    with pytest.raises(InvalidInput, match="permission denied"):
        check_output(tmp_path / "new")


def test_the_module_does_not_import_rich():
    code = "import sys; import seprank.cli.output, seprank.cli.tables; print('rich' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
