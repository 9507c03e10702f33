"""||A - J/n|| falls like 1/dk with the stated prefactor.   Source: noci2022signal, assumption 3.1 and appendix A.5."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from proofs_check.estimate import Estimate
from proofs_check.plain.signal_draws import Layer, mean_and_error, tokens, weights
from proofs_check.plain.signal_softmax import attention
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.assumption3.1",
    title="Attention tends to 1/n as dk grows with the tokens fixed, at the rate 1/dk",
    statement=r"With $\mathrm{Var}(W_Q)=\mathrm{Var}(W_K)=1/d_k$ and $X$, $n$, $d$ fixed, $A\to\frac1nJ$ almost "
    r"surely as "
    r"$d_k\to\infty$, with $\mathbb E\|A-\frac1nJ\|_F^2\approx\frac{1}{n^2d_k^2}\|X\|_F^2\|PX\|_F^2$.",
    source="noci2022signal, assumption 3.1 and appendix A.5",
    scope="n = 6, d = 16, rho = 0.6, dk = 256 to 4096 (full: 16384), within 8 % and 5 standard errors; "
    "and d = dk = 17 to 256 at sigma = 1",
    expected=Verdict.HOLDS,
    paper="SP",
    note="The text keeps d_v fixed; d and X must be, too, since at d_k = d, sigma = 1 the logits keep a spread of 1 "
    "at every width "
    "(the cases d = dk). With the fan-in variance 1/d nothing converges. It calls A and dA/dM continuous functions "
    "of A; they are of M. "
    "The rate is ours. The exact wording of the assumption is lost.",
)


class Case(NamedTuple):
    """Token width, query width, draws."""

    d: int
    dk: int
    draws: int

    @property
    def fixed(self) -> bool:
        return self.d != self.dk


def cases(level: str) -> Iterable[Case]:
    """dk at fixed tokens, then width and dk together."""
    full = level == "full"
    for dk in (256, 1024, 4096, *((16384,) if full else ())):
        yield Case(16, dk, 150 if full else 60)
    for d in (17, 64, 256):
        yield Case(d, d, 60)


@cache
def _tokens(case: Case) -> np.ndarray:
    return tokens(Layer(6, case.d, 1, 1, 0.6 if case.fixed else 0.0), 1, 86)[0]


def _draw(case: Case) -> tuple[np.ndarray, np.ndarray]:
    Q, K, _ = weights(Layer(6, case.d, case.dk, 1), case.draws, 86)
    return Q, K


@cache
def by_draws(case: Case) -> Estimate:
    """dk^2 ||A - J/n||^2 of softmax layers drawn, or without the factor where d = dk."""
    Q, K = _draw(case)
    X = np.broadcast_to(_tokens(case), (case.draws, 6, case.d))
    deviation = ((attention(X, Q, K) - 1 / 6) ** 2).sum(axis=(1, 2))
    return Estimate(*mean_and_error(deviation * (case.dk**2 if case.fixed else 1)))


def by_library(case: Case) -> Estimate:
    """The library's leading order at fixed tokens, its attention matrix elsewhere."""
    from seprank.signal.layer import LayerWeights, attention
    from seprank.signal.sizes import LayerSizes
    from seprank.signal.uniform import attention_deviation

    if case.fixed:
        return Estimate(case.dk**2 * attention_deviation(_tokens(case), LayerSizes(case.d, case.dk)))
    V = np.zeros((case.d, 1))
    found = [attention(_tokens(case), LayerWeights(q, k, V)) for q, k in zip(*_draw(case), strict=True)]
    return Estimate(*mean_and_error([((A - 1 / 6) ** 2).sum() for A in found]))


def roads() -> Mapping[str, Road]:
    """dk^2 E ||A - J/n||^2 (E ||A - J/n||^2 where d = dk), twice."""
    return {"weights drawn": by_draws, "library": by_library}


def agree(case: Case, first: Estimate, other: Estimate) -> bool:
    """Within 8 % and 5 standard errors."""
    return first.agrees(other, relative=0.08)


def _claim(case: Case, result: Estimate, factor: float) -> bool:
    X = _tokens(case)
    spread = float((X**2).sum() * ((X - X.mean(axis=0)) ** 2).sum()) / 36
    return result.agrees(Estimate(factor * spread), relative=0.08)


def holds(case: Case, result: Estimate) -> bool:
    """The prefactor at fixed tokens; no approach to 1/n where width and dk grow together."""
    return _claim(case, result, 1.0) if case.fixed else result.value > 0.3


def mutants() -> Mapping[str, Claim]:
    """Fan-in variances, another spread, another limit."""

    def fan_in(case: Case, result: Estimate) -> bool:
        return not case.fixed or _claim(case, result, (case.dk / case.d) ** 2)

    def not_centred(case: Case, result: Estimate) -> bool:
        X = _tokens(case)
        return not case.fixed or _claim(case, result, float((X**2).sum() / ((X - X.mean(axis=0)) ** 2).sum()))

    def any_width(case: Case, result: Estimate) -> bool:
        return case.fixed or result.value < 40 / case.d

    return {
        "the same with the variance 1/d, rate 0": fan_in,
        "||X||^4 in place of ||X||^2 ||PX||^2": not_centred,
        "d = dk to infinity gives uniform attention": any_width,
    }
