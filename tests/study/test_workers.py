"""Processes of this machine: their own pools, their memory, and their end."""

import os
import signal
import subprocess
import sys
from concurrent.futures import BrokenExecutor, wait

import pytest

from seprank.errors import InvalidInput
from seprank.field.kernels import threads
from seprank.machine import usable_cores
from seprank.separation.room import room, room_limit
from seprank.study.workers import LocalExecutor, LocalWorkers


@pytest.fixture
def executor():
    made = LocalExecutor(2)
    yield made
    made.stop()


def numbers(executor):
    futures = [executor.submit(os.getpid) for _ in range(4)]
    return {future.result(timeout=60) for future in futures}


def test_no_more_processes_than_asked_for_and_all_of_them_end(executor, is_running, eventually):
    found = numbers(executor)
    assert 1 <= len(found) <= 2
    assert os.getpid() not in found
    executor.stop()
    eventually(lambda: not any(map(is_running, found)))


def test_a_killed_process_takes_only_its_own_case(executor):
    (first,) = {executor.submit(os.getpid).result(timeout=60)}
    victim = executor.submit(os.kill, first, signal.SIGKILL)
    with pytest.raises(BrokenExecutor):
        victim.result(timeout=60)
    assert first not in numbers(executor)


def test_a_process_killed_while_idle_is_replaced(executor, is_running, eventually):
    first = executor.submit(os.getpid).result(timeout=60)
    os.kill(first, signal.SIGKILL)
    eventually(lambda: not is_running(first))
    for _ in range(2):
        future = executor.submit(os.getpid)
        wait([future], timeout=60)
        if future.exception() is None:
            break
    assert future.result() != first


def test_interrupts_do_not_reach_the_processes(executor):
    assert executor.submit(signal.getsignal, signal.SIGINT).result(timeout=60) == signal.SIG_IGN
    assert signal.SIGINT in executor.submit(signal.pthread_sigmask, signal.SIG_BLOCK, []).result(timeout=60)
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_interrupts_do_not_reach_the_first_process_either():
    code = (
        "import signal; from seprank.study.workers import LocalExecutor; workers = LocalExecutor(1);"
        "mask = workers.submit(signal.pthread_sigmask, signal.SIG_BLOCK, []).result(); workers.stop(); print(mask)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "SIGINT" in done.stdout


def test_shares_of_the_memory():
    with LocalWorkers(3, memory=900) as workers:
        found = workers.capacity()
    assert (found.slots, found.memory, found.alone) == (3, 300, 900)
    assert LocalWorkers().count == usable_cores()
    assert 0 < LocalWorkers().memory <= 2**60
    for count in (0, -1, 1.5, True, "2"):
        with pytest.raises(InvalidInput, match=r"^workers must be a whole number at least 1, got"):
            LocalWorkers(count)


def test_the_memory_of_a_case_is_what_was_promised():
    with room_limit(12345):
        assert room() == 12345
        with room_limit(None):
            assert room() != 12345
    assert threads() == usable_cores()
