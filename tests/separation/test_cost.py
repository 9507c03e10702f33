"""What is planned: memory that is really enough, refusals with an option that fits, and times."""

import re
import subprocess
import sys

import pytest

from seprank import Architecture, Partition
from seprank.errors import TooLarge
from seprank.field.kernels import threads
from seprank.separation import cost, plan, room
from seprank.separation.blocks import groups
from seprank.separation.cost import Memory
from seprank.separation.measure import measured
from seprank.separation.plan import plan_rank


@pytest.mark.parametrize(("fixed", "per_point"), [(0, 0), (10**6, 0), (10**9, 12345), (7, 10**6)])
def test_the_most_points_are_the_most(fixed, per_point):
    memory = Memory(fixed, per_point)
    for free in (fixed, fixed + 10, fixed + 10**7, fixed + 10**15):
        points = memory.most_points(free)
        assert memory.needed(points) <= free < memory.needed(points + 1)
    assert memory.most_points(fixed - 1) == 0


@pytest.mark.parametrize("method", ["blocks", "full"])
@pytest.mark.parametrize("sizes", [(2, 20), (3, 6), (5, 3), (2, 100)])
def test_the_points_named_in_a_refusal_fit_and_one_more_does_not(monkeypatch, sizes, method):
    monkeypatch.setattr(plan, "room", lambda: 2**29)
    arch = Architecture(*sizes)
    with pytest.raises(TooLarge, match="MiB may be used: --points") as caught:
        plan_rank(arch, method=method)
    points = int(re.search(r"--points ([0-9]+) would fit", str(caught.value))[1])
    assert plan_rank(arch, method=method, points=points).points == points
    with pytest.raises(TooLarge):
        plan_rank(arch, method=method, points=points + 1)


def test_weights_and_tokens_count_too(monkeypatch):
    monkeypatch.setattr(plan, "room", lambda: 2**30)
    for arch, partition in [
        (Architecture(2, 5000), Partition(2, 2)),
        (Architecture(2, 2, H=10**7, da=1), None),
        (Architecture(10**4, 30), Partition(2, 2)),
        (Architecture(2, 2), Partition(10**8, 1)),
    ]:
        with pytest.raises(TooLarge, match="the network and one assignment need about"):
            plan_rank(arch, partition, method="full", points=10)


def test_a_plan_needs_no_time_even_for_enormous_jobs(monkeypatch):
    monkeypatch.setattr(plan, "room", lambda: 2**30)
    with pytest.raises(TooLarge, match=r"2\*\*1\.0e12 entries"):
        plan_rank(Architecture(2, 2), Partition.balanced(10**12), method="grid")
    with pytest.raises(TooLarge, match="points per side, about 1e"):
        plan_rank(Architecture(20, 30), method="full")


PROGRAM = """
from seprank import Architecture, Partition, separation_rank
from seprank.separation.plan import plan_rank
from seprank.separation.measure import measured
from seprank.field.kernels import threads
from seprank.separation import cost

def sampled(job, blocks=0):
    memory = cost.sampling_memory(job.arch, job.partition, blocks, job.prime, threads())
    return memory.needed(job.points) - cost.TEMPORARIES

def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))

small = Architecture(2, 2)
for method in ("blocks", "full", "grid"):
    separation_rank(small, method=method, points=3)
before = peak()
job = {job}
measured(job)
print(peak() - before, {need})
"""
JOBS = {
    "blocks": (
        "plan_rank(Architecture(2, 10))",
        "sampled(job, 5)",
    ),
    "full": (
        "plan_rank(Architecture(2, 10), method='full')",
        "sampled(job)",
    ),
    "wide": (
        "plan_rank(Architecture(2, 120), Partition(2, 2), method='full', points=100)",
        "sampled(job)",
    ),
    "many tokens": (
        "plan_rank(Architecture(2, 2), Partition(100_000, 100_000), method='full')",
        "sampled(job)",
    ),
    "many heads": (
        "plan_rank(Architecture(2, 100, H=50, da=50), Partition(2, 2), method='full', points=4)",
        "sampled(job)",
    ),
    "grid": (
        "plan_rank(Architecture(2, 2), Partition(8, 8), method='grid', points=2)",
        "cost.grid_memory(job.arch, job.partition, 2**16) - cost.TEMPORARIES // 2",
    ),
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("name", JOBS)
def test_a_job_stays_below_the_memory_planned_for_it(name):
    job, need = JOBS[name]
    program = PROGRAM.format(job=job, need=need)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    used, planned = map(int, done.stdout.split())
    assert planned / 20 < used < planned


def test_blocks_that_do_not_fit_together_come_in_groups(monkeypatch):
    arch = Architecture(3, 3)
    together = plan_rank(arch)
    shapes = {k: (size, size) for k, size in enumerate(together.sizes)}
    assert len(groups(shapes, together.memory, together.prime)) == 1
    needed = cost.sampling_memory(arch, together.partition, len(together.sizes), threads=threads())
    monkeypatch.setattr(plan, "room", lambda: needed.needed(together.points))
    apart = plan_rank(arch)
    assert (apart.prime, apart.sizes) == (together.prime, together.sizes)
    assert len(groups(shapes, apart.memory, apart.prime)) == 3
    assert apart.seconds > together.seconds


def test_a_matrix_too_large_as_float64_is_tried_as_float32(monkeypatch):
    arch = Architecture(2, 4)
    usual = plan_rank(arch)
    needed = cost.sampling_memory(arch, usual.partition, 5, threads=threads())
    monkeypatch.setattr(plan, "room", lambda: needed.needed(usual.points) - 1)
    narrow = plan_rank(arch)
    assert (usual.prime, narrow.prime, narrow.sizes) == (4194301, 1021, usual.sizes)
    assert measured(narrow).rank == 110
    assert (narrow.prime, plan_rank(arch, method="full").prime) == (1021, 1021)
    with pytest.raises(TooLarge, match="the largest block needs 63 points per side"):
        plan_rank(arch, prime=4194287)


def test_times_grow_with_the_work():
    one = Architecture(2, 8)
    assert cost.evaluation_seconds(one, 4194301, 10**6, 1) == 2 * cost.evaluation_seconds(one, 4194301, 10**6, 2)
    assert cost.evaluation_seconds(one, 2**31 - 1, 10**6, 1) > cost.evaluation_seconds(one, 4194301, 10**6, 1)
    for larger in (Architecture(3, 8), Architecture(2, 16), Architecture(2, 8, H=8, da=8)):
        assert cost.evaluation_seconds(larger, 101, 10**6, 1) > cost.evaluation_seconds(one, 101, 10**6, 1)
    assert cost.elimination_seconds([1000, 2000], 101, 2) > cost.elimination_seconds([2000], 101, 2) > 0
    assert cost.grid_seconds(one, Partition(4, 4), 10**6) > cost.grid_seconds(one, Partition(2, 2), 10**6) > 0
    assert cost.evaluation_seconds(Architecture(10**5, 10**9), 101, 10**400, 1) < float("inf")


def test_room_is_a_share_of_the_tightest_limit(monkeypatch):
    for available, limit, expected in [
        (1000, 500, 400),
        (500, 1000, 400),
        (None, 1000, 800),
        (None, None, int(0.8 * 2**32)),
    ]:
        monkeypatch.setattr(room, "memory_available", lambda value=available: value)
        monkeypatch.setattr(room, "memory_limit", lambda value=limit: value)
        assert room.room() == expected


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 KiB"),
        (3 * 2**29, "1.5 GiB"),
        (2**50 * 5, "5.0 PiB"),
        (2**50 * 10**12, "1.0e12 PiB"),
    ],
)
def test_bytes_as_people_read_them(amount, text):
    assert room.readable(amount) == text


def test_counts_as_people_read_them():
    texts = [room.short_count(number) for number in (999999999, 10**9, 10**3999, 10**5000)]
    assert texts == ["999999999", "1.0e9", "1.0e3999", "1e5000"]
