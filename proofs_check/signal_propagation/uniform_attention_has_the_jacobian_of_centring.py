"""At uniform attention the softmax Jacobian is 1/n I (x) P.   Source: noci2022signal, eq. 24."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from proofs_check.plain.signal_kronecker import centring
from proofs_check.signal_propagation._results import Matrix, is_matrix, same_matrix
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.eq24",
    title="At uniform attention the softmax Jacobian is 1/n I (x) (I - J/n)",
    statement=r"At $A=\frac1nJ$: $\partial A/\partial M=\frac1nI_n\otimes P$, $P=I_n-\frac1nJ$.",
    source="noci2022signal, eq. 24",
    scope="n = 2..6 (full: to 12), to 1e-11, relative",
    expected=Verdict.HOLDS,
    paper="SP",
)


def cases(level: str) -> Iterable[int]:
    """Numbers of tokens."""
    return range(2, 13 if level == "full" else 7)


def by_autodiff(case: int) -> Matrix:
    """torch differentiates softmax at M = 0."""
    from proofs_check.plain.signal_autodiff import softmax_jacobian

    return Matrix(softmax_jacobian(np.zeros((case, case))))


def by_entries(case: int) -> Matrix:
    """The entry form with Kronecker deltas in fractions: delta_ip (delta_jq/n - 1/n^2)."""
    from fractions import Fraction

    n = case
    index = [(i, j) for i in range(n) for j in range(n)]
    rows = [[(i == p) * ((j == q) * Fraction(1, n) - Fraction(1, n * n)) for p, q in index] for i, j in index]
    return Matrix(np.array(rows, dtype=float))


def roads() -> Mapping[str, Road]:
    """The Jacobian, twice."""
    return {"reverse-mode differentiation": by_autodiff, "entry form in fractions": by_entries}


agree = same_matrix
holds = is_matrix(lambda n: np.kron(np.eye(n), centring(n)) / n)


def mutants() -> Mapping[str, Claim]:
    """A form that would not vanish on equal tokens, and another factor."""
    return {
        "1/n I (x) I, which does not vanish under collapse": is_matrix(lambda n: np.eye(n * n) / n),
        "1/n^2 I (x) P": is_matrix(lambda n: np.kron(np.eye(n), centring(n)) / n**2),
    }
