"""The leading correction to eq. 17 is tau^2 dv/dk (18).   Source: derived from noci2022signal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from proofs_check.estimate import Estimate
from proofs_check.plain.signal_draws import Layer, mean_and_error, tokens, weights
from proofs_check.plain.signal_formulas import eq18_exact
from proofs_check.plain.signal_softmax import attention
from proofs_check.signal_propagation._results import is_number
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.sp.correction",
    title="The leading correction of softmax to eq. 17 is tau^2 dv/dk times the expected squared query gradient",
    statement=r"To second order in the logits $\mathbb E\|\partial S/\partial "
    r"W_V\|_F^2\approx(17)+\tau^2\frac{d_v}{d_k}(18)$, with the exact "
    r"form of (18): the variance that attention adds to $AX$ is the energy of the query gradient.",
    source="noci2022signal, eq. 17 and 18, assumption 3.1; docs/signal.md, Validity",
    scope="true softmax, logit standard deviation up to 0.32, d_v and d_k unlike d, tau = 2; the excess within 8 % "
    "and 5 standard errors",
    expected=Verdict.HOLDS,
    paper="SP",
    note="seprank reports this ratio to eq. 17 with every prediction, beside the standard deviation of the logits.",
)


class Case(NamedTuple):
    """Sizes and draws."""

    layer: Layer
    draws: int


def cases(level: str) -> Iterable[Case]:
    """Small logits, unlike widths, an inverse temperature."""
    draws = 1500 if level == "full" else 300
    yield Case(Layer(16, 64, 64, 64, 0.0, 0.5), draws)
    yield Case(Layer(8, 16, 16, 16, 0.0, 0.4), 4 * draws)
    yield Case(Layer(16, 64, 64, 32, 0.0, 0.4, 2.0), draws)
    yield Case(Layer(16, 64, 32, 64, 0.2, 0.35), draws)


@cache
def by_draws(case: Case) -> Estimate:
    """dv (||A X||^2 - ||J X/n||^2) of softmax layers drawn."""
    layer = case.layer
    X = tokens(layer, case.draws, 87)
    Q, K, _ = weights(layer, case.draws, 87)
    attended = ((attention(X, Q, K, layer.tau) @ X) ** 2).sum(axis=(1, 2))
    uniform = layer.n * (X.mean(axis=1) ** 2).sum(axis=1)
    return Estimate(*mean_and_error(layer.dv * (attended - uniform)))


def by_formula(case: Case) -> Estimate:
    """The library's excess."""
    from seprank.signal.sizes import LayerSizes
    from seprank.signal.tokens import GaussianTokens
    from seprank.signal.uniform import value_excess

    n, d, dk, dv, rho, sigma, tau = case.layer
    return Estimate(value_excess(GaussianTokens(n, d, rho, sigma), LayerSizes(d, dk, dv, tau)))


def roads() -> Mapping[str, Road]:
    """What softmax adds to eq. 17, twice."""
    return {"tokens and weights drawn": by_draws, "library": by_formula}


def agree(case: Case, first: Estimate, other: Estimate) -> bool:
    """Within 8 % and 5 standard errors."""
    return first.agrees(other, relative=0.08)


def _excess(case: Case, tau: bool = True, widths: bool = True) -> float:
    layer = case.layer
    return (layer.tau**2 if tau else 1) * (layer.dv / layer.dk if widths else 1) * eq18_exact(layer)


holds = is_number(_excess, 0.08)


def mutants() -> Mapping[str, Claim]:
    """Without the widths, without the temperature."""
    return {
        "1 in place of dv/dk": is_number(lambda case: _excess(case, widths=False), 0.08),
        "without tau^2": is_number(lambda case: _excess(case, tau=False), 0.08),
    }
