"""An inverse temperature tau scales query and key gradient norms by tau.   Source: noci2022signal, section 3.4."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from proofs_check.estimate import Estimate
from proofs_check.plain.signal_draws import Arrays, Layer, ratio_and_error, tokens, weights
from proofs_check.signal_propagation._results import is_number
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.tau",
    title="An inverse temperature scales the norm of query and key gradients by tau, the squared norm by tau^2",
    statement=r"With $A=\mathrm{softmax}(\tau M)$, $\|\partial S/\partial W_Q\|$ and $\|\partial S/\partial W_K\|$ "
    r"are scaled "
    r"by $\tau$ as long as $A$ stays near $\frac1nJ$: $\mathbb E\|\cdot\|_F^2$ by $\tau^2$.",
    source="noci2022signal, section 3.4 and appendix C.2",
    scope="true softmax, n = 8, d = dk = dv = 16, sigma = 1/4, rho = 0 and 0.5, tau = 2 and 3, within 5 standard "
    "errors "
    "and 2.5 %; the exact factor tau at fixed softmax is part of SP.lemmaA2.queries and .keys",
    expected=Verdict.HOLDS,
    paper="SP",
    note="'Scaled by tau' is true of the norm; eq. 17 and 18 are squared norms and scale by tau^2. The text does not "
    "say "
    "which it used for tau = 8.5 (SP.tau-eq).",
)


class Case(NamedTuple):
    """Correlation, inverse temperature, which weight, draws."""

    rho: float
    tau: float
    name: str
    draws: int


def cases(level: str) -> Iterable[Case]:
    """Queries and keys."""
    draws = 600 if level == "full" else 80
    yield from (Case(rho, tau, name, draws) for rho in (0.0, 0.5) for tau in (2.0, 3.0) for name in ("query", "key"))


def _draw(case: Case) -> Arrays:
    layer = Layer(8, 16, 16, 16, case.rho, 0.25)
    return tokens(layer, case.draws, 31), *weights(layer, case.draws, 31)


def by_autodiff(case: Case) -> Estimate:
    """torch differentiates the layer with and without tau, at the same draws."""
    from proofs_check.plain.signal_autodiff import squared_norms

    arguments = _draw(case)
    found = [squared_norms(case.name, *arguments, tau=tau) for tau in (case.tau, 1.0)]
    return Estimate(*ratio_and_error(*found))


def by_rows(case: Case) -> Estimate:
    """The library's squared norms in row form."""
    from seprank.signal.jacobians import squared_norms
    from seprank.signal.layer import LayerWeights

    X, *matrices = _draw(case)
    found = [
        np.array(
            [
                getattr(squared_norms(x, LayerWeights(*(W[i] for W in matrices)), tau), case.name)
                for i, x in enumerate(X)
            ]
        )
        for tau in (case.tau, 1.0)
    ]
    return Estimate(*ratio_and_error(*found))


def roads() -> Mapping[str, Road]:
    """The ratio of squared norms with tau and without, twice."""
    return {"reverse-mode differentiation": by_autodiff, "library, row form": by_rows}


def agree(case: Case, first: Estimate, other: Estimate) -> bool:
    """The same draws: equal up to rounding."""
    return first.agrees(other, sigmas=0.0, relative=1e-9)


holds = is_number(lambda case: case.tau**2, relative=0.025)


def mutants() -> Mapping[str, Claim]:
    """Other powers."""
    return {
        "the squared norm scales by tau": is_number(lambda case: case.tau, relative=0.025),
        "by tau^4": is_number(lambda case: case.tau**4, relative=0.025),
    }
