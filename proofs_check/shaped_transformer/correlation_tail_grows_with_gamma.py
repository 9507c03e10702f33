"""The 95th percentile of the correlation of residual networks grows with gamma.   Source: noci2023shaped, Figure 3."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from proofs_check.plain.shaped_laws import quantiles, residual_law
from proofs_check.shaped_transformer import _library
from proofs_check.shaped_transformer._results import Entries
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.fig3",
    title="Figure 3, right: the 95th percentile of the correlation in residual networks grows with gamma",
    statement=r"For two tokens under the residual SDE from $\rho_0=0.2$ at $T=1$, slopes $(0,-1)$, the 95 % quantile "
    r"of $\rho$ rises with $\gamma$; so does the median, and the 5 % quantile falls.",
    source="noci2023shaped, Figure 3",
    scope="gamma = 0.1, 0.3, 0.5, 0.7, 0.9, 1 at T = 1; the paper's values of gamma are lost with its caption",
    expected=Verdict.HOLDS,
    paper="ST",
    note="The 5 and 95 % quantiles spread to both ends since the random weights alone align tokens; the ReLU moves the "
    "median. Densities (left) are those of ST.T3.2.",
)
GAMMAS = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0)


class Case(NamedTuple):
    """The horizon."""

    T: float


def cases(level: str) -> Iterable[Case]:
    """T = 1."""
    yield Case(1.0)


def by_library(case: Case) -> Entries:
    """5, 50 and 95 % quantiles for every gamma."""
    return Entries(np.array([quantiles(*_library.residual_law(gamma**2, case.T)) for gamma in GAMMAS]), 1e-3)


def by_grid(case: Case) -> Entries:
    """The same from the birth-death chain."""
    return Entries(np.array([quantiles(*residual_law(0.2, gamma, case.T, 1.0)) for gamma in GAMMAS]), 1e-3)


def roads() -> Mapping[str, Road]:
    """Quantiles, twice."""
    return {_library.LAW_ROAD: by_library, "birth-death chain": by_grid}


def agree(case: Case, first: Entries, other: Entries) -> bool:
    """Within 0.007, which grids explain."""
    return first.agrees(other)


def _rises(result: Entries, signs: tuple[int, int, int]) -> bool:
    steps = np.diff(result.values, axis=0) * np.array(signs)
    return bool((steps > 0).all())


def holds(case: Case, result: Entries) -> bool:
    """5 % falls, 50 % and 95 % rise."""
    return _rises(result, (-1, 1, 1))


def mutants() -> Mapping[str, Claim]:
    """Other directions, and the value that the ODE gives."""
    return {
        "the 95 % quantile falls": lambda case, result: _rises(result, (-1, 1, -1)),
        "the 5 % quantile rises, too": lambda case, result: _rises(result, (1, 1, 1)),
        "at gamma^2 = 1/2 all quantiles are those of the ODE, 0.253": lambda case, result: bool(
            np.ptp(result.values[GAMMAS.index(0.7)]) < 0.1
        ),
    }
