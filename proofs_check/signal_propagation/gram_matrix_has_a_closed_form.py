"""The expected Gram matrix at any depth in closed form.   Source: noci2022signal, appendix A.3."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from proofs_check.estimate import Estimate
from proofs_check.signal_propagation._networks import Case, drawn_grams, estimate, input_tokens, linear_cases
from proofs_check.signal_propagation._results import all_numbers
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.sp.gram",
    title="E X_L X_L^T = (1 + alpha2^2)^L [X_0 X_0^T + ((1 + alpha1^2)^L - 1) ||mean||^2 J]",
    statement=r"Uniform attention, linear branches, $d_v=d$, $g=1$: $\mathbb "
    r"E[X_LX_L^\top]=(1+\alpha_2^2)^L[X_0X_0^\top+"
    r"((1+\alpha_1^2)^L-1)\|\bar x_0\|^2J]$, which contains Lemmas 3.2, 3.3 and Theorem 3.2.",
    source="noci2022signal, appendix A.3 (its recursion, solved)",
    scope="n = 4 and 6, d = 16 and 32, L = 4 to 16, alpha = 0.25 to 1, tokens of unequal norms, every entry within 5 "
    "standard errors",
    expected=Verdict.HOLDS,
    paper="SP",
    note="Two steps of the recursion that the paper unrolls, for the whole matrix at once.",
)

cases = linear_cases


def by_networks(case: Case) -> tuple[Estimate, ...]:
    """Networks drawn literally."""
    G = drawn_grams(case)
    return tuple(estimate(G[:, i, j]) for i in range(case.n) for j in range(i, case.n))


def by_recursion(case: Case) -> tuple[Estimate, ...]:
    """The library's recursion, layer by layer."""
    from seprank.signal.gram import gram_recursion

    X, net = input_tokens(case), case.network
    G = gram_recursion(X @ X.T, net.L, net.alpha1, net.alpha2)[-1]
    return tuple(Estimate(float(G[i, j])) for i in range(case.n) for j in range(i, case.n))


def roads() -> Mapping[str, Road]:
    """The upper triangle of the expected Gram matrix, twice."""
    return {"networks drawn": by_networks, "library, recursion": by_recursion}


def agree(case: Case, first: tuple[Estimate, ...], other: tuple[Estimate, ...]) -> bool:
    """Every entry within 5 standard errors."""
    return all(a.agrees(b) for a, b in zip(first, other, strict=True))


def _closed_form(case: Case, mean: bool = True, swapped: bool = False) -> tuple[float, ...]:
    X, net = input_tokens(case), case.network
    first, second = (net.alpha2, net.alpha1) if swapped else (net.alpha1, net.alpha2)
    shared = float((X.mean(axis=0) ** 2).sum()) if mean else 1.0
    G = (1 + second**2) ** net.L * (X @ X.T + ((1 + first**2) ** net.L - 1) * shared * np.ones((case.n, case.n)))
    return tuple(float(G[i, j]) for i in range(case.n) for j in range(i, case.n))


holds = all_numbers(_closed_form)


def mutants() -> Mapping[str, Claim]:
    """Another constant before J, and the branches swapped."""
    return {
        "J without ||mean||^2": all_numbers(lambda case: _closed_form(case, mean=False)),
        "alpha1 and alpha2 swapped": all_numbers(lambda case: _closed_form(case, swapped=True)),
    }
