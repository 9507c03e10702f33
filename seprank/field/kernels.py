"""How compiled loops are made and spread over threads.

Kernels are compiled to release Python's lock, so plain Python threads run them side by side. The threads are
made for one call and end with it, which keeps forked and threaded callers safe; numba's own threads are never
used, because they would fight with those of BLAS. While several of them run, BLAS gets one thread for each call.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock, Thread
from typing import Any, Generic, TypeVar

import numba

from seprank.field.blas_threads import blas_limit
from seprank.machine import usable_cores
from seprank.validate import whole_number

Function = TypeVar("Function", bound=Callable[..., Any])
Tile = TypeVar("Tile")
Result = TypeVar("Result")

# Per calling thread and task: two callers with different limits do not disturb one another.
_limit: ContextVar[int | None] = ContextVar("seprank_thread_limit", default=None)


def kernel(function: Function) -> Function:
    """Compile `function` with numba on first use, keeping the machine code on disk where that is possible.

    The code releases Python's lock. Where no folder for machine code can be written, every process compiles
    anew and nothing else changes. Under ``NUMBA_DISABLE_JIT=1`` the function is returned as it is. Kernels
    that call one another belong in one file: numba looks at that file alone to see whether stored code is
    stale.

    >>> @kernel
    ... def double(number):
    ...     return 2 * number
    >>> double(21)
    42
    """
    compiled: Any
    try:
        compiled = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError as error:
        if "cannot cache" not in str(error):
            raise
        compiled = numba.njit(nogil=True)(function)
    return compiled


def threads() -> int:
    """The number of threads that work is spread over: the limit in force, else the usable cores."""
    limit = _limit.get()
    return usable_cores() if limit is None else limit


@contextmanager
def thread_limit(limit: int) -> Iterator[None]:
    """Within the block, use at most `limit` threads, in kernels and in BLAS. No result depends on it.

    The limit on kernels holds for the calling thread, the one on BLAS for the whole process (BLAS has one
    setting). Raises `InvalidInput` unless `limit` is a whole number of at least 1.

    >>> with thread_limit(1):
    ...     threads()
    1
    """
    token = _limit.set(whole_number("limit", limit))
    try:
        with blas_limit(threads(), look_again=True):
            yield
    finally:
        _limit.reset(token)


def run_tiles(task: Callable[[Tile], Result], tiles: Iterable[Tile], threads: int | None = None) -> list[Result]:
    """``[task(tile) for tile in tiles]``, worked on by several threads (by default as many as `threads()`).

    The first exception of a task, and an interrupt, cancel the tiles not yet begun and are raised as soon as
    the running ones end. Tasks that call `run_tiles` themselves get one thread each.

    >>> run_tiles(abs, [-3, 2, -1])
    [3, 2, 1]
    """
    jobs = list(tiles)
    workers = min(_workers(threads), len(jobs))
    if workers <= 1:
        return [task(job) for job in jobs]
    work = _Work(task, jobs)
    helpers = [Thread(target=work.take_turns, name=f"seprank-{n}", daemon=True) for n in range(workers)]
    with blas_limit(1):
        _run_all(helpers, work)
    return work.answers()


def _run_all(helpers: list[Thread], work: "_Work") -> None:
    try:
        for helper in helpers:
            helper.start()
        for helper in helpers:
            helper.join()
    finally:
        work.stop = True
        for helper in helpers:
            if helper.ident is not None:
                helper.join()


def _workers(asked: int | None) -> int:
    return threads() if asked is None else whole_number("threads", asked)


class _Work(Generic[Tile, Result]):
    """Tiles that several threads take one after the other.

    Plain threads, because a pool's bookkeeping by weak references can swallow an interrupt.
    """

    def __init__(self, task: Callable[[Tile], Result], jobs: list[Tile]) -> None:
        self.stop = False
        self._task, self._jobs = task, jobs
        self._numbers, self._lock = iter(range(len(jobs))), Lock()
        self._found: dict[int, Result] = {}
        self._failures: dict[int, BaseException] = {}

    def take_turns(self) -> None:
        """Work until no tile is left, or until somebody fails."""
        _limit.set(1)  # in a thread of this call, so nobody else sees it
        while not self.stop:
            with self._lock:
                number = next(self._numbers, None)
            if number is None:
                return
            try:
                self._found[number] = self._task(self._jobs[number])
            except BaseException as failure:
                self._failures[number] = failure
                self.stop = True

    def answers(self) -> list[Result]:
        """The results in the order of the tiles; raises the failure of the first tile that has one."""
        for number in sorted(self._failures):
            raise self._failures[number]
        return [self._found[number] for number in range(len(self._jobs))]
