"""Residual networks with shaped ReLU follow a covariance SDE.   Source: noci2023shaped, Theorem 3.2."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from proofs_check.plain.shaped_laws import residual_law, statistics, stopped_networks
from proofs_check.shaped_transformer import _library
from proofs_check.shaped_transformer._results import Grid, Samples
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.T3.2",
    title="Theorem 3.2: residual networks follow dV = gamma^2 b_ReLU dt + (2 gamma^2 Sigma_lin)^(1/2) dB",
    statement=r"For $X'=\lambda X+\gamma n^{-1/2}\varphi_s(\sqrt{c/n}\,XW_{\rm pre})W_{\rm post}$, "
    r"$\lambda^2+\gamma^2=1$: $dV=\gamma^2b_{\rm ReLU}dt+(2\gamma^2\Sigma_{\rm lin})^{1/2}dB$ at $t=l/n$.",
    source="noci2023shaped, Theorem 3.2",
    scope="law of the correlation of two tokens at T = 1, gamma^2 = 1/2, slopes (0, -1), rho_0 = 0.2, networks of "
    "width and depth 30 (full: 100); Kolmogorov-Smirnov distance within chance (1e-6) and 0.006 for the width",
    expected=Verdict.HOLDS,
    paper="ST",
    note="The limit is not that of the MLP at gamma = 1: same drift, twice the noise, another law of the correlation "
    "and no time change of it (the paper says 'recovered exactly when gamma = 1', and the factor 2 a sentence later).",
)


class Case(NamedTuple):
    """gamma^2, width, depth, networks."""

    square: float
    n: int
    depth: int
    paths: int


def cases(level: str) -> Iterable[Case]:
    """T = 1."""
    yield Case(0.5, 100, 100, 20_000) if level == "full" else Case(0.5, 30, 30, 12_000)


def by_networks(case: Case) -> Samples:
    """Networks drawn, hidden units one by one."""
    V0 = np.array([[1.0, 0.2], [0.2, 1.0]])
    c, gamma = (0.0, -1.0), math.sqrt(case.square)
    V = stopped_networks(V0, "residual", gamma, 1.0, c, case.n, case.depth, math.inf, case.paths, 15)
    return Samples(statistics(V)[1:2])


def by_library(case: Case) -> Grid:
    """The law of the SDE."""
    return Grid(*_library.residual_law(case.square, case.depth / case.n))


@cache
def by_grid(case: Case, wrong: tuple[tuple[str, float], ...] = ()) -> Grid:
    """The law of artanh(rho) as a birth-death chain on a grid."""
    return Grid(*residual_law(0.2, math.sqrt(case.square), case.depth / case.n, 1.0, **dict(wrong)))


def roads() -> Mapping[str, Road]:
    """The law of the correlation, twice."""
    return {"networks drawn": by_networks, _library.LAW_ROAD: by_library}


def agree(case: Case, first: Samples, other: Grid) -> bool:
    """Distance within chance and 0.006."""
    return first.agrees(other, 0.006)


def holds(case: Case, result: Samples) -> bool:
    """The law on the grid."""
    return result.agrees(by_grid(case), 0.006)


def mutants() -> Mapping[str, Claim]:
    """Factors of drift and noise, the printed sign of nu."""

    def law(name: str, value: float) -> Claim:
        return lambda case, result: result.agrees(by_grid(case, ((name, value),)), 0.006)

    return {
        "gamma^2 Sigma_lin, as for the MLP": law("noise", 1.0),
        "gamma in place of gamma^2": law("power", 1.0),
        "the printed sign of nu": law("sign", -1.0),
        "no drift": law("relu", 0.0),
    }
