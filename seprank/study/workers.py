"""Where cases are worked on: processes of this machine, behind the interface of `concurrent.futures`."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from queue import LifoQueue
from typing import Any

from seprank.machine import usable_cores
from seprank.separation.room import room
from seprank.validate import whole_number


@dataclass(frozen=True)
class Capacity:
    """Cases worked on at once, the bytes for each of them, and for one that has the machine to itself.

    `ahead` more cases are handed out before a worker is free for them.
    """

    slots: int
    memory: int | None
    alone: int | None
    ahead: int = 0


class LocalExecutor(Executor):
    """Up to `count` spawned processes, each in a pool of its own, so that one that is killed takes only its own case.

    The processes end when this one does, however it ends, and at once with `stop`. They ignore interrupts.
    """

    def __init__(self, count: int) -> None:
        self._context = get_context("spawn")
        self._reader, self._writer = self._context.Pipe(duplex=False)
        self._pools: set[ProcessPoolExecutor] = set()
        self._seats: LifoQueue[ProcessPoolExecutor | None] = LifoQueue()
        for _ in range(count):
            self._seats.put(None)

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Call `function` in an idle process, or in a new one; waits while all of them are at work."""
        pool = self._seats.get()
        with interrupts_held():
            while True:
                pool = self._new_pool() if pool is None else pool
                try:
                    future = pool.submit(function, *arguments, **named)
                    break
                except BrokenExecutor:  # its process was killed while it had nothing to do
                    self._pools.discard(pool)
                    pool = None
        future.add_done_callback(lambda done: self._take_back(pool, done))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes when their work is done."""
        for pool in list(self._pools):
            pool.shutdown(wait=wait, cancel_futures=cancel_futures)

    def stop(self) -> None:
        """End the processes now, in the middle of their work."""
        self._writer.close()
        self.shutdown(cancel_futures=True)
        self._reader.close()

    def _new_pool(self) -> ProcessPoolExecutor:
        pool = ProcessPoolExecutor(1, self._context, initializer=_end_with_parent, initargs=(self._reader,))
        self._pools.add(pool)
        return pool

    def _take_back(self, pool: ProcessPoolExecutor, done: Future[Any]) -> None:
        alive = not done.cancelled() and not isinstance(done.exception(), BrokenExecutor)
        if not alive:
            self._pools.discard(pool)
        self._seats.put(pool if alive else None)


class LocalWorkers:
    """Processes of this machine: `count` of them (by default one for every usable core), a context manager.

    `memory` is what all of them together may use (by default most of what the machine has left). Raises `InvalidInput`.
    """

    def __init__(self, count: int | None = None, memory: int | None = None) -> None:
        self.count = usable_cores() if count is None else whole_number("workers", count)
        self.memory = room() if memory is None else whole_number("memory", memory)

    def __enter__(self) -> LocalWorkers:
        self._executor = LocalExecutor(self.count)
        return self

    def __exit__(self, *error: object) -> None:
        self._executor.stop()

    @property
    def executor(self) -> Executor:
        """What cases are submitted to."""
        return self._executor

    def capacity(self) -> Capacity:
        """An equal share of the memory for every process."""
        return Capacity(self.count, self.memory // self.count, self.memory)


def _end_with_parent(reader: Connection) -> None:
    """In a new process: end when the parent closes its end of the pipe, or is no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, args=(reader,), daemon=True).start()


def _watch(reader: Connection) -> None:
    with suppress(EOFError, OSError):
        reader.poll(None)
    os._exit(1)


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Processes made within the block never see an interrupt, not even while they start; ours comes afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # it would let interrupts through once it had to be started within the block
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
