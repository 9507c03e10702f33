"""Exact symmetries of drift and noise of shaped attention.   Source: noci2023shaped, Theorem 4.2 (consequences)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from proofs_check.plain.shaped_formulas import attention_drift, attention_noise, packed
from proofs_check.shaped_transformer._results import Entries
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.hom",
    title="b is cubic and A quartic in V; collapse is absorbing; tokens may be permuted; duplicates stay duplicates",
    statement=r"$b(\epsilon V)=\epsilon^3b(V)$, $\mathcal A(\epsilon V)=\epsilon^4\mathcal A(V)$; "
    r"$b=\mathcal A=0$ at $V=v\mathbf 1\mathbf 1^\top$; $b$ and $\mathcal A$ commute with permutations; for equal "
    r"tokens $V^{\alpha\alpha}-2V^{\alpha\beta}+V^{\beta\beta}$ has drift and noise 0.",
    source="noci2023shaped, Theorem 4.2 (consequences)",
    scope="random V, m = 2 to 5, to 1e-11 relative; index form and the library's compact form agree to 1e-12",
    expected=Verdict.HOLDS,
    paper="ST",
    note="Hence (V_0, tau_0) and (eps V_0, eps tau_0) are the same model up to scale.",
)


class Case(NamedTuple):
    """Which symmetry, tokens, seed."""

    what: str
    m: int
    seed: int


def cases(level: str) -> Iterable[Case]:
    """Every symmetry; sizes up to 5."""
    sizes = (2, 3, 4, 5) if level == "full" else (2, 3)
    yield from (Case(what, m, m) for what in ("scale", "collapse", "permute", "duplicate") for m in sizes)


def _pair(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """The two covariances that a symmetry compares."""
    draw = np.random.default_rng([case.seed, 31])
    X = draw.standard_normal((case.m, case.m + 2))
    if case.what == "duplicate":
        X[1] = X[0]
    V = X @ X.T / case.m
    if case.what == "collapse":
        V = np.full((case.m, case.m), 1.7)
    if case.what == "permute":
        order = np.roll(np.arange(case.m), 1)
        return V, V[np.ix_(order, order)]
    return V, 2 * V


def _flat(coefficients: list[tuple[np.ndarray, np.ndarray]]) -> Entries:
    return Entries(np.concatenate([np.concatenate([b.ravel(), A.ravel()]) for b, A in coefficients]))


def by_index(case: Case) -> Entries:
    """b and A at both covariances, index form."""
    return _flat([(attention_drift(V, 1.0, 1.0), packed(attention_noise(V))) for V in _pair(case)])


def by_library(case: Case) -> Entries:
    """The same by the library's compact form."""
    from seprank.shaped.coefficients import attention_drift as drift
    from seprank.shaped.coefficients import packed as entries
    from seprank.shaped.coefficients import score_covariance

    return _flat([(drift(V, 1.0, 1.0), entries(score_covariance(V))) for V in _pair(case)])


def roads() -> Mapping[str, Road]:
    """Coefficients at two covariances, twice."""
    return {"index form": by_index, "library, compact form": by_library}


def agree(case: Case, first: Entries, other: Entries) -> bool:
    """To 1e-12 of the largest entry; at collapse up to rounding."""
    if case.what == "collapse":
        return bool(np.abs(first.values - other.values).max() <= 1e-12)
    return first.agrees(other, relative=1e-12)


def _split(case: Case, result: Entries) -> list[tuple[np.ndarray, np.ndarray]]:
    m, M = case.m, case.m * (case.m + 1) // 2
    halves = np.split(result.values, 2)
    return [(half[: m * m].reshape(m, m), half[m * m :].reshape(M, M)) for half in halves]


def _near(first: np.ndarray, second: np.ndarray, scale: float) -> bool:
    return bool(np.abs(first - second).max() <= 1e-11 * scale)


def _symmetric(case: Case, result: Entries, cubic: float = 3.0, quartic: float = 4.0) -> bool:
    (b, A), (c, B) = _split(case, result)
    size, a = float(np.abs(result.values).max()), case.m
    if case.what == "scale":
        return _near(c, 2**cubic * b, size) and _near(B, 2**quartic * A, size)
    if case.what == "collapse":
        return size <= 1e-12
    rows, columns = np.triu_indices(a)
    place = {pair: i for i, pair in enumerate(zip(rows.tolist(), columns.tolist(), strict=True))}
    if case.what == "permute":
        order = np.roll(np.arange(a), 1)
        moved = [place[tuple(sorted((order[i], order[j])))] for i, j in zip(rows, columns, strict=True)]
        return _near(c, b[np.ix_(order, order)], size) and _near(B, A[np.ix_(moved, moved)], size)
    direction = np.zeros(len(rows))
    direction[[place[0, 0], place[0, 1], place[1, 1]]] = 1.0, -2.0, 1.0
    return abs(b[0, 0] - 2 * b[0, 1] + b[1, 1]) <= 1e-11 * size and abs(direction @ A @ direction) <= 1e-11 * size


def holds(case: Case, result: Entries) -> bool:
    """The symmetry of the case."""
    return _symmetric(case, result)


def mutants() -> Mapping[str, Claim]:
    """Other degrees."""
    return {
        "A is cubic": lambda case, result: _symmetric(case, result, quartic=3.0),
        "b is quadratic": lambda case, result: _symmetric(case, result, cubic=2.0),
    }
