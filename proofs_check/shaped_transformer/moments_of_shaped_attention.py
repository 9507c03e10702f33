"""Moments of shaped attention matrices up to four factors.   Source: noci2023shaped, Lemmas C.3 to C.5."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import combinations

import numpy as np

from proofs_check.plain.shaped_formulas import s1, s2
from proofs_check.plain.shaped_moments import mean_and_error
from proofs_check.plain.shaped_samples import attention_powers
from proofs_check.shaped_transformer._cases import STARTS, Step
from proofs_check.shaped_transformer._results import Entries
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.C.3-C.5",
    title="Lemmas C.3 to C.5: moments of A to order 1/n, and the covariance of products of two entries",
    statement=r"With $\kappa_n=1/(\tau_0^2n)$: moments of two and four entries of $A$ are products of Kronecker deltas "
    r"plus $\kappa_nm^{-2}S_1$ over pairs plus $\kappa_n(2m)^{-1}S_2$ over single factors; in "
    r"$\mathrm{Cov}(A^{\alpha\alpha'}A^{\beta\beta'},A^{\delta\delta'}A^{\omega\omega'})$ only the four cross pairs "
    r"of $S_1$ remain.",
    source="noci2023shaped, Lemmas C.3, C.4 and C.5",
    scope="m = 3, n = 1000, nk = 2, tau_0 = 0.7; moments of two, of four, and the covariance, relative to the largest "
    "entry of each within 6 standard errors and 1 %",
    expected=Verdict.HOLDS,
    paper="ST",
)


def cases(level: str) -> Iterable[Step]:
    """One layer."""
    yield Step(3, 0.0, 0.7, 1000, 2, 200_000 if level == "full" else 15_000)


def _scaled(parts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([part.ravel() / SCALES[i] for i, part in enumerate(parts)])


SCALES = (0.25, 1.2, 0.8)  # the largest entries of the three lemmas, so that one relative tolerance fits all


def by_layers(case: Step) -> Entries:
    """n times the moments less the deltas, over logits and their negatives."""
    m, one = case.m, np.eye(case.m).ravel()
    delta = np.outer(one, one).ravel()
    P = attention_powers(STARTS[m], case.tau0, case.n, case.nk, case.draws, 22)
    A = (np.eye(m) + P).reshape(2, case.draws, m * m)
    pairs = np.einsum("sci,scj->scij", A, A).reshape(2, case.draws, -1)
    two, error = mean_and_error(pairs.mean(axis=0))
    four, four_error = _products(pairs)
    covariance, covariance_error = _products(pairs - two)
    means = [two - delta, four - np.outer(delta, delta), covariance]
    return Entries(case.n * _scaled(means), case.n * _scaled([error, four_error, covariance_error]))


def _products(B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean of B_i B_j over both signs and all draws, and its standard error over the pairs of signs."""
    count, both = B.shape[1], np.concatenate(B)
    mean = both.T @ both / (2 * count)
    mixed = B[0] * B[1]
    square = ((both**2).T @ both**2 + 2 * mixed.T @ mixed) / (4 * count)
    return mean, np.sqrt(np.maximum(square - mean**2, 0.0) / count)


def by_library(case: Step) -> Entries:
    """The library's second moment and covariance; the moment of four follows from them."""
    from seprank.shaped.moments import attention_product_covariance, attention_second_moment

    m, n, V = case.m, case.n, STARTS[case.m]
    two = np.asarray(attention_second_moment(V, n, case.tau0)).reshape(m**4)
    covariance = np.asarray(attention_product_covariance(V, n, case.tau0)).reshape(m**4, m**4)
    delta = np.outer(np.eye(m).ravel(), np.eye(m).ravel()).ravel()
    first = two - delta
    four = covariance + np.outer(first, delta) + np.outer(delta, first)
    return Entries(_scaled([n * first, n * four, n * covariance]))


@cache
def by_index(case: Step, pair: float = 1.0, single: float = 1.0) -> np.ndarray:
    """The three lemmas as sums over pairs of factors and single factors."""
    m, V, one = case.m, STARTS[case.m], np.eye(case.m).ravel()
    S1 = pair * s1(V).reshape(m * m, m * m) / m**2 / case.tau0**2
    S2 = single * s2(V).ravel() / (2 * m) / case.tau0**2
    two = S1 + np.outer(one, S2) + np.outer(S2, one)
    four, covariance = (np.zeros((m * m,) * 4) for _ in range(2))
    for i, j in combinations(range(4), 2):
        rest = [k for k in range(4) if k not in (i, j)]
        term = np.einsum(S1, [i, j], one, [rest[0]], one, [rest[1]], [0, 1, 2, 3])
        four += term
        covariance += term if (i < 2 <= j) else 0.0
    for i in range(4):
        four += np.einsum(S2, [i], *(x for k in range(4) if k != i for x in (one, [k])), [0, 1, 2, 3])
    return _scaled([two, four, covariance])


def roads() -> Mapping[str, Road]:
    """The three tensors, twice."""
    return {"layers drawn": by_layers, "library": by_library}


def agree(case: Step, first: Entries, other: Entries) -> bool:
    """6 standard errors (13203 entries) and 1 %."""
    return first.agrees(other, 6.0, 0.01)


def holds(case: Step, result: Entries) -> bool:
    """The lemmas."""
    return result.agrees(Entries(by_index(case)), 6.0, 0.01)


def mutants() -> Mapping[str, Claim]:
    """The factors of S1 and S2."""

    def variant(**wrong: float) -> Claim:
        return lambda case, result: result.agrees(Entries(by_index(case, **wrong)), 6.0, 0.01)

    return {
        "S2/m in place of S2/(2m)": variant(single=2.0),
        "no S2": variant(single=0.0),
        "S1/m in place of S1/m^2": variant(pair=3.0),
    }
