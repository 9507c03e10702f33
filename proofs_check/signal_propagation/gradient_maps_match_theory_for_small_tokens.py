"""Maps of gradients over rho, n and d match theory at small scales.   Source: noci2022signal, Figs. 13 and 14."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from proofs_check.plain.signal_draws import Layer, tokens, weights
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.fig13",
    title="Figs. 13 and 14: measured query over value gradients match eq. 18 over eq. 17 for small tokens, not for "
    "large ones; they fall with correlation",
    statement=r"Squared query over value gradient of one layer over $\rho\in\{0,.25,.5,.75\}$, $n\in\{8,32\}$, "
    r"$d\in\{16,64\}$: $\log_{10}$ of measured over theory stays within 0.15 at $\sigma=0.25$ and 0.5 and exceeds 0.3 "
    r"at 1 and 0.7 at 1.5; the ratio falls with $\rho$ in every column.",
    source="noci2022signal, Figs. 13 and 14, appendix B.2",
    scope="true softmax, Gaussian tokens, dk = dv = d; 60 draws at each of 64 settings",
    expected=Verdict.HOLDS,
    paper="SP",
    note="`seprank plot signal-grid` draws the maps.",
)
RHOS, TOKENS, WIDTHS = (0.0, 0.25, 0.5, 0.75), (8, 32), (16, 64)
DRAWS = 60
NEAR, APART = 0.15, {1.0: 0.3, 1.5: 0.7}


class Result(NamedTuple):
    """The largest |log10 of measured over theory| over the map, and whether the ratio falls with rho everywhere."""

    error: float
    falls: bool

    def __str__(self) -> str:
        return f"error {self.error:.2f}, {'falls' if self.falls else 'does not fall'} with rho"


def cases(level: str) -> Iterable[float]:
    """Input scales."""
    return (0.25, 0.5, 1.0, 1.5)


def _result(measured: dict[tuple[int, int, float], float], expected: dict[tuple[int, int, float], float]) -> Result:
    error = max(abs(np.log10(measured[place] / expected[place])) for place in measured)
    columns = [[measured[n, d, rho] for rho in RHOS] for n in TOKENS for d in WIDTHS]
    return Result(float(error), all(list(column) == sorted(column, reverse=True) for column in columns))


@cache
def by_library(case: float) -> Result:
    """Autograd and the library's expectations."""
    from seprank.signal.layer_measure import measure_layer
    from seprank.signal.tokens import GaussianTokens

    places = [(n, d, rho) for n in TOKENS for d in WIDTHS for rho in RHOS]
    points = {(n, d, rho): measure_layer(GaussianTokens(n, d, rho, case), DRAWS) for n, d, rho in places}
    measured = {place: point.query.mean / point.value.mean for place, point in points.items()}
    return _result(measured, {place: point.expected.query / point.expected.value for place, point in points.items()})


@cache
def by_hand(case: float) -> Result:
    """Row forms of the Jacobians in numpy, and the printed formulas."""
    measured, expected = {}, {}
    for n in TOKENS:
        for d in WIDTHS:
            for rho in RHOS:
                measured[n, d, rho] = _measured(Layer(n, d, d, d, rho, case))
                expected[n, d, rho] = case**4 * (n - 1) * (n + d) * (1 - rho) ** 2 / (n * d * (1 + (n - 1) * rho))
    return _result(measured, expected)


def _measured(layer: Layer) -> float:
    """Mean squared query Jacobian over mean squared value Jacobian."""
    X = tokens(layer, DRAWS, 134)
    Q, K, V = weights(layer, DRAWS, 134)
    M = (X @ Q) @ np.swapaxes(X @ K, 1, 2) / np.sqrt(layer.dk)
    A = np.exp(M - M.max(axis=-1, keepdims=True))
    A /= A.sum(axis=-1, keepdims=True)
    mean = A @ X
    query = np.zeros(DRAWS)
    for i in range(layer.n):
        centred = X - mean[:, i : i + 1]
        inner = np.swapaxes(centred @ V, 1, 2) @ (A[:, i, :, None] * (centred @ K))
        query += (X[:, i] ** 2).sum(axis=1) * (inner**2).sum(axis=(1, 2)) / layer.dk
    return float(query.mean() / (layer.dv * (mean**2).sum(axis=(1, 2))).mean())


def roads() -> Mapping[str, Road]:
    """Error of the map and its direction, twice."""
    return {"library, autograd": by_library, "row forms by hand": by_hand}


def agree(case: float, first: Result, other: Result) -> bool:
    """Other draws."""
    return abs(first.error - other.error) < 0.12 and first.falls == other.falls


def holds(case: float, result: Result) -> bool:
    """Near for small tokens, apart for large ones, falling with rho."""
    return result.falls and (result.error > APART[case] if case in APART else result.error < NEAR)


def mutants() -> Mapping[str, Claim]:
    """Agreement at every scale or at none, and a rising map."""
    return {
        "theory is near at every input scale": lambda case, result: result.error < NEAR,
        "theory is far at every input scale": lambda case, result: result.error > 0.3,
        "the ratio rises with correlation": lambda case, result: not result.falls,
    }
