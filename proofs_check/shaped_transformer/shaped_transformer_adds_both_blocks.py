"""The full shaped Transformer adds drifts and noises of both blocks.   Source: noci2023shaped, Corollary 4.3."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proofs_check.shaped_transformer import _library
from proofs_check.shaped_transformer._results import Samples
from proofs_check.shaped_transformer._stopped import BIAS, Case, by_library, by_networks, has_law
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.C4.3",
    title="Corollary 4.3: dV = (b + b_res) dt + (Sigma + Sigma_res)^(1/2) dB for the shaped Transformer",
    statement=r"Attention, then the residual ReLU block, per unit of $l$: drifts and noises add; $\Sigma_{\rm lin}$ "
    r"carries $\gamma^2(4-\gamma^2)$ in total.",
    source="noci2023shaped, Corollary 4.3",
    scope="m = 3, unequal norms, gamma = 0.6, tau_0 = 0.4, slopes (1.5, -1.5), T = 0.5, r = 8, n = 60 (full: 120), "
    "exits tested at the same spacing; six distances within chance (1e-6) and 0.015 for the width",
    expected=Verdict.HOLDS,
    paper="ST",
    note="One V^{xbar xbar} in S2 is too close to be seen in a law; the one-step check ST.T4.2.drift sees it.",
)


def cases(level: str) -> Iterable[Case]:
    """Both blocks."""
    full = level == "full"
    yield Case("full", 0.6, 0.4, *((120, 60) if full else (60, 30)), 8.0, 8000 if full else 3000)


def roads() -> Mapping[str, Road]:
    """The stopped law, twice."""
    return {"networks drawn": by_networks, _library.SDE_ROAD: by_library}


def agree(case: Case, first: Samples, other: Samples) -> bool:
    """All distances within chance and 0.015."""
    return first.agrees(other, BIAS)


holds = has_law()


def mutants() -> Mapping[str, Claim]:
    """One part missing or counted twice."""
    gamma = 0.6
    return {
        "no ReLU drift": has_law(relu=0.0),
        "ReLU drift twice": has_law(relu=2.0),
        "no attention drift": has_law(drift=0.0),
        "the noise of attention only": has_law(linear=gamma**2 * (2 - gamma**2)),
    }
