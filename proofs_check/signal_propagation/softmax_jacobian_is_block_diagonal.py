"""The derivative of softmax is the block diagonal of diag(A_i) - A_i A_i^T.   Source: noci2022signal, eq. 23."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from proofs_check.plain.signal_kronecker import softmax_derivative
from proofs_check.signal_propagation._results import Matrix, is_matrix
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.eq23",
    title="Softmax by rows has the Jacobian blockdiag(diag A_i - A_i A_i^T)",
    statement=r"$\partial A/\partial M=\mathrm{blockdiag}_i(\mathrm{diag}(A_i)-A_iA_i^\top)$ for "
    r"$A=\mathrm{softmax}(M)$ by rows.",
    source="noci2022signal, eq. 23 (number inferred)",
    scope="random logits of four sizes and spreads from 0 to 5; 1e-6 relative against central differences, 1e-11 "
    "between the others",
    expected=Verdict.HOLDS,
    paper="SP",
)


class Case(NamedTuple):
    """Logits of shape (n, m) with standard deviation `spread`."""

    n: int
    m: int
    spread: float
    seed: int = 0


def cases(level: str) -> Iterable[Case]:
    """From uniform attention to nearly one-hot rows."""
    for n, m, spread in ((2, 2, 0.0), (3, 3, 1.0), (2, 5, 2.0), (4, 4, 5.0)):
        yield from (Case(n, m, spread, seed) for seed in range(5 if level == "full" else 1))


def _logits(case: Case) -> np.ndarray:
    return case.spread * np.random.default_rng([case.seed, 23]).standard_normal((case.n, case.m))


def by_autodiff(case: Case) -> Matrix:
    """torch differentiates softmax."""
    from proofs_check.plain.signal_autodiff import softmax_jacobian

    return Matrix(softmax_jacobian(_logits(case)))


def by_differences(case: Case) -> Matrix:
    """Central differences of numpy's exponentials, step 1e-6."""
    M, h = _logits(case), 1e-6

    def softmax(logits: np.ndarray) -> np.ndarray:
        E = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(E / E.sum(axis=1, keepdims=True)).reshape(-1)

    columns = []
    for k in range(M.size):
        step = np.zeros(M.shape)
        step.flat[k] = h
        columns.append((softmax(M + step) - softmax(M - step)) / (2 * h))
    return Matrix(np.stack(columns, axis=1))


def roads() -> Mapping[str, Road]:
    """The Jacobian, twice."""
    return {"reverse-mode differentiation": by_autodiff, "central differences": by_differences}


def agree(case: Case, first: Matrix, other: Matrix) -> bool:
    """Differences are right to 1e-6."""
    return first.near(other, 1e-6)


def _softmax(case: Case) -> np.ndarray:
    E = np.exp(_logits(case))
    return np.asarray(E / E.sum(axis=1, keepdims=True))


holds = is_matrix(lambda case: softmax_derivative(_softmax(case)))


def mutants() -> Mapping[str, Claim]:
    """Without the outer product, and with blocks that mix rows."""
    return {
        "diag A_i only": is_matrix(lambda case: np.diag(_softmax(case).reshape(-1))),
        "twice the outer product": is_matrix(
            lambda case: 2 * softmax_derivative(_softmax(case)) - np.diag(_softmax(case).reshape(-1))
        ),
    }
