"""Branches scaled by 1/sqrt(L) keep query gradients and tokens apart.   Source: noci2022signal, Fig. 3."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proofs_check.plain.signal_deep_draws import Deep
from proofs_check.signal_propagation import _deep_figures
from proofs_check.signal_propagation._deep_figures import Case, Profile, by_hand, by_library
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.fig3",
    title="Fig. 3: unscaled POST-LN branches reach high correlation in few layers and lose query gradients, scaled "
    "ones do not",
    statement=r"$L=12$, ReLU. $\alpha=1$: cosine above 0.85 in layer 7, squared query gradients fall by more than "
    r"$10^4$ and value gradients rise. $\alpha=1/\sqrt L$: cosine below 0.55 in the last layer, query gradients fall "
    r"by less than $10^{1.2}$.",
    source="noci2022signal, Fig. 3 and section 3.3",
    scope="true softmax, n = 16, d = 64, sigma = 1, loss <G, X_L> with Gaussian G; POST-LN, 12 seeds",
    expected=Verdict.HOLDS,
    paper="SP",
    note="The figure's sizes are lost. `seprank plot signal-scaling` draws it.",
)


def cases(level: str) -> Iterable[Case]:
    """Unscaled and scaled."""
    yield Deep(12, "post", 1.0), 12
    yield Deep(12, "post", 12**-0.5), 12


def roads() -> Mapping[str, Road]:
    """Cosines and gradients layer by layer, twice."""
    return {"library, networks": by_library, "networks by hand": by_hand}


agree = _deep_figures.agree


def holds(case: Case, result: Profile) -> bool:
    """High correlation and lost gradients where unscaled, neither where scaled."""
    if case[0].alpha == 1.0:
        return result.half.value > 0.85 and result.query.value < -4.0 and result.value.value > 0.0
    return result.last.value < 0.55 and result.query.value > -1.2


def mutants() -> Mapping[str, Claim]:
    """No difference between the two, or values falling as queries do."""
    return {
        "scales make no difference": lambda case, result: result.query.value < -4.0,
        "query gradients survive without scales, too": lambda case, result: result.query.value > -1.2,
        "value gradients fall with correlation": lambda case, result: result.value.value < 0.0,
    }
