"""Expected squared norm of the Jacobian by the keys.   Source: noci2022signal, Lemma 3.1 (keys)."""

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
    id="SP.lemma3.1.keys",
    title="Lemma 3.1, keys: the same expected squared norm as for the queries",
    statement=r"Under uniform attention $\mathbb E\|\partial S/\partial W_K\|_F^2=\mathbb E\|\partial S/\partial "
    r"W_Q\|_F^2$.",
    source="noci2022signal, Lemma 3.1 (keys)",
    scope="the softmax layer at WK = 0, where attention is exactly uniform; weights drawn, five sizes, within 5 "
    "standard errors",
    expected=Verdict.HOLDS,
    paper="SP",
    note="",
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
    """torch differentiates the softmax layer at WK = 0, weights drawn."""
    from proofs_check.plain.signal_autodiff import squared_norms

    Q, K, V = weights(case.layer, case.draws, 41, case.uniform)
    X = np.broadcast_to(_tokens(case), (case.draws, *_tokens(case).shape))
    return Estimate(*mean_and_error(squared_norms("key", X, Q, 0 * K, V)))


def by_formula(case: Case) -> Estimate:
    """The library's closed form."""
    from seprank.signal.expectations import expected_key_norm
    from seprank.signal.sizes import LayerSizes

    layer = case.layer
    return Estimate(expected_key_norm(_tokens(case), LayerSizes(layer.d, layer.dk, layer.dv)))


def roads() -> Mapping[str, Road]:
    """The expectation, by draws and in closed form."""
    return {"reverse-mode differentiation, weights drawn": by_autodiff, "library": by_formula}


def agree(case: Case, first: Estimate, other: Estimate) -> bool:
    """Within 5 standard errors."""
    return first.agrees(other)


holds = is_number(lambda case: queries_given(case.layer, _moments(case)))


def mutants() -> Mapping[str, Claim]:
    """A factor dk, and its inverse."""
    return {
        "an extra factor dk": is_number(lambda case: case.layer.dk * queries_given(case.layer, _moments(case))),
        "a factor dk less": is_number(lambda case: queries_given(case.layer, _moments(case)) / case.layer.dk),
    }
