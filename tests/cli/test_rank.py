"""`seprank rank`: what it prints, what it refuses before it starts, and how it ends when interrupted."""

import csv
import functools
import io
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

import pytest

from seprank.cli.main import run
from seprank.separation import plan

PROGRAM = "import sys; from seprank.cli.main import run; sys.exit(run(sys.argv[1:]))"
KEYS = {
    *("schema", "architecture", "partition", "rank", "blocks", "gram_bound", "best_upper", "certified_exact"),
    *("prime", "seed", "points", "seconds", "method", "status"),
}


@pytest.fixture
def rank(succeeds):
    """Runs `seprank rank`, which must succeed in silence; returns what it prints."""
    return functools.partial(succeeds, "rank")


@pytest.fixture
def refused(is_refused):
    """Runs `seprank rank`, which must print one line on stderr only; returns the exit code and the line."""
    return functools.partial(is_refused, "rank")


def test_the_document(rank):
    found = json.loads(rank("--L 2 --dx 6 --H 3 --format json"))
    assert set(found) == KEYS
    assert found["schema"] == "seprank.rank/1"
    assert found["architecture"] == {"L": 2, "dx": 6, "H": 3, "da": 2, "residual": False}
    assert found["partition"] == {"NA": 6, "NB": 6}
    assert (found["rank"], found["gram_bound"], found["certified_exact"]) == (340, 385, True)
    assert found["best_upper"] == {"id": "staircase", "value": 340}
    assert [block["k"] for block in found["blocks"]] == [0, 1, 2, 3, 4]
    assert sum(block["rank"] for block in found["blocks"]) == 340
    assert all(block["rank"] == block["bound"] for block in found["blocks"])
    assert (found["method"], found["prime"], found["seed"]) == ("blocks", 4194301, 0)
    assert found["points"] == max(block["bound"] for block in found["blocks"]) + plan.SPARE_POINTS
    assert found["seconds"] > 0


def test_the_table_of_an_exact_value(rank):
    text = rank("--L 2 --dx 4 --H 2")
    assert "rank: 107\nstatus: exact (certified): the rank meets the proved upper bound staircase\n" in text
    assert re.search(r"^ +2 +52 +52 +staircase +yes$", text, re.MULTILINE)
    assert re.search(r"^ +gram +upper +\S+ +110 +yes$", text, re.MULTILINE)


def test_the_table_of_a_lower_bound_with_a_second_draw(rank):
    text = rank("--L 2 --dx 3 --NA 1 --NB 4 --confirm")
    assert "rank: 39\nstatus: lower bound; equals the generic rank unless the draw was unlucky\n" in text
    assert "confirmed with seed 1 modulo 4194287: rank 39, the same\n" in text
    assert re.search(r"^ +2 +19 +21 +gram +no$", text, re.MULTILINE)


def test_confirm_in_the_document(rank):
    found = json.loads(rank("--L 2 --dx 3 --NA 1 --NB 4 --seed 18446744073709551615 --confirm --format json"))
    assert (found["certified_exact"], found["rank"], found["best_upper"]["value"]) == (False, 39, 41)
    assert found["confirm"] == {"prime": 4194287, "seed": 0, "rank": 39, "agrees": True}


def test_a_second_draw_that_differs_is_said_loudly(rank, monkeypatch):
    # Modulo 2 with two points the rank depends on the draw; seeds 0 and 1 differ.
    monkeypatch.setattr("seprank.separation.measure.another_prime", lambda prime: prime)
    ranks = [json.loads(rank(f"--L 1 --dx 2 --method full --prime 2 --points 3 --seed {seed} --format json"))["rank"]
             for seed in range(12)]  # fmt: skip
    seed = next(seed for seed in range(11) if ranks[seed] != ranks[seed + 1])
    assert "NOT the same" in rank(f"--L 1 --dx 2 --method full --prime 2 --points 3 --seed {seed} --confirm")


def test_few_points_are_said_to_limit_the_rank(rank):
    text = rank("--L 2 --dx 4 --points 10")
    assert "status: lower bound; the rank is limited by the number of points, more of them may raise it" in text


def test_skip_connections_take_the_full_method(rank):
    found = json.loads(rank("--L 2 --dx 3 --residual --format json"))
    assert (found["method"], found["blocks"], found["rank"], found["certified_exact"]) == ("full", None, 49, True)
    assert "rank: 49\nstatus: exact (certified)" in rank("--L 2 --dx 3 --residual")


def test_the_grid_counts_templates(rank):
    found = json.loads(rank("--L 2 --dx 2 --method grid --points 5 --format json"))
    assert (found["method"], found["points"]) == ("grid", 5)
    assert 1 <= found["rank"] <= 18
    assert "5 templates" in rank("--L 2 --dx 2 --method grid --points 5")


def test_csv_and_latex(rank):
    (row,) = csv.DictReader(io.StringIO(rank("--L 2 --dx 4 --H 4 --format csv")))
    assert (row["rank"], row["certified_exact"], row["best_upper"], row["NA"]) == ("85", "true", "staircase", "4")
    latex = rank("--L 2 --dx 4 --H 4 --format latex")
    assert latex.startswith("\\begin{table}")
    assert "85 (exact (certified)" in latex
    assert latex.count("\\\\") == 6


def test_threads_do_not_change_the_answer(rank):
    documents = [json.loads(rank(f"--L 3 --dx 2 --threads {threads} --format json")) for threads in (1, 2)]
    for document in documents:
        del document["seconds"]
    assert documents[0] == documents[1]


def test_the_method_derivative_says_how_each_block_was_decided(rank):
    text = rank("--L 2 --dx 4 --method derivative")
    assert "measured, antidiagonal links" in text
    assert "follows from block 2" in text
    blocks = json.loads(rank("--L 2 --dx 4 --method derivative --format json"))["blocks"]
    assert blocks[1] == {"k": 1, "rank": 10, "bound": 10, "bound_id": "gram", "weights": "torus", "source": 2}
    assert "how" not in rank("--L 2 --dx 4 --method blocks")


def test_the_certificate_is_written_beside_the_result(rank, tmp_path):
    target = tmp_path / "out.json"
    found = json.loads(rank(f"--L 2 --dx 4 --seed 7 --prime 2147483647 --certificate {target} --format json"))
    certificate = json.loads(target.read_text())
    assert certificate["rank"] == found["rank"] == 110
    assert (certificate["prime"], certificate["draw"]["seed"]) == (2147483647, 7)
    assert list(tmp_path.iterdir()) == [target]
    assert run(["check-certificate", str(target)]) == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--L 0 --dx 8", "L must be a whole number at least 1, got 0"),
        ("--L 2 --dx 1e3", "dx must be a whole number at least 1, got '1e3'"),
        ("--L 2 --dx 8 --H 3", "H must divide dx when the head size da is not given, got H=3, dx=8"),
        ("--L 2 --dx 8 --prime 6", "prime must be a prime at most 2147483647, got 6"),
        ("--L 2 --dx 8 --prime 4", "prime must be a prime at most 2147483647, got 4"),
        ("--L 2 --dx 8 --prime 1", "prime must be a whole number at least 2, got 1"),
        ("--L 2 --dx 8 --prime 2147483659", "prime must be a prime at most 2147483647, got 2147483659"),
        ("--L 2 --dx 8 --prime 7", "prime must exceed 3**L = 9 for the block method, got 7"),
        ("--L 2 --dx 8 --seed -1", "seed must be a whole number at least 0, got -1"),
        ("--L 2 --dx 8 --seed 18446744073709551616", "seed must be a whole number from 0 to 18446744073709551615"),
        ("--L 2 --dx 8 --points 0", "points must be a whole number at least 1, got 0"),
        ("--L 2 --dx 8 --N 5", "N must be even for a balanced partition, got 5"),
        ("--L 2 --dx 8 --N 0", "N must be a whole number at least 2, got 0"),
        ("--L 2 --dx 8 --NA 1", "NA and NB must be given together, got NA=1 alone"),
        ("--L 2 --dx 3 --method blocks --residual", "method must be full or grid for a residual network, got 'blocks'"),
        ("--L 20 --dx 3", "method must be full or grid for L = 20, got 'blocks': it needs a prime above 3**20"),
        ("--L 100000 --dx 3", "method must be full or grid for L = 100000"),
        ("--L 2 --dx 3 --certificate -", "certificate must be a file, got '-': standard output is for the result"),
        ("--L 2 --dx 3 --certificate a --output ./a", "certificate and output must be two files, got 'a' for both"),
        ("--L 2 --dx 3 --certificate /none/a", "certificate must be a file that can be written, got '/none/a'"),
        ("--L 2 --dx 3 --output /none/a", "output must be a file that can be written, got '/none/a'"),
        ("--L 2", "dx must be given with --dx, got no such option"),
    ],
)
def test_bad_input_is_one_line(refused, line, message):
    code, text = refused(line)
    assert code == 2
    assert text.startswith(message)
    assert len(text) < 250


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--L 6 --dx 30", r"the largest block needs 8\.0e165 points per side, .* --points [0-9]+ would fit"),
        ("--L 7 --dx 2 --method full", r"the value matrix needs [0-9]+ points per side, .* --points [0-9]+ would fit"),
        ("--L 2 --dx 3000000 --points 10", "the network and one assignment need about .* smaller sizes"),
        ("--L 2 --dx 2 --N 1000000000000", "the network and one assignment need about .* smaller sizes"),
        ("--L 2 --dx 2 --da 100000000000", "the network and one assignment need about .* smaller sizes"),
        ("--L 9 --dx 2", "the block method would need 9842 blocks at L = 9: --method full --points 1000"),
        ("--L 100 --dx 30 --method full", "the upper bound has more than 4000 digits .* --points 1000"),
        ("--L 2 --dx 2 --N 40 --method grid", r"the grid needs M\*\*N = 2\*\*40 entries, more than 1000000"),
        ("--L 2 --dx 2 --N 10000000000 --method grid --points 1", "the grid needs about .* of memory"),
        ("--L 1000000 --dx 8", "L must be at most 100000"),
    ],
)
def test_what_cannot_fit_is_refused_with_a_way_out(refused, monkeypatch, line, message):
    monkeypatch.setattr(plan, "room", lambda: 2**34)
    code, text = refused(line)
    assert code == 3
    assert re.match(message, text)
    assert len(text) < 250


def test_long_work_is_announced_on_stderr(capsys, monkeypatch):
    monkeypatch.setattr("seprank.separation.cost.evaluation_seconds", lambda *_: 7200.0)
    assert run(["rank", "--L", "1", "--dx", "2", "--confirm", "--format", "json"]) == 0
    streams = capsys.readouterr()
    assert streams.err == "seprank: this will take about 4 h\n"
    assert json.loads(streams.out)["rank"] == 3


def test_redirected_output_is_one_document_and_stderr_is_silent(tmp_path):
    with open(tmp_path / "out.json", "w") as file:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", PROGRAM, "rank", "--L", "2", "--dx", "4", "--format", "json"],
            stdout=file,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads((tmp_path / "out.json").read_text())["rank"] == 110


def test_a_bar_on_a_terminal_leaves_standard_output_alone():
    program = PROGRAM.replace("import sys;", "import sys, seprank.cli.progress as p; p.DELAY = 0.05;")
    leader, follower = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-c", program, "rank", "--L", "3", "--dx", "3", "--H", "3", "--format", "json"],
        stdout=subprocess.PIPE,
        stderr=follower,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(follower)
    shown = read_terminal(leader)
    output = done.stdout.read()
    done.stdout.close()
    assert done.wait() == 0
    assert json.loads(output)["rank"] == 2441
    assert b"evaluating" in shown
    assert b"%" in shown


def read_terminal(leader):
    """Everything that is written to the terminal until its other end is closed."""
    shown = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:  # Linux says so when the other end is closed
            piece = b""
        if not piece:
            os.close(leader)
            return shown
        shown += piece


def test_an_interrupt_leaves_one_line_and_no_files(tmp_path):
    line = "rank --L 4 --dx 3 --points 6000 --certificate out.json --output rank.json --format json"
    done = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *line.split()],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert select.select([done.stderr], [], [], 60)[0]
    assert done.stderr.readline().startswith("seprank: this will take about ")
    time.sleep(1)
    done.send_signal(signal.SIGINT)
    output, errors = done.communicate(timeout=60)
    assert (done.returncode, output, errors) == (1, "", "seprank: interrupted\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_run_leaves_no_files(tmp_path, end):
    line = "rank --L 4 --dx 3 --points 6000 --certificate out.json --output rank.json --format json"
    done = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *line.split()], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    assert done.stderr.readline().startswith("seprank: this will take about ")
    time.sleep(0.5)
    done.send_signal(end)
    done.communicate(timeout=60)
    assert done.returncode == -end
    assert list(tmp_path.iterdir()) == []
