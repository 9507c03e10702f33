"""E ||X_L||^2: the mean token grows by both branches, the rest by one.   Source: noci2022signal, Lemma 3.3."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from proofs_check.estimate import Estimate
from proofs_check.signal_propagation._networks import Case, drawn_grams, estimate, input_tokens, linear_cases
from proofs_check.signal_propagation._results import is_number
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.lemma3.3",
    title="Lemma 3.3: the squared norm grows by both branches in the mean token, by feed-forward alone in the "
    "deviation",
    statement=r"$\mathbb E\|X_L\|_F^2=n(1+\alpha_1^2)^L(1+\alpha_2^2)^L\|\bar "
    r"x_0\|^2+(1+\alpha_2^2)^L(\|X_0\|_F^2-n\|\bar x_0\|^2)$; "
    r"with $\alpha_i^2=a_i/L$ the limit is $ne^{a_1+a_2}\|\bar x_0\|^2+e^{a_2}(\|X_0\|_F^2-n\|\bar x_0\|^2)$.",
    source="noci2022signal, Lemma 3.3",
    scope="uniform attention, linear branches, d_v = d, gain 1; n = 4 and 6, d = 16 and 32, L = 4 to 16, within 5 "
    "standard errors",
    expected=Verdict.HOLDS,
    paper="SP",
    note="Appendix A.3 refers to a Theorem 3.3 for its assumptions, which does not exist; they are those of Theorem "
    "3.2.",
)

cases = linear_cases


def by_networks(case: Case) -> Estimate:
    """Networks drawn literally."""
    return estimate(np.trace(drawn_grams(case), axis1=1, axis2=2))


def by_formula(case: Case) -> Estimate:
    """The library's closed form."""
    from seprank.signal.forward import expected_squared_norm

    return Estimate(expected_squared_norm(input_tokens(case), case.network.L, case.network.alpha1, case.network.alpha2))


def roads() -> Mapping[str, Road]:
    """The expected squared norm, twice."""
    return {"networks drawn": by_networks, "library": by_formula}


def agree(case: Case, first: Estimate, other: Estimate) -> bool:
    """Within 5 standard errors."""
    return first.agrees(other)


def _norm(case: Case, deviation_too: bool = False, mean_too: bool = True) -> float:
    X, net = input_tokens(case), case.network
    attention, feed_forward = (1 + net.alpha1**2) ** net.L, (1 + net.alpha2**2) ** net.L
    mean = case.n * float((X.mean(axis=0) ** 2).sum())
    rest = float((X**2).sum()) - mean
    return feed_forward * ((attention if mean_too else 1) * mean + (attention if deviation_too else 1) * rest)


holds = is_number(_norm)


def mutants() -> Mapping[str, Claim]:
    """Both factors everywhere, and attention without effect."""
    return {
        "both factors on the deviation, too": is_number(lambda case: _norm(case, deviation_too=True)),
        "the feed-forward factor alone": is_number(lambda case: _norm(case, mean_too=False)),
    }
