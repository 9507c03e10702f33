"""Workers of a Dask cluster, behind the interface of `concurrent.futures`."""

from __future__ import annotations

import logging
from collections import Counter
from concurrent.futures import CancelledError, Executor
from typing import Any
from urllib.parse import urlsplit

from seprank.errors import InvalidInput, SeprankError
from seprank.separation.room import room
from seprank.study.work import one_line
from seprank.study.workers import Capacity, interrupts_held

LOCAL = "local"
AHEAD = 16  # cases handed out beyond the threads there are
PATIENCE = 20.0  # seconds to find the scheduler


class DaskWorkers:
    """The workers of the scheduler at `address`, however many there are at the time; "local" starts `count` of them.

    Each needs seprank of the same engine. A context manager; raises `InvalidInput` without the package `distributed`,
    and for an address where no scheduler answers.
    """

    def __init__(self, address: str, count: int | None = None) -> None:
        self.address, self.count = address, count
        self._cluster: Any = None
        self._client: Any = None
        self._levels: dict[str, int] = {}
        self._rooms: dict[str, int] = {}

    def __enter__(self) -> DaskWorkers:
        try:
            import distributed
        except ImportError:
            raise InvalidInput("dask needs the package distributed, got an environment without it") from None
        self._quieten()
        try:
            if self.address == LOCAL:
                with interrupts_held():
                    self._cluster = distributed.LocalCluster(
                        n_workers=self.count,
                        threads_per_worker=1,
                        processes=True,
                        dashboard_address="127.0.0.1:0",
                        silence_logs=logging.CRITICAL,
                    )
            self._client = distributed.Client(self._cluster or self.address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            self.__exit__()
            reason = " ".join(str(error).split())
            raise InvalidInput(
                f"dask must be local or the address of a scheduler, got {self.address!r}: {reason}"
            ) from None
        self._executor: Executor = self._client.get_executor(pure=False)
        return self

    def __exit__(self, *error: object) -> None:
        if self._client is not None:
            self._executor.shutdown(wait=False)
            self._client.close()
        if self._cluster is not None:
            self._cluster.close()
        for name, level in self._levels.items():
            logging.getLogger(name).setLevel(level)

    def _quieten(self) -> None:
        """Whatever goes wrong is said in one line by the sweep, not by the loggers of Dask in hundreds."""
        for name in ("distributed", "distributed.client"):
            self._levels[name] = logging.getLogger(name).level
            logging.getLogger(name).setLevel(logging.CRITICAL)

    @property
    def executor(self) -> Executor:
        """What cases are submitted to."""
        return self._executor

    def capacity(self) -> Capacity:
        """A case for every thread and as many ahead: no thread waits, and a cluster that grows with its work does.

        The memory is what was free when a worker was first seen.
        """
        try:
            threads: dict[str, int] = self._client.nthreads()
            self._meet([address for address in threads if address not in self._rooms])
        except (OSError, TimeoutError, CancelledError) as error:
            raise SeprankError(f"the Dask scheduler at {self.address} is gone: {one_line(error)}") from None
        hosts: Counter[str] = Counter()
        for address, number in threads.items():
            hosts[urlsplit(address).hostname or address] += number
        shares = [
            self._rooms[address] // hosts[urlsplit(address).hostname or address]
            for address in threads
            if address in self._rooms
        ]
        memory = min(shares, default=None)
        slots = max(1, sum(threads.values()))
        return Capacity(slots, memory, memory, ahead=max(AHEAD, slots))

    def _meet(self, addresses: list[str]) -> None:
        if not addresses:
            return
        for address, found in self._client.run(room, workers=addresses, on_error="return").items():
            if isinstance(found, ImportError):
                raise SeprankError(f"the Dask worker at {address} cannot import seprank: {found}")
            if isinstance(found, int):
                self._rooms[address] = found
