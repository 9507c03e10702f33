"""ReLU: Gram recursion and its flow at infinite depth.   Source: derived from noci2022signal, Theorem 3.2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from math import acos, pi, sqrt
from typing import NamedTuple

from proofs_check.estimate import Estimate
from proofs_check.plain.signal_uniform_networks import (
    grams,
    outputs,
    plain,
    ratio_of_expectations,
    tokens_with_correlation,
)
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.sp.relu",
    title="ReLU branches: d rho/dt = a1/n (1 - rho)(1 + (n - 1) rho) + a2 (kappa(rho) - rho) at infinite depth",
    statement=r"With He weights ($g=1$), $\kappa(\rho)=\frac1\pi(\sqrt{1-\rho^2}+\rho(\pi-\arccos\rho))$, "
    r"$\alpha_i^2=a_i/L$, equal norms "
    r"and angles: $\rho$ follows $\dot\rho=\frac{a_1}n(1-\rho)(1+(n-1)\rho)+a_2(\kappa(\rho)-\rho)$ on $[0,1]$; at "
    r"finite depth the "
    r"recursion $G\mapsto G+\alpha_1^2\bar GJ$, $G_{kk'}\mapsto "
    r"G_{kk'}+\alpha_2^2\sqrt{G_{kk}G_{k'k'}}\kappa(\rho_{kk'})$.",
    source="noci2022signal, Theorem 3.2, carried over to ReLU; docs/signal.md, ReLU",
    scope="n = 4 and 8, a1 = a2 = 1: networks of width 32 and depth 48 (full: 128) within 0.015 and 5 standard "
    "errors of the "
    "recursion; recursion at depth 2000 within 5e-4 of the flow",
    expected=Verdict.HOLDS,
    paper="SP",
    note="The lemmas of the paper are for linear branches. With ReLU alpha2 matters: (n, rho_0) = (8, 0) gives "
    "0.451, linear 0.177.",
)


class Case(NamedTuple):
    """Tokens, input correlation, depth; width and networks drawn, or 0 for the flow at infinite depth."""

    n: int
    rho: float
    L: int
    d: int = 0
    draws: int = 0


def cases(level: str) -> Iterable[Case]:
    """Depth to infinity, then networks."""
    full = level == "full"
    yield from (Case(n, rho, 2000) for n, rho in ((8, 0.0), (4, 0.2), *(((16, -0.05), (2, 0.7)) if full else ())))
    yield Case(4, 0.2, 48, 32, 1000 if full else 250)
    if full:
        yield Case(8, 0.0, 48, 32, 600)
        yield Case(4, 0.2, 24, 128, 150)


@cache
def independent(case: Case) -> Estimate:
    """Networks drawn literally; scipy integrates the flow."""
    if case.draws:
        X = tokens_with_correlation(case.n, case.d, case.rho, 77)
        network = plain(case.L, case.L**-0.5, case.L**-0.5, case.d, relu=True)
        return Estimate(*ratio_of_expectations(grams(outputs(network, X, case.draws, 77, chunk=100))))
    from scipy.integrate import solve_ivp

    def flow(t: float, state: list[float]) -> list[float]:
        r = state[0]
        return [(1 - r) * (1 + (case.n - 1) * r) / case.n + (sqrt(1 - r * r) - r * acos(r)) / pi]

    return Estimate(float(solve_ivp(flow, (0.0, 1.0), [case.rho], rtol=1e-10, atol=1e-12).y[0, -1]))


def library(case: Case) -> Estimate:
    """The library's recursion of the Gram matrix."""
    import numpy as np

    from seprank.signal.gram import average_correlation, gram_recursion

    G = (1 - case.rho) * np.eye(case.n) + case.rho
    return Estimate(average_correlation(gram_recursion(G, case.L, case.L**-0.5, case.L**-0.5, "relu")[-1]))


def library_flow(case: Case) -> Estimate | None:
    """The library's integration of the flow."""
    from seprank.signal.relu import relu_correlation_limit

    return None if case.draws else Estimate(relu_correlation_limit(case.rho, case.n, 1.0, 1.0))


def roads() -> Mapping[str, Road]:
    """The correlation, twice or three times."""
    return {
        "networks drawn, or scipy's integration": independent,
        "library, recursion": library,
        "library, flow": library_flow,
    }


def agree(case: Case, first: Estimate, other: Estimate) -> bool:
    """Up to the stated finite width and depth."""
    return abs(first.value - other.value) <= _allowed(case, first)


def _allowed(case: Case, result: Estimate) -> float:
    return 0.015 + 5 * result.error if case.draws else 5e-4


def _recursion(case: Case, bend: float = 1.0) -> float:
    """Equal norms and angles: two numbers instead of a matrix."""
    q, c = 1.0, case.rho
    for _ in range(case.L):
        mean = (q + (case.n - 1) * c) / case.n
        q, c = q + mean / case.L, c + mean / case.L
        r = min(1.0, c / q)
        kappa = bend * (sqrt(1 - r * r) + r * (pi - acos(r))) / pi + (1 - bend) * r
        q, c = q * (1 + 1 / case.L), c + q * kappa / case.L
    return c / q


def holds(case: Case, result: Estimate) -> bool:
    """The recursion in two numbers."""
    return abs(result.value - _recursion(case)) <= _allowed(case, result)


def mutants() -> Mapping[str, Claim]:
    """The linear form, and twice the kernel's excess."""
    return {
        "the linear closed form": lambda case, result: (
            abs(result.value - _recursion(case, 0.0)) <= _allowed(case, result)
        ),
        "twice kappa - rho": lambda case, result: abs(result.value - _recursion(case, 2.0)) <= _allowed(case, result),
    }
