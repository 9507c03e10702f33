"""gamma is a time change of residual networks, not of attention.   Source: noci2023shaped, section 3."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from proofs_check.plain import shaped_formulas
from proofs_check.plain.shaped_laws import residual_law
from proofs_check.shaped_transformer import _library
from proofs_check.shaped_transformer._cases import THREE
from proofs_check.shaped_transformer._results import Entries
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.T3.2-b",
    title="The residual SDE of weight gamma at time t has the law of gamma = 1 at time gamma^2 t",
    statement=r"$b_{\rm res}$ and $\Sigma_{\rm res}$ both carry $\gamma^2$, so $V^{(\gamma)}_t\overset d="
    r"V^{(1)}_{\gamma^2t}$. For attention drift and noise scale by $\gamma^2$, $\gamma^2(2-\gamma^2)$, $\gamma^4$: no "
    r"time change.",
    source="noci2023shaped, section 3 (after Theorem 3.2)",
    scope="law of rho at (gamma^2, T) = (1/2, 1) and (1/4, 2) against gamma = 1 to 1e-4 on two grids; coefficients of "
    "both blocks at a 3 x 3 V, exact",
    expected=Verdict.HOLDS,
    paper="ST",
    note="The text states it for the residual block; it does not carry over to shaped attention or the full block.",
)
RHO = np.linspace(-0.95, 0.95, 39)


class Case(NamedTuple):
    """gamma^2, T, the block."""

    square: float
    T: float
    block: str


def cases(level: str) -> Iterable[Case]:
    """Laws of the residual block, then the coefficients of both blocks."""
    yield Case(0.5, 1.0, "residual")
    if level == "full":
        yield Case(0.25, 2.0, "residual")
    yield Case(0.36, 1.0, "coefficients")


@cache
def _law(square: float, T: float) -> np.ndarray:
    points, cdf = residual_law(0.2, math.sqrt(square), T, 1.0)
    return np.interp(RHO, points, cdf)


def by_grid(case: Case) -> Entries:
    """The distribution function on a grid, or ratios of index-form coefficients at gamma and at 1."""
    if case.block == "residual":
        return Entries(_law(case.square, case.T))
    gamma, found = math.sqrt(case.square), []
    for kind in ("residual", "attention"):
        here, one = (shaped_formulas.block(THREE, g, 1.0, 1.0, kind) for g in (gamma, 1.0))
        found += [np.linalg.norm(a) / np.linalg.norm(b) for a, b in zip(here, one, strict=True)]
    return Entries(np.array(found))


def by_library(case: Case) -> Entries:
    """The library's Fokker-Planck law, or ratios of its coefficients."""
    if case.block == "residual":
        points, cdf = _library.residual_law(case.square, case.T)
        return Entries(np.interp(RHO, points, cdf))
    gamma, found = math.sqrt(case.square), []
    for kind in ("residual", "attention"):
        here, one = (_coefficients(kind, g) for g in (gamma, 1.0))
        found += [np.linalg.norm(x) / np.linalg.norm(y) for x, y in zip(here, one, strict=True)]
    return Entries(np.array(found))


def _coefficients(kind: str, gamma: float) -> tuple[np.ndarray, np.ndarray]:
    """The library's drift and noise, as m x m and m x m x m x m arrays."""
    from seprank.shaped.coefficients import covariance, drift
    from seprank.shaped.setup import Setup

    setup = Setup(3, 100, 100, gamma, 1.0, kind, V0=THREE)
    return drift(setup, THREE), covariance(setup, THREE)


def roads() -> Mapping[str, Road]:
    """Distribution function and coefficients, twice."""
    return {"plain grid, index form": by_grid, "library": by_library}


def agree(case: Case, first: Entries, other: Entries) -> bool:
    """1e-4 for laws, 1e-12 for coefficients."""
    return first.agrees(other, relative=1e-4 if case.block == "residual" else 1e-12)


def holds(case: Case, result: Entries) -> bool:
    """The law of gamma = 1 at gamma^2 T; all but the noise of attention scale by gamma^2."""
    if case.block == "residual":
        return result.agrees(Entries(_law(1.0, case.square * case.T)), relative=1e-4)
    return bool(
        np.allclose(result.values[:3], case.square, rtol=1e-12) and abs(result.values[3] / case.square - 1) > 0.1
    )


def mutants() -> Mapping[str, Claim]:
    """Another clock, and the time change claimed for attention."""

    def clock(case: Case, result: Entries) -> bool:
        if case.block != "residual":
            return True
        return result.agrees(Entries(_law(1.0, math.sqrt(case.square) * case.T)), relative=1e-4)

    def attention(case: Case, result: Entries) -> bool:
        return case.block == "residual" or bool(np.allclose(result.values, case.square, rtol=1e-12))

    return {"time gamma t": clock, "attention is a time change, too": attention}
