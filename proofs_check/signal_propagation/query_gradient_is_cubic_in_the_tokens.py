"""Expected squared norm of the Jacobian by the queries.   Source: noci2022signal, Lemma 3.1 (queries), eq. 7."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from proofs_check.estimate import Estimate
from proofs_check.plain.signal_draws import Layer, mean_and_error, tokens, weights
from proofs_check.plain.signal_formulas import Moments, moments, queries_given
from proofs_check.signal_propagation._results import is_number
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.lemma3.1.queries",
    title="Lemma 3.1, queries (eq. 7): sigma_v^2 sigma_k^2 dv/n^2 ||X||^2 ||X^T X - n mean mean^T||^2",
    statement=r"Under uniform attention $\mathbb E\|\partial S/\partial "
    r"W_Q\|_F^2=\frac{\sigma_v^2\sigma_k^2d_v}{n^2}\mathbb E[\|X\|_F^2\|X^\top X-n\bar x\bar "
    r"x^\top\|_F^2]$.",
    source="noci2022signal, Lemma 3.1 (queries), eq. 7",
    scope="the softmax layer at WQ = 0, where attention is exactly uniform; weights drawn, five sizes, within 5 "
    "standard errors",
    expected=Verdict.HOLDS,
    paper="SP",
    note="Only the first two moments of the weights matter: the cases hold uniform weights, too.",
)


class Case(NamedTuple):
    """Sizes, number of weight draws, whether weights are uniform instead of Gaussian."""

    layer: Layer
    draws: int
    uniform: bool = False


def cases(level: str) -> Iterable[Case]:
    """Correlations from 0 to 0.99, dk and dv unlike d."""
    draws = 8000 if level == "full" else 1500
    yield Case(Layer(4, 6, 6, 6), draws)
    yield Case(Layer(4, 6, 3, 5, 0.5), draws)
    yield Case(Layer(4, 6, 6, 6, 0.5), draws, uniform=True)
    yield Case(Layer(8, 6, 6, 6, 0.9), draws)
    if level == "full":
        yield Case(Layer(8, 16, 16, 16, 0.99, 4.0), 2000)


@cache
def _tokens(case: Case) -> np.ndarray:
    return tokens(case.layer, 1, 41)[0]


def _moments(case: Case) -> Moments:
    return moments(_tokens(case))


def by_autodiff(case: Case) -> Estimate:
    """torch differentiates the softmax layer at WQ = 0, weights drawn."""
    from proofs_check.plain.signal_autodiff import squared_norms

    Q, K, V = weights(case.layer, case.draws, 41, case.uniform)
    X = np.broadcast_to(_tokens(case), (case.draws, *_tokens(case).shape))
    return Estimate(*mean_and_error(squared_norms("query", X, 0 * Q, K, V)))


def by_formula(case: Case) -> Estimate:
    """The library's closed form."""
    from seprank.signal.expectations import expected_query_norm
    from seprank.signal.sizes import LayerSizes

    layer = case.layer
    return Estimate(expected_query_norm(_tokens(case), LayerSizes(layer.d, layer.dk, layer.dv)))


def roads() -> Mapping[str, Road]:
    """The expectation, by draws and in closed form."""
    return {"reverse-mode differentiation, weights drawn": by_autodiff, "library": by_formula}


def agree(case: Case, first: Estimate, other: Estimate) -> bool:
    """Within 5 standard errors."""
    return first.agrees(other)


holds = is_number(lambda case: queries_given(case.layer, _moments(case)))


def mutants() -> Mapping[str, Claim]:
    """Other matrices, other powers of n."""
    return {
        "X^T X in place of its centred form": is_number(
            lambda case: queries_given(case.layer, _moments(case)._replace(scatter=_moments(case).uncentred))
        ),
        "1/n in place of 1/n^2": is_number(lambda case: case.layer.n * queries_given(case.layer, _moments(case))),
    }
