"""The integrators agree with the Fokker-Planck law at small steps.   Source: own, on noci2023shaped, Theorem 3.2."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from proofs_check.plain.shaped_laws import residual_law, statistics, stopped_euler, stopped_structured
from proofs_check.shaped_transformer._results import Grid, Samples
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.scheme",
    title="Generic Euler, structured Euler and the positive splitting tend to the same law",
    statement="Residual SDE of two tokens, gamma^2 = 1/2, T = 1: generic Euler-Maruyama (Cholesky root of the whole "
    "noise), Euler with structured noise, and the splitting that keeps V positive have the law of the Fokker-Planck "
    "equation as dt falls; at dt = 1/25 plain Euler does not (clipped paths put atoms at rho = 1 and -1).",
    source="noci2023shaped, Theorem 3.2 (schemes own)",
    scope="dt = 1/200 (full: 1/400), rho_0 = 0.2, slopes (0, -1), 10000 (full: 20000) paths; distances within chance "
    "(1e-6) and 0.006 for the step",
    expected=Verdict.HOLDS,
    paper="ST",
)
START = np.array([[1.0, 0.2], [0.2, 1.0]])
GAMMA = math.sqrt(0.5)


class Case(NamedTuple):
    """Steps, paths."""

    steps: int
    paths: int


def cases(level: str) -> Iterable[Case]:
    """One step size."""
    yield Case(400, 20_000) if level == "full" else Case(200, 10_000)


def by_generic(case: Case) -> Samples:
    """The whole covariance of the entries and its Cholesky root."""
    V = stopped_euler(START, "residual", GAMMA, 1.0, 1.0, case.steps, 1.0, math.inf, case.paths, 46)
    return Samples(statistics(V)[1:2])


def by_library(case: Case) -> Samples:
    """The library's splitting."""
    from seprank.shaped.integrate import integrate
    from seprank.shaped.setup import Setup

    setup = Setup(2, case.steps, case.steps, GAMMA, 1.0, "residual", paths=4 * case.paths, seed=47)
    law = integrate(setup, substeps=1, layers=(case.steps,))
    return Samples(statistics(np.asarray(law.covariances)[:, -1])[1:2])


def roads() -> Mapping[str, Road]:
    """The law of the correlation at T, twice."""
    return {"generic Euler": by_generic, "library, splitting": by_library}


def agree(case: Case, first: Samples, other: Samples) -> bool:
    """Within chance and 0.006."""
    return first.agrees(other, 0.006)


@cache
def _law(**wrong: float) -> Grid:
    return Grid(*residual_law(0.2, GAMMA, 1.0, 1.0, **wrong))


@cache
def _structured(steps: int, paths: int) -> Samples:
    V = stopped_structured(START, "residual", GAMMA, 1.0, 1.0, steps, 1.0, math.inf, paths, 48)
    return Samples(statistics(V)[1:2])


def holds(case: Case, result: Samples) -> bool:
    """The law on a grid, for generic and structured noise."""
    structured = _structured(case.steps, case.paths)
    return result.agrees(_law(), 0.006) and structured.agrees(_law(), 0.006)


def mutants() -> Mapping[str, Claim]:
    """A coarse step, and noise without the factor sqrt(2) of a symmetric matrix."""
    return {
        "structured Euler at dt = 1/25": lambda case, result: result.agrees(_structured(25, 4 * case.paths), 0.006),
        "half the noise": lambda case, result: result.agrees(_law(noise=1.0), 0.006),
    }
