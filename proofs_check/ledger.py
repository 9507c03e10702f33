"""The ledger: every checker, in the order of the report, and how to select and run them."""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from difflib import get_close_matches
from functools import cache
from multiprocessing import active_children, get_context
from types import ModuleType

from proofs_check.runner import run_checker
from proofs_check.verdict import LEVELS, Record, Statement
from seprank.errors import InvalidInput

ROOMS = ("depth_to_width", "heads", "signal_propagation", "shaped_transformer", "parallel_computation")
Progress = Callable[[int, int], None]


@cache
def checkers() -> dict[str, ModuleType]:
    """Every checker by the id of its statement: those of the paper first, each room in alphabetical order."""
    found = []
    for room in ROOMS:
        package = importlib.import_module(f"proofs_check.{room}")
        for info in pkgutil.iter_modules(package.__path__):
            if not info.name.startswith("_"):
                found.append(importlib.import_module(f"proofs_check.{room}.{info.name}"))
    found.sort(key=lambda module: order(module.STATEMENT.id))
    ids = [module.STATEMENT.id for module in found]
    if len(set(ids)) < len(ids):
        raise ValueError(f"two checkers share an id: {sorted(id for id in ids if ids.count(id) > 1)}")
    return dict(zip(ids, found, strict=True))


def order(id: str) -> tuple[bool, list[tuple[bool, int, str]]]:
    """Papers before this project's own statements; numbers in names in the order of numbers."""
    words = re.findall(r"[0-9]+|[^0-9]+", id)
    parts = [(word.isdigit(), int(word) if word.isdigit() else 0, word) for word in words]
    return id.startswith("NEW."), parts


def statements(paper: str | None = None, ids: Sequence[str] = ()) -> list[Statement]:
    """The statements of a paper (all papers by default), or those named.

    Raises `InvalidInput` for a paper or an id that the ledger does not hold.
    """
    everything = [checker.STATEMENT for checker in checkers().values()]
    papers = sorted({statement.paper for statement in everything})
    if paper is not None and paper not in papers:
        raise InvalidInput(f"paper must be one of {', '.join(papers)}, got {paper!r}")
    known = [statement.id for statement in everything]
    for id in ids:
        if id not in known:
            near = get_close_matches(id, known, n=1, cutoff=0.5)
            hint = f": did you mean {near[0]!r}?" if near else "; 'seprank verify --list' names them all"
            raise InvalidInput(f"id must name a statement of the ledger, got {id!r}{hint}")
    return [
        statement
        for statement in everything
        if (paper is None or statement.paper == paper) and (not ids or statement.id in ids)
    ]


def verify(
    paper: str | None = None,
    ids: Sequence[str] = (),
    level: str = "quick",
    progress: Progress | None = None,
    workers: int = 1,
) -> list[Record]:
    """Run the checkers selected as by `statements`, at level "quick" or "full"; one record each, in order.

    With more than one of `workers` they run side by side in processes of their own; the records do not depend on it.
    """
    if level not in LEVELS:
        raise InvalidInput(f"level must be one of {', '.join(LEVELS)}, got {level!r}")
    selected = statements(paper, ids)
    workers = min(workers, len(selected))
    if workers > 1:
        return _side_by_side(selected, level, progress, workers)
    records = []
    for done, statement in enumerate(selected):
        if progress is not None:
            progress(done, len(selected))
        records.append(_record(statement, level))
    return records


def _side_by_side(selected: Sequence[Statement], level: str, progress: Progress | None, workers: int) -> list[Record]:
    # Fresh processes: a forked one would inherit the locks of other threads.
    others = set(active_children())
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_one_thread) as pool:
        futures = [pool.submit(_record_of, statement.id, level) for statement in selected]
        try:
            for done, _ in enumerate(as_completed(futures), 1):
                if progress is not None:
                    progress(done, len(futures))
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for child in set(active_children()) - others:  # a checker may have minutes left
                child.terminate()
            raise


def _one_thread() -> None:
    """In a worker: leave the other cores to the other workers, and the interrupt to the parent."""
    from seprank.field.kernels import thread_limit

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["OMP_NUM_THREADS"] = "1"  # torch reads it when a checker imports it
    thread_limit(1).__enter__()


def _record_of(id: str, level: str) -> Record:
    return _record(checkers()[id].STATEMENT, level)


def _record(statement: Statement, level: str) -> Record:
    """The record of one statement; a checker that breaks down fails alone and does not stop the run."""
    try:
        return run_checker(checkers()[statement.id], level)
    except ModuleNotFoundError as error:
        return Record(statement, None, problems=(f"the checker needs {error.name}, which is not installed",))
    except Exception as error:
        return Record(statement, None, problems=(f"the checker broke down: {type(error).__name__}: {error}",))
