"""Tokens of a deep POST-LN network collapse, and query gradients vanish with them.   Source: noci2022signal, Fig. 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proofs_check.plain.signal_deep_draws import Deep
from proofs_check.signal_propagation import _deep_figures
from proofs_check.signal_propagation._deep_figures import Case, Profile, by_hand, by_library
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.fig1",
    title="Fig. 1: in a deep POST-LN network tokens collapse and query gradients vanish, value gradients do not",
    statement=r"$\alpha=1$, ReLU: the mean cosine is above 0.99 from layer $L/2$ on; in the last layer the squared "
    r"query gradient is below $10^{-6}$ ($L=24$; $10^{-20}$ at $L=48$) of the value gradient, which is larger than in "
    r"the first.",
    source="noci2022signal, Fig. 1 and Theorem 3.1",
    scope="true softmax, n = 16, d = 64, sigma = 1, loss <G, X_L> with Gaussian G; L = 24 (full: 48, too), 8 seeds",
    expected=Verdict.HOLDS,
    paper="SP",
    note="The figure's sizes are lost. `seprank plot signal-depth` draws it.",
)


def cases(level: str) -> Iterable[Case]:
    """Depths."""
    yield Deep(24, "post", 1.0), 8
    if level == "full":
        yield Deep(48, "post", 1.0), 8


def roads() -> Mapping[str, Road]:
    """Cosines and gradients layer by layer, twice."""
    return {"library, networks": by_library, "networks by hand": by_hand}


agree = _deep_figures.agree


def holds(case: Case, result: Profile) -> bool:
    """Collapse, vanishing queries, growing values."""
    least = -6.0 if case[0].L == 24 else -20.0
    return result.half.value > 0.99 and result.ratio.value < least and result.value.value > 0.0


def mutants() -> Mapping[str, Claim]:
    """Gradients that vanish together or not at all, tokens that stay apart."""
    return {
        "value gradients vanish, too": lambda case, result: result.value.value < -1.0,
        "query gradients keep up with value gradients": lambda case, result: result.ratio.value > -3.0,
        "tokens stay apart": lambda case, result: result.last.value < 0.9,
    }
