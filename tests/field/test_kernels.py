import os
import re
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numba
import pytest
from threadpoolctl import threadpool_info

from seprank.errors import InvalidInput
from seprank.field.kernels import kernel, run_tiles, thread_limit, threads
from seprank.machine import usable_cores


def blas_threads() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_the_usual_number_of_threads_is_that_of_the_usable_cores():
    assert threads() == usable_cores() == len(os.sched_getaffinity(0))


def test_limits_nest_and_end_with_their_block():
    before = blas_threads()
    with thread_limit(1):
        assert (threads(), blas_threads()) == (1, {1})
        with thread_limit(2):
            assert threads() == 2
        assert (threads(), blas_threads()) == (1, {1})
    assert (threads(), blas_threads()) == (usable_cores(), before)


def test_a_limit_ends_with_an_exception():
    with pytest.raises(KeyError, match="planted"), thread_limit(1):
        raise KeyError("planted")
    assert threads() == usable_cores()


def test_a_limit_holds_for_its_own_thread_only():
    with thread_limit(3), ThreadPoolExecutor(1) as pool:
        assert pool.submit(threads).result() == usable_cores()
        assert threads() == 3


@pytest.mark.parametrize("limit", [0, -1, 1.0, True, "2"])
def test_bad_limits_are_refused(limit):
    with (
        pytest.raises(InvalidInput, match=re.escape(f"limit must be a whole number at least 1, got {limit!r}")),
        thread_limit(limit),
    ):
        pass
    with pytest.raises(InvalidInput, match="threads must be a whole number at least 1"):
        run_tiles(abs, [1, 2], threads=limit)


@pytest.mark.parametrize("count", [1, 2, 7, None])
def test_results_come_in_the_order_of_the_tiles(count):
    assert run_tiles(lambda n: n * n, range(50), threads=count) == [n * n for n in range(50)]
    assert run_tiles(abs, [], threads=count) == []


def test_tiles_run_side_by_side_and_only_as_many_as_allowed():
    meeting = threading.Barrier(2, timeout=60)  # breaks unless two tiles are running at once
    with thread_limit(2):
        names = run_tiles(lambda _: (meeting.wait(), threading.current_thread().name)[1], range(2))
    assert len(set(names)) == 2
    with thread_limit(1):
        names = run_tiles(lambda _: threading.current_thread().name, range(10))
    assert set(names) == {threading.current_thread().name}


def test_tasks_that_spread_work_themselves_get_one_thread_each():
    assert run_tiles(lambda _: threads(), range(4), threads=2) == [1] * 4
    assert threads() == usable_cores()


@pytest.mark.parametrize("count", [1, 3])
def test_an_exception_is_raised_and_stops_the_rest(count):
    begun = []

    def task(tile: int) -> None:
        begun.append(tile)
        if tile == 2:
            raise ZeroDivisionError("tile 2")
        time.sleep(0.001)

    with pytest.raises(ZeroDivisionError, match="tile 2"):
        run_tiles(task, range(2000), threads=count)
    assert len(begun) < 2000


def test_an_interrupt_stops_the_tiles_not_yet_begun():
    begun = []
    main = threading.main_thread().ident

    def task(tile: int) -> None:
        begun.append(tile)
        if tile == 2:
            signal.pthread_kill(main, signal.SIGINT)
        time.sleep(0.001)

    with pytest.raises(KeyboardInterrupt):
        run_tiles(task, range(5000), threads=2)
    assert len(begun) < 5000


def test_no_thread_outlives_its_call():
    run_tiles(abs, range(10), threads=4)
    assert not [t for t in threading.enumerate() if t.name.startswith("seprank")]


def test_a_kernel_without_a_place_for_its_code_is_compiled_all_the_same(monkeypatch):
    calls = []

    def njit(**options):
        calls.append(options)
        if options.get("cache"):
            raise RuntimeError("cannot cache function 'f': no locator available for file 'f.py'")
        return lambda function: function

    monkeypatch.setattr(numba, "njit", njit)
    assert kernel(abs) is abs
    assert calls == [{"cache": True, "nogil": True}, {"nogil": True}]


def test_other_failures_of_the_compiler_are_not_hidden(monkeypatch):
    def njit(**options):
        raise RuntimeError("something else")

    monkeypatch.setattr(numba, "njit", njit)
    with pytest.raises(RuntimeError, match="something else"):
        kernel(abs)
