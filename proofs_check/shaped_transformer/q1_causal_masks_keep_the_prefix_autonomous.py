"""Reviewers' question 1: masking leads to no issue.   Source: noci2023shaped, public reviews."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from proofs_check.plain import shaped_compact
from proofs_check.plain.shaped_formulas import attention_drift
from proofs_check.shaped_transformer._cases import FOUR
from proofs_check.shaped_transformer._results import Entries
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.Q1",
    title="Question 1: does causal masking work, and does it lead to issues?",
    statement=r"Under a causal mask the first $k$ tokens follow the SDE of $k$ masked tokens alone, and token 1 is not "
    r"mixed at all: $b^{11}=0$, $\mathcal A^{11,\cdot\cdot}=0$, so $V^{11}$ is geometric Brownian motion.",
    source="noci2023shaped, public reviews (question on decoder models with causal attention)",
    scope="prefixes k = 1 to 4 of one V of four tokens, exact to 1e-12; the coefficients themselves are checked on "
    "layers in ST.mask",
    expected=Verdict.HOLDS,
    paper="ST",
    note="Answer: it works for any mask (causal, padding, band) by centring row a over its m_a allowed tokens; drift "
    "and noise follow in closed form, the prefix is autonomous as a decoder needs it, and nothing becomes degenerate. "
    "With the unmasked coefficients one would be wrong by 22 to 87 % in the drift.",
)


class Case(NamedTuple):
    """Length of the prefix."""

    k: int


def cases(level: str) -> Iterable[Case]:
    """Every prefix."""
    yield from (Case(k) for k in (1, 2, 3, 4))


def _causal(m: int) -> np.ndarray:
    return np.tril(np.ones((m, m), bool))


def _flat(b: np.ndarray, A: np.ndarray, k: int) -> Entries:
    """Coefficients of the first k tokens."""
    return Entries(np.concatenate([b[:k, :k].ravel(), A[:k, :k, :k, :k].ravel()]))


def by_sums(case: Case) -> Entries:
    """b and A of four masked tokens, entry by entry, on the prefix."""
    mask = _causal(4)
    return _flat(shaped_compact.drift(FOUR, 1.0, 1.0, mask), shaped_compact.fourth_order(FOUR, mask), case.k)


def by_library(case: Case) -> Entries:
    """The same by the library."""
    from seprank.shaped.coefficients import attention_drift as drift
    from seprank.shaped.coefficients import score_covariance

    mask = _causal(4)
    return _flat(drift(FOUR, 1.0, 1.0, mask), score_covariance(FOUR, mask), case.k)


def roads() -> Mapping[str, Road]:
    """Coefficients on the prefix, twice."""
    return {"entry by entry": by_sums, "library": by_library}


def agree(case: Case, first: Entries, other: Entries) -> bool:
    """To 1e-12."""
    return bool(np.abs(first.values - other.values).max() <= 1e-12)


def _is(result: Entries, values: np.ndarray) -> bool:
    return bool(np.abs(result.values - values).max() <= 1e-12)


def holds(case: Case, result: Entries) -> bool:
    """Equal to the coefficients of k masked tokens alone; nothing happens to token 1."""
    k, mask = case.k, _causal(case.k)
    V = FOUR[:k, :k]
    alone = _flat(shaped_compact.drift(V, 1.0, 1.0, mask), shaped_compact.fourth_order(V, mask), k)
    A = result.values[k * k :].reshape(k, k, k, k)
    return _is(result, alone.values) and result.values[0] == 0 and not A[0, 0].any()


def mutants() -> Mapping[str, Claim]:
    """Coefficients without a mask, for the prefix and for all four."""

    def unmasked_prefix(case: Case, result: Entries) -> bool:
        V = FOUR[: case.k, : case.k]
        return _is(result, _flat(shaped_compact.drift(V, 1.0, 1.0), shaped_compact.fourth_order(V), case.k).values)

    def unmasked(case: Case, result: Entries) -> bool:
        return _is(result, _flat(attention_drift(FOUR, 1.0, 1.0), shaped_compact.fourth_order(FOUR), case.k).values)

    return {"the unmasked SDE of the prefix": unmasked_prefix, "the unmasked SDE of all tokens": unmasked}
