"""Rank collapse kills query and key gradients for every attention matrix.   Source: noci2022signal, Theorem 3.1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from proofs_check.plain.signal_draws import Arrays, Layer, tokens, weights
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.thm3.1",
    title="Theorem 3.1: equal tokens have zero query and key gradients, while value and input gradients stay",
    statement=r"If $X^\top X=n\bar x\bar x^\top$ then $\partial S/\partial W_Q=\partial S/\partial W_K=0$, and so "
    r"are the "
    r"gradients of every loss; $\|\partial S/\partial W_V\|_F^2=d_vn\|\bar x\|^2$, $\partial S/\partial "
    r"X=\frac1nJ\otimes "
    r"W_V^\top$. Off collapse $\|\partial S/\partial W_Q\|_F^2\le\|W_V\|^2\|W_K\|^2\|X\|_F^2\|PX\|_F^4/d_k$.",
    source="noci2022signal, Theorem 3.1",
    scope="softmax attention without any assumption, random weights; equal tokens to 1e-12 of the scale ||X||^3, and "
    "tokens "
    "that differ by 1e-3 and 0.3 under the bound",
    expected=Verdict.HOLDS,
    paper="SP",
    note="Stronger than printed: no assumption on attention, since equal tokens have no covariance under any row of "
    "it.",
)


class Case(NamedTuple):
    """Sizes, spread of the tokens about the mean token, seed."""

    layer: Layer
    spread: float
    seed: int = 0


class Found(NamedTuple):
    """Query and key norms over ||X||^3 scale, squared value norm over dv n ||mean||^2, squared input norm over that of
    (J/n) (x) WV^T, squared query norm over its bound (0 at collapse)."""

    query: float
    key: float
    value: float
    input: float
    bound: float

    def __str__(self) -> str:
        return ", ".join(f"{name} {0.0 if abs(x) < 1e-12 else x:.3g}" for name, x in self._asdict().items())


def cases(level: str) -> Iterable[Case]:
    """Collapsed, nearly collapsed, and spread tokens."""
    for layer in (Layer(4, 6, 6, 6), Layer(3, 5, 2, 4), Layer(8, 16, 16, 16)):
        for spread in (0.0, 1e-3, 0.3):
            yield from (Case(layer, spread, seed) for seed in range(10 if level == "full" else 1))


def _draw(case: Case) -> Arrays:
    X = tokens(case.layer, 1, case.seed)[0]
    mean = X.mean(axis=0)
    Q, K, V = (W[0] for W in weights(case.layer, 1, case.seed))
    return mean + case.spread * (X - mean), Q, K, V


def _found(case: Case, norms: Mapping[str, float]) -> Found:
    X, Q, K, V = _draw(case)
    mean = X.mean(axis=0)
    size = float((X**2).sum())
    scale = np.linalg.norm(V, 2) * np.linalg.norm(K, 2) * size**1.5 / case.layer.dk**0.5
    key_scale = np.linalg.norm(V, 2) * np.linalg.norm(Q, 2) * size**1.5 / case.layer.dk**0.5
    spread = float(((X - mean) ** 2).sum()) if case.spread else 0.0
    bound = float(scale**2 / size**2 * spread**2)
    return Found(
        norms["query"] ** 0.5 / scale,
        norms["key"] ** 0.5 / key_scale,
        norms["value"] / (case.layer.dv * case.layer.n * float(mean @ mean)),
        norms["input"] / float((V**2).sum()),
        norms["query"] / bound if bound else 0.0,
    )


def by_autodiff(case: Case) -> Found:
    """torch differentiates the layer."""
    from proofs_check.plain.signal_autodiff import jacobian

    arguments = _draw(case)
    return _found(case, {name: float((jacobian(name, *arguments) ** 2).sum()) for name in Found._fields[:4]})


def by_rows(case: Case) -> Found:
    """The library's squared norms in row form."""
    from seprank.signal.jacobians import squared_norms
    from seprank.signal.layer import LayerWeights

    X, *matrices = _draw(case)
    return _found(case, squared_norms(X, LayerWeights(*matrices))._asdict())


def roads() -> Mapping[str, Road]:
    """Norms over their scales, twice."""
    return {"reverse-mode differentiation": by_autodiff, "library, row form": by_rows}


def agree(case: Case, first: Found, other: Found) -> bool:
    """Up to rounding."""
    return bool(np.allclose(first, other, rtol=1e-8, atol=1e-12))


def holds(case: Case, result: Found) -> bool:
    """Zero and not zero at collapse, and the bound off it."""
    if case.spread:
        return 0.0 < result.bound <= 1.0
    stays = abs(result.value - 1) < 1e-12 and abs(result.input - 1) < 1e-12
    return result.query < 1e-12 and result.key < 1e-12 and stays


def mutants() -> Mapping[str, Claim]:
    """All gradients vanish; none does; a bound of higher order."""

    def values_vanish(case: Case, result: Found) -> bool:
        return case.spread > 0 or result.value < 1e-12

    def nothing_vanishes(case: Case, result: Found) -> bool:
        return result.query > 1e-10

    def higher_order(case: Case, result: Found) -> bool:
        """||PX||^6 / ||X||^2 in place of ||PX||^4."""
        X = _draw(case)[0]
        part = ((X - X.mean(axis=0)) ** 2).sum() / (X**2).sum()
        return not case.spread or result.bound <= part

    return {
        "the value gradient vanishes, too": values_vanish,
        "the query gradient does not vanish": nothing_vanishes,
        "||PX||^6/||X||^2 in place of ||PX||^4": higher_order,
    }
