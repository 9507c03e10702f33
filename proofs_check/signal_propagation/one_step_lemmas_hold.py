"""Inner products through one step of a block.   Source: noci2022signal, Lemmas A.4, A.5, A.6."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from proofs_check.estimate import Estimate
from proofs_check.plain.signal_draws import mean_and_error
from proofs_check.signal_propagation._results import all_numbers
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.lemmaA4-6",
    title="Lemmas A.4, A.5, A.6: inner products through a linear map, a skip connection and uniform attention",
    statement=r"$\mathbb E\langle(XW)_k,(XW)_{k'}\rangle=d_{out}\sigma^2\langle X_k,X_{k'}\rangle$; $\mathbb "
    r"E\langle X_k+\alpha "
    r"F_k,X_{k'}+\alpha F_{k'}\rangle=\langle X_k,X_{k'}\rangle+\alpha^2\mathbb E\langle F_k,F_{k'}\rangle$; under "
    r"uniform "
    r"attention $\mathbb E\langle S_k,S_{k'}\rangle=\|\bar x\|^2$.",
    source="noci2022signal, Lemmas A.4, A.5, A.6",
    scope="n = 3, d = 8, every inner product, within 5 standard errors; exact sums over unit matrices to 1e-11, "
    "relative",
    expected=Verdict.HOLDS,
    paper="SP",
)

ALPHA = 0.6


class Case(NamedTuple):
    """Which step, draws of the weights."""

    step: str
    draws: int


def cases(level: str) -> Iterable[Case]:
    """The three steps."""
    yield from (Case(step, 100000 if level == "full" else 20000) for step in ("linear", "skip", "attention"))


def _tokens() -> np.ndarray:
    return np.random.default_rng(73).standard_normal((3, 8)) + 0.5


def _step(case: Case, X: np.ndarray, W: np.ndarray) -> np.ndarray:
    """One step with weights W (..., d, d)."""
    if case.step == "attention":
        return np.asarray(np.full((3, 3), 1 / 3) @ X @ W)
    return np.asarray(X @ W) if case.step == "linear" else np.asarray(X + ALPHA * (X @ W))


def by_draws(case: Case) -> tuple[Estimate, ...]:
    """Weights of variance 1/d drawn."""
    X, d = _tokens(), 8
    W = np.random.default_rng(74).standard_normal((case.draws, d, d)) / d**0.5
    S = _step(case, X, W)
    products = np.einsum("cki,cli->ckl", S, S).reshape(case.draws, -1)
    return tuple(Estimate(*mean_and_error(column)) for column in products.T)


def by_unit_matrices(case: Case) -> tuple[Estimate, ...]:
    """Exact: entries are uncorrelated, so the mean is the sum over unit matrices, and the value at W = 0."""
    X, d = _tokens(), 8
    still = _step(case, X, np.zeros((d, d)))
    total = still @ still.T
    for i in range(d):
        for j in range(d):
            W = np.zeros((d, d))
            W[i, j] = d**-0.5
            change = _step(case, X, W) - still
            total = total + change @ change.T
    return tuple(map(Estimate, total.reshape(-1).tolist()))


def roads() -> Mapping[str, Road]:
    """All inner products, by draws and by sums over unit matrices."""
    return {"weights drawn": by_draws, "sums over unit matrices": by_unit_matrices}


def agree(case: Case, first: tuple[Estimate, ...], other: tuple[Estimate, ...]) -> bool:
    """Within 5 standard errors."""
    return all(a.agrees(b) for a, b in zip(first, other, strict=True))


def _claim(case: Case, power: int = 2, mean: bool = True) -> tuple[float, ...]:
    X = _tokens()
    G = X @ X.T
    if case.step == "attention":
        G = np.full((3, 3), float((X.mean(axis=0) ** 2).sum())) if mean else G
    elif case.step == "skip":
        G = G + ALPHA**power * G
    return tuple(G.reshape(-1).tolist())


holds = all_numbers(_claim)


def mutants() -> Mapping[str, Claim]:
    """Other powers of alpha, and attention that keeps inner products."""
    return {
        "alpha in place of alpha^2": all_numbers(lambda case: _claim(case, power=1)),
        "uniform attention keeps every inner product": all_numbers(lambda case: _claim(case, mean=False)),
    }
