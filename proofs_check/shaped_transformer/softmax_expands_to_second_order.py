"""The softmax to second order in 1/tau.   Source: noci2023shaped, equation 8."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import mpmath
import numpy as np

from proofs_check.plain.shaped_networks import softmax
from proofs_check.shaped_transformer._results import Entries
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.E8",
    title="Equation 8: softmax(y/tau) to second order, with an error of third order",
    statement=r"$\mathrm{softmax}(y/\tau)_k=\frac1m+\frac{y_k-\bar y}{\tau m}+\frac{(y_k-\bar y)^2-"
    r"\overline{(y-\bar y)^2}}{2\tau^2m}+O(\tau^{-3})$.",
    source="noci2023shaped, equation 8",
    scope="m = 3 and 5, tau = 16 to 1024: the error times tau^3 flat to 10 %",
    expected=Verdict.HOLDS,
    paper="ST",
    note="The numerator of second order may also be written (y_k - mean y)^2 + (mean y)^2 - mean y^2.",
)
TAUS = tuple(2.0**k for k in range(4, 11))


class Case(NamedTuple):
    """Tokens and seed."""

    m: int
    seed: int


def cases(level: str) -> Iterable[Case]:
    """Random rows."""
    yield from (Case(m, seed) for m in (3, 5) for seed in range(4 if level == "full" else 2))


def _row(case: Case) -> np.ndarray:
    return np.random.default_rng([case.seed, case.m]).standard_normal(case.m)


def by_floats(case: Case) -> Entries:
    """Softmax in float64 at every tau."""
    return Entries(np.array([softmax(_row(case) / tau) for tau in TAUS]))


def by_mpmath(case: Case) -> Entries:
    """Exponentials with 40 digits."""
    found = []
    with mpmath.workdps(40):
        for tau in TAUS:
            powers = [mpmath.exp(mpmath.mpf(float(y)) / tau) for y in _row(case)]
            found.append([float(power / mpmath.fsum(powers)) for power in powers])
    return Entries(np.array(found))


def roads() -> Mapping[str, Road]:
    """The rows, twice."""
    return {"float64": by_floats, "40 digits": by_mpmath}


def agree(case: Case, first: Entries, other: Entries) -> bool:
    """To 1e-15."""
    return first.agrees(other, relative=1e-15)


def _expansion(y: np.ndarray, tau: float, second: float = 1.0, spread: bool = True) -> np.ndarray:
    square = (y - y.mean()) ** 2
    tail = square - square.mean() if spread else square
    return 1 / len(y) + (y - y.mean()) / (tau * len(y)) + second * tail / (2 * tau**2 * len(y))


def _is_third_order(expansion: Callable[[np.ndarray, float], np.ndarray]) -> Claim:
    def claim(case: Case, result: Entries) -> bool:
        errors = [
            np.abs(found - expansion(_row(case), tau)).max() for found, tau in zip(result.values, TAUS, strict=True)
        ]
        scaled = np.array(errors) * np.array(TAUS) ** 3
        return bool(scaled.max() <= 1.1 * scaled.min())

    return claim


holds = _is_third_order(_expansion)


def mutants() -> Mapping[str, Claim]:
    """The second-order term dropped, doubled, or not centred."""
    return {
        "no second order": _is_third_order(lambda y, tau: _expansion(y, tau, 0.0)),
        "second order doubled": _is_third_order(lambda y, tau: _expansion(y, tau, 2.0)),
        "squares not centred": _is_third_order(lambda y, tau: _expansion(y, tau, spread=False)),
    }
