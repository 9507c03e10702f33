"""E C(X_L) = (1 + alpha1^2)^L (1 + alpha2^2)^L C(X_0).   Source: noci2022signal, Lemma 3.2."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from proofs_check.estimate import Estimate
from proofs_check.signal_propagation._networks import Case, drawn_grams, estimate, input_tokens, linear_cases
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.lemma3.2",
    title="Lemma 3.2: the sum of all inner products grows by (1 + alpha1^2)(1 + alpha2^2) a block",
    statement=r"$C(X)=\sum_{k,k'}\langle X_k,X_{k'}\rangle$, diagonal included: $\mathbb "
    r"E\,C(X_L)=(1+\alpha_1^2)^L(1+\alpha_2^2)^L"
    r"C(X_0)$; with $\alpha_i^2=a_i/L$ the limit is $e^{a_1+a_2}C(X_0)$.",
    source="noci2022signal, Lemma 3.2",
    scope="uniform attention, linear branches, d_v = d, gain 1; n = 4 and 6, d = 16 and 32, L = 4 to 16, within 5 "
    "standard errors",
    expected=Verdict.HOLDS,
    paper="SP",
    note="Slips of the text: the prose before it says that the average angle between tokens increases with depth; "
    "the cosine "
    "does, the angle shrinks. The remark in its appendix prints two column indices in C(X) = sum X_kj X_kj'; it must "
    "be X_kj X_k'j. "
    "'Preserved' under 1/sqrt(L) means a factor that does not depend on L, up to e^(a1 + a2). With ReLU it is a "
    "lower bound.",
)

Sums = tuple[Estimate, Estimate]

cases = linear_cases


def by_networks(case: Case) -> Sums:
    """Networks drawn literally."""
    G = drawn_grams(case)
    return estimate(G.sum(axis=(1, 2))), estimate(G.sum(axis=(1, 2)) - np.trace(G, axis1=1, axis2=2))


def by_formula(case: Case) -> Sums:
    """The library's closed forms of Lemmas 3.2 and 3.3."""
    from seprank.signal.forward import expected_squared_norm, expected_total_inner_product

    sizes = case.network.L, case.network.alpha1, case.network.alpha2
    total = expected_total_inner_product(input_tokens(case), *sizes)
    return Estimate(total), Estimate(total - expected_squared_norm(input_tokens(case), *sizes))


def roads() -> Mapping[str, Road]:
    """C with and without its diagonal, twice."""
    return {"networks drawn": by_networks, "library": by_formula}


def agree(case: Case, first: Sums, other: Sums) -> bool:
    """Both within 5 standard errors."""
    return first[0].agrees(other[0]) and first[1].agrees(other[1])


def _growth(case: Case, power: int = 2) -> float:
    net = case.network
    return (1 + net.alpha1**power) ** net.L * (1 + net.alpha2**power) ** net.L


def holds(case: Case, result: Sums) -> bool:
    """Growth of C with its diagonal."""
    X = input_tokens(case)
    return result[0].agrees(Estimate(_growth(case) * float((X @ X.T).sum())))


def mutants() -> Mapping[str, Claim]:
    """C without its diagonal, and alpha not squared."""

    def off_diagonal(case: Case, result: Sums) -> bool:
        G = input_tokens(case) @ input_tokens(case).T
        return result[1].agrees(Estimate(_growth(case) * float(G.sum() - np.trace(G))))

    def not_squared(case: Case, result: Sums) -> bool:
        X = input_tokens(case)
        return result[0].agrees(Estimate(_growth(case, 1) * float((X @ X.T).sum())))

    return {"C without its diagonal grows likewise": off_diagonal, "1 + alpha in place of 1 + alpha^2": not_squared}
