"""What a worker does: plain data in, plain data out, and every failure an outcome."""

from __future__ import annotations

import platform
import time
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from seprank._version import __version__
from seprank.closed_forms.report import bounds
from seprank.errors import SeprankError, TooLarge
from seprank.field.kernels import thread_limit
from seprank.separation.certificate import certificate, certificate_text
from seprank.separation.measure import measured
from seprank.separation.plan import plan_rank
from seprank.separation.result import RankResult
from seprank.separation.room import room_limit
from seprank.study.case import Case
from seprank.study.closed import closed_forms
from seprank.study.key import ENGINE
from seprank.study.peak import forget_peak, peak_memory
from seprank.study.record import DONE, ERROR, TOO_LARGE

LONGEST_ERROR = 2000
_LIBRARIES = ("numpy", "scipy", "numba", "python-flint")


def request(case: Case, what: str, threads: int = 1, memory: int | None = None) -> dict[str, Any]:
    """The question that `solve` answers: a case, "rank" or "bounds", and what the worker may use."""
    return {"case": case.document(), "what": what, "threads": threads, "memory": memory}


def solve(question: dict[str, Any]) -> dict[str, Any]:
    """The outcome of a case: the fields of a `Record` that are not those of the case, and `certificate` (text or None).

    Whatever the case raises becomes an outcome with `status` "too-large" or "error" and the reason in `error`; the
    closed forms are there all the same, unless they are what failed.

    >>> from seprank import Architecture, Partition
    >>> found = solve(request(Case(Architecture(L=2, dx=4, H=2), Partition(4, 4)), "rank"))
    >>> found["status"], found["rank"], found["certified_exact"]
    ('done', 107, True)
    """
    start = time.perf_counter()
    forget_peak()
    found: dict[str, Any] = {"what": question["what"], "status": DONE, "certificate": None, "versions": versions()}
    try:
        with thread_limit(question["threads"]), room_limit(question["memory"]):
            _answer(question, found)
    except (TooLarge, MemoryError) as error:
        found |= {"status": TOO_LARGE, "error": one_line(error)}
    except Exception as error:
        found |= {"status": ERROR, "error": one_line(error)}
    return found | {"seconds": time.perf_counter() - start, "memory": peak_memory()}


def _answer(question: dict[str, Any], found: dict[str, Any]) -> None:
    """Fill in bounds first, so that they are kept when the rank fails."""
    if question["case"]["engine"] != ENGINE:
        raise SeprankError(f"the sweep asks for the engine {question['case']['engine']}, and the worker runs {ENGINE}")
    case = Case.from_document(question["case"])
    found |= closed_forms(bounds(case.architecture, case.partition))
    if question["what"] == "rank":
        plan = plan_rank(case.architecture, case.partition, prime=case.prime, seed=case.seed, method=case.method)
        found |= _measured(measured(plan))


def _measured(result: RankResult) -> dict[str, Any]:
    blocks = [
        {"k": piece.k, "rank": piece.rank, "bound": piece.bound, "bound_id": piece.bound_id}
        for piece in result.blocks or ()
    ]
    return {
        "method": result.method,
        "used_prime": result.prime,
        "points": result.points,
        "rank": result.rank,
        "certified_exact": result.certified_exact,
        "claim": result.status,
        "blocks": blocks,
        "certificate": certificate_text(certificate(result)),
    }


def one_line(error: BaseException) -> str:
    """An error in one line; those that are not raised on purpose with their kind."""
    if isinstance(error, MemoryError):
        return "not enough memory for this case"
    text = " ".join(str(error).split())
    text = text if isinstance(error, SeprankError) else f"{type(error).__name__}: {text}"
    return text if len(text) <= LONGEST_ERROR else f"{text[:LONGEST_ERROR]} ..."


@cache
def versions() -> dict[str, str]:
    """Versions of what computed the answer."""
    found = {"seprank": __version__, "python": platform.python_version()}
    for library in _LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            found[library] = "unknown"
    return found
