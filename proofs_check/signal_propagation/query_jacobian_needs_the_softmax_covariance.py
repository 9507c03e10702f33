"""Lemma A.2, queries: the Kronecker form of dS/dWQ.   Source: noci2022signal, Lemma A.2 (queries)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proofs_check.plain import signal_kronecker
from proofs_check.signal_propagation._results import Matrix, is_matrix, same_matrix
from proofs_check.signal_propagation._shapes import IDENTITY, Shape, arguments, flat, shapes
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.lemmaA2.queries",
    title="Lemma A.2, queries: the Kronecker form of dS/dWQ",
    statement=r"$\frac{\partial S}{\partial W_Q}=\frac{1}{\sqrt{d_k}}(I_n\otimes W_V^\top X^\top)\frac{\partial "
    r"A}{\partial M}(X\otimes XW_K)$, in rows $\frac1{\sqrt{d_k}}X_i^\top\otimes W_V^\top\Gamma_iW_K$.",
    source="noci2022signal, Lemma A.2 (queries)",
    scope=f"softmax attention without any assumption, four shapes with unequal n, d, dk, dv, {IDENTITY}",
    expected=Verdict.HOLDS,
    paper="SP",
    note="With an inverse temperature tau the whole has a factor tau.",
)


def cases(level: str) -> Iterable[Shape]:
    """Shapes without and with an inverse temperature."""
    yield from shapes(level)
    yield from shapes(level, tau=2.7)


def by_autodiff(case: Shape) -> Matrix:
    """torch differentiates the layer."""
    from proofs_check.plain.signal_autodiff import jacobian

    return Matrix(jacobian("query", *arguments(case)))


def by_rows(case: Shape) -> Matrix:
    """The library's row form, without Kronecker products."""
    from seprank.signal.jacobians import query_jacobian
    from seprank.signal.layer import LayerWeights

    X, *weights, tau = arguments(case)
    return Matrix(flat(query_jacobian(X, LayerWeights(*weights), tau), case.n * case.dv))


def roads() -> Mapping[str, Road]:
    """The Jacobian, twice; the printed Kronecker form is the claim."""
    return {"reverse-mode differentiation": by_autodiff, "library, row form": by_rows}


agree = same_matrix
holds = is_matrix(lambda case: signal_kronecker.query_form(*arguments(case)))


def mutants() -> Mapping[str, Claim]:
    """Factors in the other order, and other scales."""
    import numpy as np

    def swapped(case: Shape) -> np.ndarray:
        X, Q, K, V, tau = arguments(case)
        middle = signal_kronecker.softmax_derivative(signal_kronecker.attention(X, Q, K, tau))
        left = tau / case.dk**0.5 * np.kron(np.eye(case.n), V.T @ X.T)
        return left @ middle @ np.kron(X @ K, X)

    def diagonal(case: Shape) -> np.ndarray:
        X, Q, K, _, tau = arguments(case)
        A = signal_kronecker.attention(X, Q, K, tau)
        return signal_kronecker.query_form(*arguments(case), dA=np.diag(A.reshape(-1)))

    return {
        "X WK (x) X": is_matrix(swapped),
        "without 1/sqrt(dk)": is_matrix(lambda case: signal_kronecker.query_form(*arguments(case)) * case.dk**0.5),
        "softmax derivative diag A_i": is_matrix(diagonal),
    }
