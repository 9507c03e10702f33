"""Removing any one ingredient degenerates the covariance within O(1) layers.   Source: noci2023shaped, section 4.1."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from proofs_check.plain.shaped_networks import softmax, source, tokens
from proofs_check.shaped_transformer._results import Entries, are_entries
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.unsh",
    title="Plain softmax attention collapses like lambda^(2l), the ablations explode or vanish, Pre-LN decays like 1/l",
    statement=r"Per layer: plain softmax $1-\rho\propto\lambda^{2l}$ ($2^{-l}$ and $V\propto2^l$ for "
    r"$\lambda=\gamma=1$); no centring $V\propto(1+3\gamma^2)^l$; no identity $V\propto\lambda^{2l}$; Pre-LN "
    r"attention with $\lambda=\gamma=1$ $1-\rho_l\approx D_0/(2l)$: a power, no exponential.",
    source="noci2023shaped, sections 4.1 and 4.2, Figures 1 and 4",
    scope="m = 2, gamma = 0.5, rho_0 = 0.2, n = 80 (full: 200), layers 10 to 20: rates of mean logarithms within 5 "
    "standard errors and 8 % (full: 5 %); Pre-LN: exponent within 15 %",
    expected=Verdict.HOLDS,
    paper="ST",
    note="So no SDE on the scale of depth proportional to width exists for them.",
)
GAMMA = 0.5
PLAIN, NO_CENTRING, NO_IDENTITY = (False, False, False), (True, False, True), (False, True, True)
KINDS = {  # identity, centring, temperature; unit weights; layer norm
    "plain": (PLAIN, False, False),
    "plain-unit": (PLAIN, True, False),
    "no-centring": (NO_CENTRING, False, False),
    "no-identity": (NO_IDENTITY, False, False),
    "pre-ln": (PLAIN, True, True),
}


class Case(NamedTuple):
    """Which attention, width, networks."""

    kind: str
    n: int
    networks: int


def cases(level: str) -> Iterable[Case]:
    """All five kinds."""
    yield from (Case(kind, *((200, 100) if level == "full" else (80, 60))) for kind in KINDS)


def _layer(X: np.ndarray, case: Case, draw: np.random.Generator) -> np.ndarray:
    """One layer with every weight drawn, for all networks (networks, 2, n)."""
    (identity, centred, tempered), unit, norm = KINDS[case.kind]
    n, nk, count = case.n, 4, len(X)
    seen = X / np.sqrt((X**2).mean(axis=2, keepdims=True)) if norm else X
    Q, K = (seen @ draw.standard_normal((count, n, nk)) / math.sqrt(n) for _ in range(2))
    A = softmax(Q @ np.swapaxes(K, 1, 2) / math.sqrt(nk * (n if tempered else 1)))
    A = A + identity * np.eye(2) - centred * 0.5
    branch = A @ seen @ draw.standard_normal((count, n, n)) / math.sqrt(n)
    return X + branch if unit else math.sqrt(1 - GAMMA**2) * X + GAMMA * branch


def _statistics(at: np.ndarray, before: np.ndarray) -> Entries:
    """Mean log growth of V^11 and of 1 - rho between layers 10 and 20, with errors: two rows (log V, log gap)."""
    change = np.array(at) - np.array(before)
    return Entries(change.mean(axis=1), change.std(axis=1, ddof=1) / math.sqrt(change.shape[1]))


def _logs(X: np.ndarray) -> np.ndarray:
    unit = X / np.linalg.norm(X, axis=2, keepdims=True)
    gap = ((unit[:, 0] - unit[:, 1]) ** 2).sum(axis=1) / 2
    return np.array([np.log((X[:, 0] ** 2).mean(axis=1)), np.log(np.maximum(gap, 1e-300))])


def by_weights(case: Case) -> Entries:
    """Networks with every weight drawn."""
    V0 = np.array([[1.0, 0.2], [0.2, 1.0]])
    X, draw = np.broadcast_to(tokens(V0, case.n), (case.networks, 2, case.n)), source(39)
    for layer in range(20):
        if layer == 10:
            before = _logs(X)
        X = _layer(X, case, draw)
    return _statistics(_logs(X), before)


def by_library(case: Case) -> Entries:
    """The library's networks of Gram factors."""
    from seprank.shaped.finite_variants import factors
    from seprank.shaped.full_variants import VARIANTS
    from seprank.shaped.setup import Setup

    setup = Setup(2, case.n, 20, GAMMA, 1.0, block="attention", head_dim=4, paths=20 * case.networks, seed=40)
    R = factors(setup, VARIANTS[case.kind], (10, 20))
    size = math.sqrt(R.shape[-1])  # rows of R have squared length V, as if n were the number of columns
    return _statistics(_logs(R[:, 1] * size), _logs(R[:, 0] * size))


def roads() -> Mapping[str, Road]:
    """Growth between layers 10 and 20, twice."""
    return {"weights drawn": by_weights, "library, Gram factors": by_library}


def agree(case: Case, first: Entries, other: Entries) -> bool:
    """Within 5 standard errors (in Pre-LN and shaped cases nothing is degenerate)."""
    return first.agrees(other)


@cache
def _rates() -> dict[str, tuple[int, float]]:
    """Which of (log V, log gap) is predicted, and its change over ten layers."""
    decay = 10 * math.log(1 - GAMMA**2)
    return {
        "plain": (1, decay),
        "plain-unit": (1, -10 * math.log(2)),
        "no-centring": (0, 10 * math.log(1 + 3 * GAMMA**2)),
        "no-identity": (0, decay),
        "pre-ln": (1, -math.log(2)),
    }


def _predicted(case: Case, result: Entries, value: float) -> bool:
    which = _rates()[case.kind][0]
    tolerance = 0.15 if case.kind == "pre-ln" else 0.08 if case.n < 200 else 0.05
    found = Entries(result.values[which : which + 1], result.errors[which : which + 1])
    return are_entries(lambda c: np.array([value]), tolerance)(case, found)


def holds(case: Case, result: Entries) -> bool:
    """The leading predictions."""
    return _predicted(case, result, _rates()[case.kind][1])


def mutants() -> Mapping[str, Claim]:
    """Pre-LN as an exponential, no-centring like plain attention, lambda^l."""

    def other(kind: str, value: float) -> Claim:
        return lambda case, result: case.kind != kind or _predicted(case, result, value)

    return {
        "Pre-LN collapses like 2^-l": other("pre-ln", -10 * math.log(2)),
        "without centring V grows like (1 + gamma^2)^l": other("no-centring", 10 * math.log(1 + GAMMA**2)),
        "plain softmax collapses like lambda^l": other("plain", 5 * math.log(1 - GAMMA**2)),
    }
