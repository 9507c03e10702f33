"""`seprank sweep`: grids from options and files, dry runs, what it prints, and what it refuses."""

import io
import json
import subprocess
import sys

import pytest

from seprank.cli import sweep_bar
from seprank.cli.main import run
from seprank.study import records
from seprank.study.sweep import Standing


@pytest.fixture
def store(tmp_path):
    return tmp_path / "results.sqlite"


def test_a_sweep_and_the_same_command_again(succeeds, store):
    line = f"--L 1:2 --dx 2:3 --H 1,2,dx --N long,2,3 --workers 1 --store {store}"
    first = succeeds("sweep", line)
    assert first.splitlines()[:4] == [
        "cases: 16: 16 done",
        "skipped: 10, since N is odd",
        "skipped: 6, since H does not divide dx",
        "repeated: 4, listed more than once",
    ]
    assert first.splitlines()[4].startswith(f"store: {store}, after ")
    ranks = {(record.L, record.dx, record.H, record.NA): record.rank for record in records(store)}
    assert (ranks[2, 2, 1, 2], ranks[2, 3, 3, 3], ranks[2, 3, 1, 1], ranks[1, 3, 3, 3]) == (18, 43, 35, 4)
    again = json.loads(succeeds("sweep", f"{line} --format json"))
    assert again.pop("seconds") < 30
    assert again == {
        "schema": "seprank.sweep/1",
        "store": str(store),
        "cases": 16,
        "skipped": {"N is odd": 10, "H does not divide dx": 6},
        "repeated": 4,
        "before": 16,
        "done": 0,
        "too_large": 0,
        "failed": 0,
        "elsewhere": 0,
        "left": 0,
        "budget_spent": False,
    }


def test_every_kind_of_end_is_said(succeeds, store):
    text = succeeds("sweep", f"--L 2:3 --dx 2,40 --prime 11 --method blocks --workers 1 --store {store}")
    assert text.splitlines()[0] == (
        "cases: 4: 1 done, 1 too large, 2 failed (`seprank results list --status error` shows why)"
    )
    found = {(record.L, record.dx): record.status for record in records(store)}
    assert found == {(2, 2): "done", (2, 40): "too-large", (3, 2): "error", (3, 40): "error"}


def test_bounds_alone_and_their_ranks_later(succeeds, store):
    assert "cases: 2: 2 done" in succeeds("sweep", f"--L 2 --dx 2:3 --what bounds --workers 1 --store {store}")
    assert [(record.what, record.rank) for record in records(store)] == [("bounds", None)] * 2
    assert all(record.bounds for record in records(store))
    assert "cases: 2: 2 done" in succeeds("sweep", f"--L 2 --dx 2:3 --workers 1 --store {store}")
    assert [(record.what, record.rank) for record in records(store)] == [("rank", 18), ("rank", 49)]


def test_a_dry_run_writes_nothing(succeeds, store):
    line = "--L 1:2 --dx 2:8,100 --H 1,2,dx --method blocks --workers 2 --dry-run"
    text = succeeds("sweep", f"{line} --store {store}")
    assert not store.exists()
    assert text.startswith("cases: 40\nskipped: 6, since H does not divide dx\nrepeated: 2, listed more than once\n")
    for start in ("too large: 3 would", "time: about ", "memory: about ", "longest: L = "):
        assert f"\n{start}" in text
    found = json.loads(succeeds("sweep", f"{line} --format json"))
    assert (found["schema"], found["cases"], found["pending"], found["workers"]) == ("seprank.sweep-plan/1", 40, 40, 2)
    assert (found["store"], found["too_large"]) == (None, 3)
    assert 0 < found["wall_seconds"] <= found["seconds"]
    assert 0 < found["memory"]["largest_case"] < found["memory"]["all_workers"]


def test_a_dry_run_knows_what_is_finished_and_what_will_fail(succeeds, store):
    succeeds("sweep", f"--L 1 --dx 2:3 --workers 1 --store {store}")
    before = store.read_bytes()
    text = succeeds("sweep", f"--L 1:2 --dx 2:3 --prime 7 --workers 1 --store {store} --dry-run")
    assert "refused: 2 will be recorded as failed: prime must exceed 3**L = 9 for the block method, got 7" in text
    text = succeeds("sweep", f"--L 1:2 --dx 2:3 --workers 1 --store {store} --dry-run")
    assert f"finished: 2 are in {store}, 2 are left" in text
    assert store.read_bytes() == before


def test_a_file_holds_the_same_options(succeeds, tmp_path):
    file = tmp_path / "study.toml"
    file.write_text('L = "1:2"\ndx = [2, "3:4"]\nH = "1,dx"\nN = ["long", 4]\nseed = 5\nresidual = true\nworkers = 3\n')
    found = json.loads(succeeds("sweep", f"{file} --dry-run --format json"))
    direct = "--L 1:2 --dx 2,3:4 --H 1,dx --N long,4 --seed 5 --residual --workers 3 --dry-run --format json"
    assert found == json.loads(succeeds("sweep", direct))
    assert (found["cases"], found["workers"]) == (20, 3)
    over = json.loads(succeeds("sweep", f"{file} --L 1 --workers 1 --dry-run --format json"))
    assert (over["cases"], over["workers"]) == (10, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("depth = 3", "got 'depth'"),
        ("dry_run = true", "got 'dry_run'"),
        ("L = ", "file must be TOML, got"),
        ("L = true", "must be text, a number or a list of them, got True"),
        ("L = {a = 1}", "must be text, a number or a list of them"),
        ("dx = 2\nL = [1, [2, true]]", "must be text, a number or a list of them, got True"),
        ("dx = 2\nL = 1\nseed = -1", "seed must be a whole number at least 0, got -1"),
        ("dx = 2\nL = 1.5", "L must be whole numbers of at least 1"),
    ],
)
def test_files_that_break_a_rule_are_refused(text, message, is_refused, tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(text)
    code, said = is_refused("sweep", f"{file} --dry-run")
    assert code == 2
    assert message in said


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--dx 2 --store S", "Missing option '--L'"),
        ("--L 1 --dx 2", "store must be given with --store, got no such option"),
        ("--L 0 --dx 2 --store S", "L must be whole numbers of at least 1"),
        ("--L 2:1 --dx 2 --store S", "L must be a range from the smaller to the larger end"),
        ("--L 1 --dx 2 --H x --store S", "H must be whole numbers of at least 1"),
        ("--L 1 --dx 2 --N 1 --store S", "N must be long"),
        ("--L 1 --dx 2 --what rang --store S", "what must be rank, bounds or both, got 'rang'"),
        ("--L 1 --dx 2 --prime 8 --store S", "prime must be a prime"),
        ("--L 1 --dx 2 --budget soon --store S", "budget must be a positive time"),
        ("--L 1 --dx 2 --workers 0 --store S", "workers must be a whole number at least 1, got 0"),
        ("--L 1 --dx 2 --threads 0 --store S", "threads must be a whole number at least 1, got 0"),
        ("--L 1 --dx 2 --dask nowhere --store S", "dask must be local or the address of a scheduler"),
        ("nothing.toml --store S", "file must be a readable TOML file"),
    ],
)
def test_lines_that_break_a_rule_are_refused(line, message, is_refused, store):
    code, said = is_refused("sweep", line.replace("S", str(store)) if "--store" in line else line)
    assert code == 2
    assert message in said


def test_another_file_is_never_overwritten(is_refused, store):
    store.write_text("my thesis\n")
    for more in ("", " --dry-run"):
        code, said = is_refused("sweep", f"--L 1 --dx 2 --store {store}{more}")
        assert (code, said) == (2, f"store must be a results store, got '{store}': it is not an SQLite file")
    assert store.read_text() == "my thesis\n"


def test_an_interrupt_is_said_in_one_line(store, capsys, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("seprank.study.sweep.sweep", interrupted)
    assert run(["sweep", "--L", "1", "--dx", "2:3", "--store", str(store)]) == 1
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err == (
        f"seprank: interrupted: 0 of 2 cases are in {store}, and the same command goes on from there\n"
    )


def test_distributed_is_imported_only_when_asked_for(tmp_path):
    code = (
        "import sys; from seprank.cli.main import run; run(sys.argv[1:]);"
        "sys.exit(any(name.split('.')[0] in ('distributed', 'dask', 'pandas') for name in sys.modules))"
    )
    line = ["sweep", "--L", "1", "--dx", "2", "--workers", "1", "--store", str(tmp_path / "results.sqlite")]
    subprocess.run([sys.executable, "-c", code, *line], check=True, capture_output=True)


def test_the_bar_says_how_far_it_is(monkeypatch):
    standing = Standing(10, before=2, done=3, failed=1, too_large=1, left=3, seconds_left=150, share=0.4)
    assert sweep_bar.described(standing) == "7 of 10 cases, 1 too large, 1 failed, about 2.5 min left,"
    assert sweep_bar.described(Standing(10, left=10, seconds_left=5)) == "0 of 10 cases, about 5 s left,"
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with sweep_bar.sweep_bar() as report:
        assert report is None

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with sweep_bar.sweep_bar() as report:
        report(standing)
    assert "7 of 10 cases, 1 too large, 1 failed, about 2.5 min left," in sys.stderr.getvalue()
