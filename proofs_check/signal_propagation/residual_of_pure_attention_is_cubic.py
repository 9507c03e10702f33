"""One layer of pure attention: a cubic residual.   Source: derived; noci2022signal, introduction."""

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
    id="NEW.sp.cubic",
    title="Pure attention: E ||R'||^2 = sigma_v^2 dv sigma_k^4/n^2 ||R||^2 ||R^T R||^2 to leading order, cubic in "
    "the residual",
    statement=r"$X'=AXW_V$ without skips, $R=PX$: $\mathbb "
    r"E\|R'\|_F^2\approx\frac{\sigma_v^2d_v\sigma_k^4}{n^2}\|R\|_F^2\|R^\top R\|_F^2$ for "
    r"small $R$, whatever the mean token.",
    source="noci2022signal, introduction (rank collapse of pure attention); docs/signal.md, Pure attention",
    scope="true softmax, entries of R of size 0.05 and 0.01, three sizes, with and without a mean token, within 3 % "
    "and 5 standard errors; "
    "slope of the norm 3 within 0.01",
    expected=Verdict.HOLDS,
    paper="SP",
    note="The rate is that of dong2021attention, who bound a composite norm by a constant times its cube.",
)


class Case(NamedTuple):
    """Sizes, entry size of R, whether the mean token is 1 in every entry, draws."""

    layer: Layer
    size: float
    mean: bool
    draws: int


class Found(NamedTuple):
    """E ||R'||^2 over size^6, and the slope of ||R'|| from this size to its half at the same weights."""

    norm: Estimate
    slope: float

    def __str__(self) -> str:
        return f"{self.norm}, slope {self.slope:.3f}"


def cases(level: str) -> Iterable[Case]:
    """Two sizes of the residual."""
    full = level == "full"
    draws = 3000 if full else 600
    for layer in (Layer(8, 16, 16, 16), Layer(8, 16, 8, 12), *((Layer(16, 32, 32, 32),) if full else ())):
        for size in (0.05, 0.01):
            yield from (Case(layer, size, mean, draws) for mean in (False, True))


@cache
def _tokens(case: Case) -> np.ndarray:
    X = tokens(case.layer, 1, 90)[0]
    return case.size * (X - X.mean(axis=0)) + (1.0 if case.mean else 0.0)


def _residuals(case: Case, X: np.ndarray) -> np.ndarray:
    Q, K, V = weights(case.layer, case.draws, 90)
    batch = np.broadcast_to(X, (case.draws, *X.shape))
    S = (attention(batch, Q, K) - 1 / len(X)) @ (batch - X.mean(axis=0)) @ V  # P A X V = P (A - J/n) R V
    return np.asarray(((S - S.mean(axis=1, keepdims=True)) ** 2).sum(axis=(1, 2)))


@cache
def by_draws(case: Case) -> Found:
    """Softmax layers drawn, at this size and at half of it."""
    X = _tokens(case)
    whole, half = _residuals(case, X), _residuals(case, X.mean(axis=0) + (X - X.mean(axis=0)) / 2)
    slope = float(np.log2(whole.mean() / half.mean()) / 2)
    return Found(Estimate(*mean_and_error(whole / case.size**6)), slope)


def by_formula(case: Case) -> Found:
    """The library's law, at this size and at half of it."""
    from seprank.signal.collapse_law import next_residual
    from seprank.signal.sizes import LayerSizes

    X, sizes = _tokens(case), LayerSizes(case.layer.d, case.layer.dk, case.layer.dv)
    whole, half = (next_residual(X.mean(axis=0) + (X - X.mean(axis=0)) * s, sizes) for s in (1.0, 0.5))
    return Found(Estimate(whole / case.size**6), float(np.log2(whole / half) / 2))


def roads() -> Mapping[str, Road]:
    """Residual and slope, twice."""
    return {"weights drawn": by_draws, "library": by_formula}


def agree(case: Case, first: Found, other: Found) -> bool:
    """Within 3 % and 5 standard errors; slopes within 0.01."""
    return first.norm.agrees(other.norm, relative=0.03) and abs(first.slope - other.slope) <= 0.01


def _law(case: Case, whole_norm: bool = False) -> float:
    layer, X = case.layer, _tokens(case)
    R = X - X.mean(axis=0)
    norm = float(((X if whole_norm else R) ** 2).sum())
    return norm * float(((R.T @ R) ** 2).sum()) / (layer.n * layer.dk) ** 2 / case.size**6


def holds(case: Case, result: Found) -> bool:
    """The law and its slope."""
    return result.norm.agrees(Estimate(_law(case)), relative=0.03) and abs(result.slope - 3) <= 0.01


def mutants() -> Mapping[str, Claim]:
    """Another norm, another power."""
    return {
        "||X||^2 in place of ||R||^2": lambda case, result: result.norm.agrees(
            Estimate(_law(case, True)), relative=0.03
        ),
        "quadratic": lambda case, result: abs(result.slope - 2) <= 0.1,
    }
