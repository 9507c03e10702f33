"""What a worker answers, what a case is estimated to take, and that failures are outcomes."""

import json
import subprocess
import sys

import pytest

from seprank.errors import SeprankError
from seprank.separation.certificate_file import read_certificate
from seprank.separation.check import check_certificate
from seprank.separation.measure import separation_rank
from seprank.study import work
from seprank.study.estimate import OVERHEAD, Estimate, estimate
from seprank.study.jobs import Job
from seprank.study.key import ENGINE
from seprank.study.outlook import PROCESS, outlook
from seprank.study.work import one_line, request, solve
from seprank.study.workers import Capacity

GiB = 2**30


@pytest.mark.parametrize("method", [None, "blocks", "full", "grid", "derivative"])
def test_the_answer_is_that_of_separation_rank(method, make_case, tmp_path):
    case = make_case(2, 2, method=method, seed=3)
    found = solve(json.loads(json.dumps(request(case, "rank"))))
    direct = separation_rank(case.architecture, case.partition, method=method, seed=3)
    assert (found["status"], found["rank"], found["method"]) == ("done", direct.rank, direct.method)
    assert (found["certified_exact"], found["claim"]) == (direct.certified_exact, direct.status)
    assert sum(block["rank"] for block in found["blocks"]) in (0, direct.rank)
    assert found["best_upper_value"] == found["gram_bound"] == 18
    assert 0 < found["seconds"] < 60
    assert 10**6 < found["memory"] < 10**11
    assert found["versions"]["seprank"]
    file = tmp_path / "certificate.json"
    file.write_text(found["certificate"])
    assert check_certificate(read_certificate(file)).rank == direct.rank
    assert json.loads(json.dumps(found, allow_nan=False)) == found


MEMORY = """
from pathlib import Path
from seprank.study import peak
peak.forget_peak()
before = peak.peak_memory()
block = bytearray(80 * 2**20)
assert peak.peak_memory() >= before + 70 * 2**20
del block
peak.forget_peak()
assert peak.peak_memory() < before + 40 * 2**20
peak.Path = lambda name: Path("no folder") / "no file"
peak.forget_peak()
assert peak.peak_memory() > 10**7, "what the system keeps for the whole process"
"""


def test_the_most_memory_held(tmp_path):
    """In a process of its own: a long one may serve the block from memory that it holds already."""
    subprocess.run([sys.executable, "-c", MEMORY], check=True, cwd=tmp_path)


def test_bounds_alone_leave_the_rank_out(make_case):
    found = solve(request(make_case(96, 12288, H=96), "bounds"))
    assert (found["status"], found["what"]) == ("done", "bounds")
    assert "rank" not in found
    assert found["best_upper_log3"] > found["best_lower_log3"] > 0
    assert {bound["kind"] for bound in found["bounds"]} == {"lower", "upper"}


def test_logarithms_beyond_floats_are_digits(make_case):
    found = solve(request(make_case(1000, 8), "bounds"))
    eq18 = next(bound for bound in found["bounds"] if bound["id"] == "eq18")
    assert isinstance(eq18["log3"], str)
    assert eq18["log3"].startswith("1.32")
    assert eq18["log3"].endswith("e+477")
    json.dumps(found, allow_nan=False)


def test_failures_are_outcomes_with_the_bounds(make_case, monkeypatch):
    large = solve(request(make_case(4, 8), "rank", memory=GiB))
    assert (large["status"], large["best_upper"]) == ("too-large", "isotropic")
    assert "and 1.0 GiB may be used" in large["error"]
    refused = solve(request(make_case(2, 2, prime=7), "rank"))
    assert (refused["status"], refused["best_upper_value"]) == ("error", 18)

    def broken(plan):
        raise ZeroDivisionError("two\nlines")

    monkeypatch.setattr(work, "measured", broken)
    assert solve(request(make_case(2, 2), "rank"))["error"] == "ZeroDivisionError: two lines"
    monkeypatch.setattr(work, "measured", lambda plan: [].append(MemoryError()) or (_ for _ in ()).throw(MemoryError()))
    starved = solve(request(make_case(2, 2), "rank"))
    assert (starved["status"], starved["error"]) == ("too-large", "not enough memory for this case")


def test_a_worker_of_another_engine_refuses(make_case):
    case = make_case(2, 2, engine="seprank.engine/0")
    found = solve(request(case, "rank"))
    assert found["status"] == "error"
    assert found["error"] == f"the sweep asks for the engine seprank.engine/0, and the worker runs {ENGINE}"


def test_errors_in_one_line():
    assert one_line(SeprankError("a\n b")) == "a b"
    assert one_line(ValueError("x" * 9000)).endswith("x ...")
    assert len(one_line(ValueError("x" * 9000))) == 2004


@pytest.mark.parametrize(("size", "seconds"), [((2, 8), 0.3), ((3, 3), 0.5), ((1, 2), 0.001)])
def test_estimates_are_of_the_right_order(size, seconds, make_case):
    found = estimate(make_case(*size))
    assert seconds / 10 <= found.seconds <= 10 * seconds + 2 * OVERHEAD
    assert (found.too_large, found.refusal) == (None, None)


def test_estimates_of_what_cannot_be(make_case):
    assert estimate(make_case(4, 8), memory=GiB).too_large.startswith("the largest block needs")
    assert estimate(make_case(2, 2, prime=7)).refusal.startswith("prime must exceed")
    assert estimate(make_case(4, 8), "bounds", memory=GiB).too_large is None
    with_threads = [estimate(make_case(2, 8), threads=threads).seconds - OVERHEAD for threads in (1, 2)]
    assert with_threads[0] == pytest.approx(2 * with_threads[1], rel=0.2)


@pytest.mark.parametrize(("method", "spare"), [("blocks", 1.01), ("full", 1.01), ("grid", 1.01), ("derivative", 4)])
def test_a_case_fits_just_when_the_estimate_says_so(method, spare, make_case):
    case = make_case(2, 2 if method == "grid" else 6, method=method, prime=2147483629)
    needed = estimate(case, memory=64 * GiB).memory
    assert estimate(case, memory=int(spare * needed)).too_large is None
    assert estimate(case, memory=int(0.9 * needed)).too_large is not None


def test_the_outlook_adds_up(make_case):
    capacity = Capacity(2, GiB, 2 * GiB)
    pending = [
        Job(make_case(1, dx), Estimate(seconds, memory), alone)
        for dx, (seconds, memory, alone) in enumerate(
            [(1, 10, False), (2, 30, False), (5, 20, False), (7, 90, True)], 2
        )
    ]
    found = outlook(pending, capacity)
    assert (found.pending, found.workers, found.seconds, found.wall_seconds) == (4, 2, 15, 5 + 7)
    assert (found.largest_case, found.all_workers) == (90, 90 + 2 * PROCESS)
    assert found.longest == pending[3]
    assert outlook(pending[:3], capacity).all_workers == 50 + 2 * PROCESS
    assert outlook([], capacity).longest is None
