"""Near collapse the squared query gradient falls like (1 - rho)^2.   Source: noci2022signal, Theorem 3.1 and eq. 18."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from proofs_check.estimate import Estimate
from proofs_check.plain.signal_draws import Layer, log_slope, mean_and_error, weights
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.sp.rate",
    title="With true softmax the squared query gradient vanishes like (1 - rho)^2, the softmax path of the input "
    "like 1 - rho",
    statement=r"As $\rho\to1$: $\mathbb E\|\partial S/\partial W_Q\|^2,\mathbb E\|\partial S/\partial "
    r"W_K\|^2\propto(1-\rho)^2$ and "
    r"$\mathbb E\|\partial S/\partial X-A\otimes W_V^\top\|^2\propto1-\rho$.",
    source="noci2022signal, Theorem 3.1, Lemma 3.1 (input) and eq. 18",
    scope="true softmax, n = 8, d = dk = dv = 16, sigma = 1, 1 - rho = 0.03 to 1e-4, slopes within 0.1 and 5 "
    "standard errors",
    expected=Verdict.HOLDS,
    paper="SP",
    note="The slope 1 of the input is that of the piece A2 (SP.lemma3.1.input), which the printed lemma takes to be "
    "as small as A1.",
)

GAPS = (0.03, 0.01, 1e-3, 1e-4)
SLOPES = (2.0, 2.0, 1.0)
Slopes = tuple[Estimate, ...]


class Case(NamedTuple):
    """Draws, the same ones for every gap."""

    draws: int
    seed: int = 61


def cases(level: str) -> Iterable[Case]:
    """More draws on the full level."""
    yield Case(300 if level == "full" else 60)


def _tokens(case: Case, gap: float) -> np.ndarray:
    draw = np.random.default_rng([case.seed, 3])
    shared = draw.standard_normal((case.draws, 1, 16))
    own = draw.standard_normal((case.draws, 8, 16))
    return (1 - gap) ** 0.5 * shared + gap**0.5 * own


def _slopes(norms: Any) -> Slopes:
    """Slopes of ten groups of draws, from norms (3, gaps, draws)."""
    found = []
    for kind in norms:
        groups = [group.mean(axis=1) for group in np.array_split(kind, 10, axis=1)]
        found.append(Estimate(*mean_and_error([log_slope(GAPS, group) for group in groups])))
    return tuple(found)


def by_autodiff(case: Case) -> Slopes:
    """torch differentiates the layer, and the layer with its attention held fixed."""
    from proofs_check.plain.signal_autodiff import softmax_path, squared_norms

    matrices = weights(Layer(8, 16, 16, 16), case.draws, case.seed)
    norms = []
    for gap in GAPS:
        X = _tokens(case, gap)
        path = softmax_path(X, *matrices, shrink=1.0)
        norms.append([squared_norms("query", X, *matrices), squared_norms("key", X, *matrices), path])
    return _slopes(np.array(norms).transpose(1, 0, 2))


def by_rows(case: Case) -> Slopes:
    """The library's Jacobians in row form."""
    from seprank.signal.jacobians import input_jacobian, squared_norms
    from seprank.signal.layer import LayerWeights, attention

    matrices = weights(Layer(8, 16, 16, 16), case.draws, case.seed)
    norms = np.zeros((3, len(GAPS), case.draws))
    for g, gap in enumerate(GAPS):
        for i, X in enumerate(_tokens(case, gap)):
            drawn = LayerWeights(*(W[i] for W in matrices))
            found = squared_norms(X, drawn)
            path = input_jacobian(X, drawn) - np.einsum("ip,av->ivpa", attention(X, drawn), drawn.value)
            norms[:, g, i] = found.query, found.key, (path**2).sum()
    return _slopes(norms)


def roads() -> Mapping[str, Road]:
    """Log-log slopes in 1 - rho of queries, keys, and the softmax path of the input, twice."""
    return {"reverse-mode differentiation": by_autodiff, "library, row form": by_rows}


def agree(case: Case, first: Slopes, other: Slopes) -> bool:
    """The same draws: equal up to rounding."""
    return all(a.agrees(b, sigmas=0.0, relative=1e-6) for a, b in zip(first, other, strict=True))


def _claim(slopes: tuple[float, ...]) -> Claim:
    return lambda case, result: all(
        abs(found.value - slope) <= 0.1 + 5 * found.error for found, slope in zip(result, slopes, strict=True)
    )


holds = _claim(SLOPES)


def mutants() -> Mapping[str, Claim]:
    """Other powers of 1 - rho."""
    return {"slope 1 for the queries": _claim((1.0, 1.0, 1.0)), "slope 2 for the input": _claim((2.0, 2.0, 2.0))}
