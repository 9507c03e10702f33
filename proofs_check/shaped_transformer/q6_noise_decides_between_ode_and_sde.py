"""Reviewers' question 6: when an SDE, when an ODE.   Source: noci2023shaped, public reviews."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from proofs_check.plain.shaped_formulas import nu
from proofs_check.plain.shaped_laws import grid_law, quantiles, statistics
from proofs_check.plain.shaped_networks import residual_step, source
from proofs_check.shaped_transformer._results import Entries
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.Q6",
    title="Question 6: is there a reason to prefer an SDE limit over an ODE limit?",
    statement=r"One diffusion holds for both: "
    r"$d\rho=[\frac{2c_nb_n^2}\pi(\sqrt{1-\rho^2}-\rho\arccos\rho)-\frac1n\rho(1-\rho^2)]d\tau_e+\sqrt{2/n}(1-\rho^2)d"
    r"B$, $\tau_e=\gamma^2l$, $b_n=(s_+-s_-)/2$. At fixed $\gamma^2d$ and large $n$ the noise vanishes (ODE); with "
    r"shaped activations, fixed $\gamma$ and $d\sim n$ drift and noise balance (SDE).",
    source="noci2023shaped, public reviews (question on SDE against ODE limits)",
    scope="two tokens, rho_0 = 0.2: unshaped ReLU, gamma^2 = 4/40, 40 layers, n = 200; shaped (0, -1), gamma^2 = 1/2, "
    "n = d = 40 (full: 100): 5, 50 and 95 % of rho within 5 standard errors and 0.025",
    expected=Verdict.HOLDS,
    paper="ST",
    note="Answer: both are limits of one finite-n diffusion. The standard deviation of artanh(rho) is sqrt(2 gamma^2 "
    "T); below about 0.1 use the ODE. In the shaped case at T = 1, gamma^2 = 1/2 the ODE says rho = 0.253 while the "
    "law has median 0.374 and 5 % and 95 % points of -0.855 and 0.977: there the ODE is uninformative.",
)


class Case(NamedTuple):
    """Shaped or not, width, layers, gamma^2, networks."""

    shaped: bool
    n: int
    depth: int
    square: float
    networks: int


def cases(level: str) -> Iterable[Case]:
    """Both regimes."""
    full = level == "full"
    yield Case(False, 200, 40, 0.1, 5000 if full else 1000)
    n = 100 if full else 40
    yield Case(True, n, n, 0.5, 10_000 if full else 5000)


LEVELS = (0.05, 0.5, 0.95)


def by_networks(case: Case) -> Entries:
    """Quantiles of networks drawn, hidden units one by one; errors from order statistics."""
    c = (0.0, -1.0) if case.shaped else (0.0, -math.sqrt(case.n))
    draw = source(55)
    V = np.broadcast_to(np.array([[1.0, 0.2], [0.2, 1.0]]), (case.networks, 2, 2))
    for _ in range(case.depth):
        V = residual_step(V, math.sqrt(case.square), c, case.n, case.n, case.networks, draw)
    rho = np.sort(statistics(V)[1])
    found = np.quantile(rho, LEVELS)
    spread = [math.sqrt(p * (1 - p) / case.networks) for p in LEVELS]
    ends = [np.quantile(rho, [max(p - d, 0), min(p + d, 1)]) for p, d in zip(LEVELS, spread, strict=True)]
    return Entries(found, np.array([(high - low) / 2 for low, high in ends]))


def by_library(case: Case) -> Entries:
    """The library's Fokker-Planck law, with slopes as constants of the width."""
    from seprank.shaped.activation import normaliser
    from seprank.shaped.two_tokens import correlation_law

    c_minus = -1.0 if case.shaped else -math.sqrt(case.n)
    scale = math.sqrt(normaliser(case.n, 0.0, c_minus))
    law = correlation_law(0.2, math.sqrt(case.square), [case.depth / case.n], 0.0, c_minus * scale)[0]
    return Entries(np.array([math.tanh(law.quantile(level)) for level in LEVELS]))


def roads() -> Mapping[str, Road]:
    """Quantiles of rho, twice."""
    return {"networks drawn": by_networks, "library, Fokker-Planck": by_library}


def agree(case: Case, first: Entries, other: Entries) -> bool:
    """5 standard errors and 0.025 of the largest quantile."""
    return first.agrees(other, relative=0.025)


@cache
def _gap(case: Case) -> float:
    """(c_plus - c_minus)^2 times c_n."""
    b = 1 / (2 * math.sqrt(case.n)) if case.shaped else 0.5
    return 4 * b * b * case.n / ((1 - b) ** 2 + b * b)


@cache
def _law(case: Case, noise: float = 1.0) -> np.ndarray:
    """Quantiles of the finite-n diffusion on a grid in artanh(rho)."""
    s = 2 * case.square * noise

    def drift(u: np.ndarray) -> np.ndarray:
        return case.square * nu(np.tanh(u), _gap(case)) * np.cosh(u) ** 2 + s / 2 * np.tanh(u)

    high = 6.5 if case.shaped else 3.0
    low = -3.2 if case.shaped else -1.0
    points, cdf, _ = grid_law(drift, lambda u: np.full_like(u, s), math.atanh(0.2), case.depth / case.n, low, high)
    return quantiles(np.tanh(points), cdf, LEVELS)


@cache
def _ode(case: Case) -> float:
    """rho by the drift alone."""
    found = solve_ivp(
        lambda t, rho: case.square * nu(rho, _gap(case)), (0, case.depth / case.n), [0.2], rtol=1e-8, atol=1e-10
    )
    return float(found.y[0, -1])


def _is(case: Case, result: Entries, values: np.ndarray) -> bool:
    return result.agrees(Entries(values), relative=0.025)


def holds(case: Case, result: Entries) -> bool:
    """The diffusion; the ODE is near the median in the first regime and far from it in the second."""
    near = abs(result.values[1] - _ode(case)) < 0.02
    return _is(case, result, _law(case)) and near == (not case.shaped)


def mutants() -> Mapping[str, Claim]:
    """The ODE everywhere, the noise of a plain MLP."""
    return {
        "the ODE in both regimes": lambda case, result: _is(case, result, np.full(3, _ode(case))),
        "half the noise": lambda case, result: _is(case, result, _law(case, 0.5)),
    }
