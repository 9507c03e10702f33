"""`seprank verify`: selection, formats and exit codes, in process; and as ``python -m proofs_check`` from elsewhere."""

import json
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from proofs_check import ledger
from proofs_check.verdict import Record
from seprank.cli.main import run

IDS = ["--id", "D2W.eq4", "--id", "NEW.gram-vs-18"]


def test_table(capsys):
    assert run(["verify", *IDS]) == 0
    out = capsys.readouterr().out
    assert "2 statements, 2 as recorded, 0 not" in out
    assert "HOLDS" in out


def test_json(capsys):
    assert run(["verify", *IDS, "--format", "json", "--threads", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "seprank.verify/1"
    assert [record["id"] for record in found["records"]] == ["D2W.eq4", "NEW.gram-vs-18"]
    for record in found["records"]:
        assert record["verdict"] == record["expected"] == "HOLDS"
        assert record["paper"] == "D2W"
        assert len(record["roads"]) >= 2
        assert all(road["name"] and road["result"] for road in record["roads"])
        assert all(mutant["refuted"] for mutant in record["mutants"])
        assert isinstance(record["cases"], int)
        assert isinstance(record["seconds"], float)


def test_workers_do_not_matter():
    ids = ["D2W.eq4", "NEW.gram-vs-18"]
    alone, together = (ledger.verify(ids=ids, workers=workers) for workers in (1, 2))
    for one, other in zip(alone, together, strict=True):
        assert one.as_dict() | {"seconds": 0} == other.as_dict() | {"seconds": 0}


def test_junit_and_markdown(capsys, tmp_path):
    assert run(["verify", *IDS, "--format", "junit", "--output", str(tmp_path / "out.xml")]) == 0
    suite = ElementTree.parse(tmp_path / "out.xml").getroot()
    assert [case.get("name") for case in suite] == ["D2W.eq4", "NEW.gram-vs-18"]
    assert capsys.readouterr().out == ""
    assert run(["verify", *IDS, "--format", "markdown"]) == 0
    assert capsys.readouterr().out.startswith("# Ledger\n")


def test_list_runs_nothing(capsys, monkeypatch):
    monkeypatch.setattr(ledger, "verify", None)
    assert run(["verify", "--list"]) == 0
    assert capsys.readouterr().out.count("\n") == len(ledger.checkers()) + 2
    assert run(["verify", "--list", "--format", "json"]) == 0
    listed = json.loads(capsys.readouterr().out)["statements"]
    assert [statement["id"] for statement in listed] == list(ledger.checkers())


def test_a_record_that_is_not_as_recorded_gives_exit_code_1(capsys, monkeypatch):
    statement = ledger.statements(ids=["D2W.eq4"])[0]
    bad = Record(statement, None, problems=("the roads disagree",))
    monkeypatch.setattr(ledger, "verify", lambda *_: [bad])
    assert run(["verify", "--id", "D2W.eq4"]) == 1
    assert "D2W.eq4: the roads disagree\n1 statements, 0 as recorded, 1 not" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--id", "D2W.eq5"], "id must name a statement of the ledger, got 'D2W.eq5': did you mean 'D2W.eq"),
        (["--paper", "XX"], "paper must be one of D2W"),
        (["--level", "slow"], "Invalid value for '--level'"),
    ],
)
def test_bad_input(arguments, message, capsys):
    assert run(["verify", *arguments]) == 2
    streams = capsys.readouterr()
    assert message in streams.err
    assert streams.err.count("\n") == 1
    assert streams.out == ""


def test_the_module_runs_in_any_folder(tmp_path):
    command = [sys.executable, "-m", "proofs_check", "--id", "NEW.gram-vs-18"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "1 statements, 1 as recorded, 0 not" in done.stdout
