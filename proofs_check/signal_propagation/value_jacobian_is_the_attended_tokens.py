"""Lemma A.2, values: dS/dWV = A X (x) I.   Source: noci2022signal, Lemma A.2 (values)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proofs_check.plain import signal_kronecker
from proofs_check.signal_propagation._results import Matrix, is_matrix, same_matrix
from proofs_check.signal_propagation._shapes import IDENTITY, Shape, arguments, flat, shapes
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.lemmaA2.values",
    title="Lemma A.2, values: dS/dWV = A X (x) I",
    statement=r"$\partial S/\partial W_V=AX\otimes I_{d_v}$.",
    source="noci2022signal, Lemma A.2 (values)",
    scope=f"softmax attention without any assumption, four shapes with unequal n, d, dk, dv, {IDENTITY}",
    expected=Verdict.HOLDS,
    paper="SP",
    note="",
)


def cases(level: str) -> Iterable[Shape]:
    """Shapes without and with an inverse temperature."""
    yield from shapes(level)
    yield from shapes(level, tau=2.7)


def by_autodiff(case: Shape) -> Matrix:
    """torch differentiates the layer."""
    from proofs_check.plain.signal_autodiff import jacobian

    return Matrix(jacobian("value", *arguments(case)))


def by_rows(case: Shape) -> Matrix:
    """The library's row form, without Kronecker products."""
    from seprank.signal.jacobians import value_jacobian
    from seprank.signal.layer import LayerWeights

    X, *weights, tau = arguments(case)
    return Matrix(flat(value_jacobian(X, LayerWeights(*weights), tau), case.n * case.dv))


def roads() -> Mapping[str, Road]:
    """The Jacobian, twice; the printed Kronecker form is the claim."""
    return {"reverse-mode differentiation": by_autodiff, "library, row form": by_rows}


agree = same_matrix
holds = is_matrix(lambda case: signal_kronecker.value_form(*arguments(case)))


def mutants() -> Mapping[str, Claim]:
    """The tokens in place of the attended tokens, and another norm."""
    import numpy as np

    def without_attention(case: Shape) -> np.ndarray:
        X, _, _, V, _ = arguments(case)
        return np.kron(X, np.eye(V.shape[1]))

    return {
        "X (x) I": is_matrix(without_attention),
        "1/dv A X (x) I": is_matrix(lambda case: signal_kronecker.value_form(*arguments(case)) / case.dv),
    }
