"""Lemma A.3 (eq. 25): the Kronecker form of dS/dX.   Source: noci2022signal, Lemma A.3, eq. 25."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proofs_check.plain import signal_kronecker
from proofs_check.signal_propagation._results import Matrix, is_matrix, same_matrix
from proofs_check.signal_propagation._shapes import IDENTITY, Shape, arguments, flat, shapes
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.lemmaA3",
    title="Lemma A.3 (eq. 25): the Kronecker form of dS/dX",
    statement=r"$\frac{\partial S}{\partial X}=\frac1{\sqrt{d_k}}(I_n\otimes W_V^\top X^\top)\frac{\partial "
    r"A}{\partial M}\left(I_n\otimes XW_KW_Q^\top+K_{n,n}(I_n\otimes XW_QW_K^\top)\right)+A\otimes "
    r"W_V^\top$.",
    source="noci2022signal, Lemma A.3, eq. 25",
    scope=f"softmax attention without any assumption, four shapes with unequal n, d, dk, dv, {IDENTITY}",
    expected=Verdict.HOLDS,
    paper="SP",
    note="With an inverse temperature tau the first part has a factor tau.",
)


def cases(level: str) -> Iterable[Shape]:
    """Shapes without and with an inverse temperature."""
    yield from shapes(level)
    yield from shapes(level, tau=2.7)


def by_autodiff(case: Shape) -> Matrix:
    """torch differentiates the layer."""
    from proofs_check.plain.signal_autodiff import jacobian

    return Matrix(jacobian("input", *arguments(case)))


def by_rows(case: Shape) -> Matrix:
    """The library's row form, without Kronecker products."""
    from seprank.signal.jacobians import input_jacobian
    from seprank.signal.layer import LayerWeights

    X, *weights, tau = arguments(case)
    return Matrix(flat(input_jacobian(X, LayerWeights(*weights), tau), case.n * case.dv))


def roads() -> Mapping[str, Road]:
    """The Jacobian, twice; the printed Kronecker form is the claim."""
    return {"reverse-mode differentiation": by_autodiff, "library, row form": by_rows}


agree = same_matrix
holds = is_matrix(lambda case: signal_kronecker.input_form(*arguments(case)))


def mutants() -> Mapping[str, Claim]:
    """Without the commutation matrix, or a part left out."""
    import numpy as np

    def softmax_path_only(case: Shape) -> np.ndarray:
        X, Q, K, V, tau = arguments(case)
        return signal_kronecker.input_form(*arguments(case)) - np.kron(signal_kronecker.attention(X, Q, K, tau), V.T)

    return {
        "without K_{n,n}": is_matrix(lambda case: signal_kronecker.input_form(*arguments(case), commuted=False)),
        "without A (x) WV^T": is_matrix(softmax_path_only),
    }
