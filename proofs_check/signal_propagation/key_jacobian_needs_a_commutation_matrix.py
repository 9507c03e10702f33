"""Keys: the Kronecker form of dS/dWK has a commutation matrix.   Source: noci2022signal, Lemma A.2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proofs_check.plain import signal_kronecker
from proofs_check.signal_propagation._results import Matrix, is_matrix, same_matrix
from proofs_check.signal_propagation._shapes import IDENTITY, Shape, arguments, flat, shapes
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.lemmaA2.keys",
    title="Keys: the Kronecker form of dS/dWK has a commutation matrix",
    statement=r"$\frac{\partial S}{\partial W_K}=\frac{1}{\sqrt{d_k}}(I_n\otimes W_V^\top X^\top)\frac{\partial "
    r"A}{\partial M}(XW_Q\otimes X)K_{d,d_k}$.",
    source="noci2022signal, Lemma A.2 (keys, omitted there)",
    scope=f"softmax attention without any assumption, four shapes with unequal n, d, dk, dv, {IDENTITY}",
    expected=Verdict.HOLDS,
    paper="SP",
    note="The paper leaves the keys out, as being of the same form; the weight enters transposed, hence K.",
)


def cases(level: str) -> Iterable[Shape]:
    """Shapes without and with an inverse temperature."""
    yield from shapes(level)
    yield from shapes(level, tau=2.7)


def by_autodiff(case: Shape) -> Matrix:
    """torch differentiates the layer."""
    from proofs_check.plain.signal_autodiff import jacobian

    return Matrix(jacobian("key", *arguments(case)))


def by_rows(case: Shape) -> Matrix:
    """The library's row form, without Kronecker products."""
    from seprank.signal.jacobians import key_jacobian
    from seprank.signal.layer import LayerWeights

    X, *weights, tau = arguments(case)
    return Matrix(flat(key_jacobian(X, LayerWeights(*weights), tau), case.n * case.dv))


def roads() -> Mapping[str, Road]:
    """The Jacobian, twice; the printed Kronecker form is the claim."""
    return {"reverse-mode differentiation": by_autodiff, "library, row form": by_rows}


agree = same_matrix
holds = is_matrix(lambda case: signal_kronecker.key_form(*arguments(case)))


def mutants() -> Mapping[str, Claim]:
    """Without the commutation matrix, and other scales."""
    return {
        "without K": is_matrix(lambda case: signal_kronecker.key_form(*arguments(case), commuted=False)),
        "without 1/sqrt(dk)": is_matrix(lambda case: signal_kronecker.key_form(*arguments(case)) * case.dk**0.5),
    }
