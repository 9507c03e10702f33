"""The logarithm of the residual of pure attention triples every layer.   Source: noci2022signal, introduction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from proofs_check.plain.signal_collapse import residual_logarithms
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.collapse",
    title="Without skips the rank collapses doubly exponentially: the logarithm of the residual triples with every "
    "layer",
    statement=r"$X_{l+1}=A_lX_lW_V^l$: $\log\|R_{l+1}\|/\log\|R_l\|\to3$, $R=X-\mathbf1\bar x^\top$.",
    source="noci2022signal, introduction (after dong2021attention)",
    scope="true softmax, n = 6, d = 8, 6 layers (quick: 5), 400 digits, three draws: logarithms equal to 1e-9, last "
    "ratio in [2.9, 3.2]",
    expected=Verdict.HOLDS,
    paper="SP",
    note="In float64 the residual is right through the third layer and then stays at 1e-15. dong2021attention bounds "
    "a composite norm; "
    "this is the Frobenius norm.",
)

DIGITS = 400


class Case(NamedTuple):
    """Seed and depth."""

    seed: int
    L: int


class Logs(tuple[float, ...]):
    """log10 of the residual for the input and behind every layer."""

    def __str__(self) -> str:
        return ", ".join(f"{x:.3f}" for x in self)


def cases(level: str) -> Iterable[Case]:
    """Three draws."""
    yield from (Case(seed, 6 if level == "full" else 5) for seed in range(3))


@cache
def by_mpmath(case: Case) -> Logs:
    """mpmath, from the definition, at the draws that the library documents."""

    def weights(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        draw = np.random.default_rng(seed)
        q, k, v = (8**-0.5 * draw.standard_normal((8, 8)) for _ in range(3))
        return q, k, v

    X = np.random.default_rng(case.seed).standard_normal((6, 8))
    layers = [weights(case.seed + 2**32 * layer) for layer in range(1, case.L + 1)]
    return Logs(residual_logarithms(X, layers, DIGITS))


def by_balls(case: Case) -> Logs:
    """The library in ball arithmetic."""
    from seprank.signal.extended import collapse

    found = collapse(6, 8, case.L, DIGITS, seed=case.seed)
    return Logs(layer.log10_residual for layer in found.layers)


def roads() -> Mapping[str, Road]:
    """log10 of the residuals, twice."""
    return {"mpmath": by_mpmath, "library, ball arithmetic": by_balls}


def agree(case: Case, first: Logs, other: Logs) -> bool:
    """Every logarithm to 1e-9."""
    return len(first) == len(other) and bool(np.allclose(first, other, rtol=1e-9, atol=1e-9))


def _last_ratio(low: float, high: float) -> Claim:
    return lambda case, result: low <= result[-1] / result[-2] <= high


holds = _last_ratio(2.9, 3.2)


def mutants() -> Mapping[str, Claim]:
    """Slower and faster collapse."""
    return {"single exponential, ratio to 1": _last_ratio(0.9, 1.5), "squares, ratio to 2": _last_ratio(1.8, 2.3)}
