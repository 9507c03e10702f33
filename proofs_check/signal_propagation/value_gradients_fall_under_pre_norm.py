"""Value gradients fall with depth under PRE-LN and rise under POST-LN.   Source: noci2022signal, Fig. 10."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proofs_check.plain.signal_deep_draws import Deep
from proofs_check.signal_propagation import _deep_figures
from proofs_check.signal_propagation._deep_figures import Case, Profile, by_hand, by_library
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.fig10",
    title="Fig. 10: under PRE-LN query gradients are more stable than under POST-LN, and value gradients have the "
    "opposite trend",
    statement=r"$L=12$, $\alpha=1$, ReLU, last layer over first: squared value gradients fall under PRE-LN and rise "
    r"under POST-LN; squared query gradients fall by less than $10^3$ under PRE-LN and more than $10^4$ under POST-LN.",
    source="noci2022signal, Fig. 10 and appendix B.1",
    scope="true softmax, n = 16, d = 64, sigma = 1, loss <G, X_L> with Gaussian G; 12 seeds",
    expected=Verdict.HOLDS,
    paper="SP",
    note="The figure's sizes are lost. `seprank plot signal-pre-norm` draws it.",
)


def cases(level: str) -> Iterable[Case]:
    """Both places of layer norm."""
    yield Deep(12, "pre", 1.0), 12
    yield Deep(12, "post", 1.0), 12


def roads() -> Mapping[str, Road]:
    """Cosines and gradients layer by layer, twice."""
    return {"library, networks": by_library, "networks by hand": by_hand}


agree = _deep_figures.agree


def holds(case: Case, result: Profile) -> bool:
    """Opposite trends of the values, milder queries under PRE-LN."""
    if case[0].norm == "pre":
        return result.value.value < -0.2 and -3.0 < result.query.value
    return result.value.value > 0.2 and result.query.value < -4.0


def mutants() -> Mapping[str, Claim]:
    """The same trend in both, or the places swapped."""
    return {
        "value gradients rise in both": lambda case, result: result.value.value > 0.0,
        "value gradients fall in both": lambda case, result: result.value.value < 0.0,
        "query gradients are stable in both": lambda case, result: result.query.value > -3.0,
    }
