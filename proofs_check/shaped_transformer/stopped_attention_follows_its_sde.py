"""Shaped attention networks, stopped, follow the covariance SDE.   Source: noci2023shaped, Theorem 4.2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proofs_check.shaped_transformer import _library
from proofs_check.shaped_transformer._results import Samples
from proofs_check.shaped_transformer._stopped import BIAS, Case, by_library, by_networks, has_law
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.T4.2.law",
    title="Theorem 4.2: stopped shaped attention networks have the law of the stopped SDE",
    statement=r"$V^{(n)}_{t\wedge T_r}\to V_{t\wedge T_r}$ in law for $dV=b\,dt+\Sigma^{1/2}dB$, "
    r"$T_r=\inf\{t:\|V_t\|\ge r\}$.",
    source="noci2023shaped, Theorem 4.2 and Definition 4.1",
    scope="m = 3, unequal norms, gamma = 0.6, tau_0 = 0.4, T = 0.5, r = 8, n = 60 (full: 150), exits tested at the "
    "same spacing; six Kolmogorov-Smirnov distances within chance (1e-6) and 0.015 for the width",
    expected=Verdict.HOLDS,
    paper="ST",
    note="Laws are compared on the stopped processes: unstopped paths may explode. Tests of the exit at unequal "
    "spacing alone cost a distance of 0.02. Small factors of S2 are left to ST.T4.2.drift (m >= 3, V not "
    "exchangeable).",
)


def cases(level: str) -> Iterable[Case]:
    """About 20 % of paths stop."""
    full = level == "full"
    yield Case("attention", 0.6, 0.4, *((150, 75) if full else (60, 30)), 8.0, 10_000 if full else 3000)


def roads() -> Mapping[str, Road]:
    """The stopped law, twice."""
    return {"networks drawn": by_networks, _library.SDE_ROAD: by_library}


def agree(case: Case, first: Samples, other: Samples) -> bool:
    """All distances within chance and 0.015."""
    return first.agrees(other, BIAS)


holds = has_law()


def mutants() -> Mapping[str, Claim]:
    """Without A, without drift, another multiple of Sigma_lin."""
    gamma = 0.6
    return {
        "no A": has_law(noise=0.0),
        "gamma^2 A": has_law(noise=gamma**-2),
        "gamma^2 Sigma_lin": has_law(linear=gamma**2),
        "no drift": has_law(drift=0.0),
    }
