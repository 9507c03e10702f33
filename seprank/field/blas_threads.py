"""How many threads the BLAS libraries of this process use while somebody asks for few.

BLAS has one setting for the whole process. Several callers may ask at once, from several threads: the smallest limit
holds, and the last one to leave restores what was there before the first one came.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

import numpy as np  # noqa: F401  # loads its BLAS, so that there is something to limit
from threadpoolctl import ThreadpoolController

_lock = Lock()
_limits: list[int] = []  # of the callers that are inside now
_libraries: dict[str, Any] = {}  # by the file they were loaded from
_usual: dict[str, int] = {}  # their threads without any limit


@contextmanager
def blas_limit(limit: int, *, look_again: bool = False) -> Iterator[None]:
    """Within the block, BLAS uses at most `limit` threads, in the whole process.

    Finding the libraries takes about a millisecond, which is done on the first call and when `look_again` asks for
    those loaded since. Unchecked input.

    >>> with blas_limit(1), blas_limit(2):
    ...     {library.num_threads for library in _libraries.values()} <= {1}
    True
    """
    with _lock:
        _enter(limit, look_again)
    try:
        yield
    finally:
        with _lock:
            _leave(limit)


def _enter(limit: int, look_again: bool) -> None:
    if look_again or not _libraries:
        found = ThreadpoolController().select(user_api="blas").lib_controllers
        _libraries.update({library.filepath: library for library in found})
    if not _limits:
        _usual.clear()
    for name, library in _libraries.items():
        _usual.setdefault(name, library.num_threads)
    _limits.append(limit)
    _apply()


def _leave(limit: int) -> None:
    _limits.remove(limit)
    _apply()


def _apply() -> None:
    for name, library in _libraries.items():
        wanted = min([_usual[name], *_limits])
        if library.num_threads != wanted:
            library.set_num_threads(wanted)


def _new_lock() -> None:
    """A thread that does not exist in a forked process may have held the old one."""
    global _lock
    _lock = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_lock)
