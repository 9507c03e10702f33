"""`seprank results`: list, show, verify and export what a store holds."""

import csv
import io
import json
import shutil
import sqlite3
from contextlib import closing

import pandas
import pytest

from seprank import Architecture, Partition
from seprank.cli.main import run
from seprank.study import certificate, records
from seprank.study.case import Case
from seprank.study.record import NAMES
from seprank.study.store import Store
from seprank.study.work import request, solve


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store with two ranks, bounds only and a failure."""
    path = tmp_path_factory.mktemp("results") / "results.sqlite"
    asked = [
        ((2, 4, 2), "rank", {}),
        ((2, 4, 1), "rank", {}),
        ((30, 8, 1), "bounds", {}),
        ((2, 2, 1), "rank", {"prime": 7}),
    ]
    with Store(path) as kept:
        for size, what, rest in asked:
            case = Case(Architecture(*size), Partition(size[1], size[1]), **rest)
            kept.finish(case, solve(request(case, what)))
    return path


def test_the_group_says_what_it_holds(succeeds):
    assert "verify" in succeeds("results", "")


def test_list(succeeds, store):
    table = succeeds("results", f"list --store {store}")
    assert [line.split()[5] for line in table.splitlines()[2:]] == ["2", "4", "4", "8"]
    found = json.loads(succeeds("results", f"list --store {store} --format json"))
    assert (found["schema"], len(found["cases"])) == ("seprank.results/1", 4)
    rows = list(csv.DictReader(io.StringIO(succeeds("results", f"list --store {store} --format csv --dx 4"))))
    assert [(row["rank"], row["exact"], row["best upper"], row["upper"]) for row in rows] == [
        ("110", "true", "gram", "110"),
        ("107", "true", "staircase", "107"),
    ]
    assert "prime must exceed" in succeeds("results", f"list --store {store} --status error")
    (deep,) = json.loads(succeeds("results", f"list --store {store} --L 30 --format json"))["cases"]
    assert (deep["rank"], deep["exact"], deep["upper"][:2]) == (None, None, "3^")
    assert succeeds("results", f"list --store {store} --L 7").strip() == "no case"


def test_show(succeeds, store, tmp_path):
    text = succeeds("results", f"show --store {store} --dx 4 --H 2")
    for part in (
        "L = 2, dx = 4, H = 2, da = 2; NA = 4, NB = 4",
        "rank: 107 (method blocks)",
        "claim: exact (certified): the rank meets the proved upper bound staircase",
        "certificate: in the store",
        "status: done",
        "numpy",
    ):
        assert part in text
    found = json.loads(succeeds("results", f"show --store {store} --format json"))
    assert (found["schema"], [len(case["bounds"]) > 5 for case in found["cases"]]) == ("seprank.case/1", [True] * 4)
    file = tmp_path / "certificate.json"
    succeeds("results", f"show --store {store} --dx 4 --H 2 --certificate {file} --output {tmp_path / 'page'}")
    assert "at least 107" in succeeds("check-certificate", str(file))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("show --store S --certificate F", "certificate needs one case, got 4"),
        ("show --store S --dx 2 --certificate F", "certificate must be in the store, got a case without one (error)"),
        ("list --store nothere", "store must be a file that can be read"),
        ("list", "Missing option '--store'"),
        ("list --store S --L x", "L must be whole numbers"),
        ("list --store S --status ok", "Invalid value for '--status'"),
        ("export --store S --to parquet", "output must be a file for parquet, got standard output"),
        ("export --store S --to parquet -o -", "output must be a file for parquet"),
        ("export --store S --to parquet -o /nowhere/x", "output must be a file that can be written"),
        ("export --store S", "Missing option '--to'"),
        ("export --store S --to xlsx", "Invalid value for '--to'"),
        ("verify --store S --budget x", "budget must be a positive time"),
        ("lost", "No such command 'lost'"),
    ],
)
def test_lines_that_break_a_rule_are_refused(line, message, is_refused, store, tmp_path):
    line = " ".join({"S": str(store), "F": str(tmp_path / "file")}.get(word, word) for word in line.split())
    code, said = is_refused("results", line)
    assert code == 2
    assert message in said


@pytest.mark.parametrize("command", ["list", "show", "verify", "export --to json", "export --to csv"])
def test_torn_and_foreign_files_are_refused(command, is_refused, store, tmp_path):
    torn = tmp_path / "torn.sqlite"
    torn.write_bytes(store.read_bytes()[:9000])
    for path in (torn, __file__):
        code, said = is_refused("results", f"{command} --store {path}")
        assert code == 2
        assert said.startswith("store must be")


def test_verify(succeeds, store, tmp_path, capsys):
    assert succeeds("results", f"verify --store {store}").endswith("2 confirmed, 2 unchecked\n")
    found = json.loads(succeeds("results", f"verify --store {store} --dx 4 --format json"))
    assert (found["schema"], found["counts"]) == ("seprank.results-verify/1", {"confirmed": 2})
    assert succeeds("results", f"verify --store {store} --L 9") == "no case\n"
    copy = tmp_path / "copy.sqlite"
    shutil.copy(store, copy)
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute("UPDATE results SET rank = 106, blocks = NULL, certified_exact = 0 WHERE rank = 107")
        connection.commit()
    assert run(["results", "verify", "--store", str(copy)]) == 1
    out = capsys.readouterr().out
    assert "the certificate has rank 107, and the row 106" in out
    assert out.endswith("1 confirmed, 2 unchecked, 1 wrong\n")


def test_export_as_json(succeeds, store, tmp_path):
    text = succeeds("results", f"export --store {store} --to json")
    rows = json.loads(text)
    assert isinstance(rows, list)
    assert [row["rank"] for row in rows] == [record.rank for record in records(store)] == [None, 110, 107, None]
    assert all(list(row) == list(NAMES) for row in rows)
    assert {"L", "dx", "H", "da", "NA", "NB", "prime", "seed", "rank", "status"} < set(rows[0])
    succeeds("results", f"export --store {store} --to json -o {tmp_path / 'out.json'}")
    assert (tmp_path / "out.json").read_text() == text
    assert succeeds("results", f"export --store {store} --to json --L 9") == "[]\n"


def test_export_as_csv(succeeds, store):
    text = succeeds("results", f"export --store {store} --to csv --status done")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["rank"] for row in rows] == ["110", "107", ""]
    assert json.loads(rows[0]["blocks"])[2]["rank"] == 55
    assert succeeds("results", f"export --store {store} --to csv --L 9") == ",".join(NAMES) + "\n"


def test_export_as_parquet(succeeds, store, tmp_path):
    file = tmp_path / "out.parquet"
    assert succeeds("results", f"export --store {store} --to parquet -o {file}") == ""
    frame = pandas.read_parquet(file)
    assert list(frame.columns) == list(NAMES)
    assert list(frame["rank"].dropna()) == ["110", "107"]
    assert str(frame["L"].dtype) == "Int64"
    assert certificate(store, frame["key"][1]) is not None
    succeeds("results", f"export --store {store} --to parquet -o {file} --L 9")
    assert len(pandas.read_parquet(file)) == 0
