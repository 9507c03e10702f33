"""K_{m,p} (A (x) B) = (B (x) A) K_{q,r}.   Source: noci2022signal, appendix A.1 (after Magnus and Neudecker)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from proofs_check.plain.signal_kronecker import commutation
from proofs_check.signal_propagation._results import Matrix, is_matrix, same_matrix
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.kswap",
    title="Commutation matrices swap the factors of a Kronecker product",
    statement=r"$K_{m,p}(A\otimes B)=(B\otimes A)K_{q,r}$ for $A\in\mathbb R^{m\times q}$, $B\in\mathbb R^{p\times "
    r"r}$, where "
    r"$K_{a,b}\mathrm{vec}_r(Y)=\mathrm{vec}_r(Y^\top)$; $K_{a,b}^{-1}=K_{a,b}^\top=K_{b,a}$.",
    source="noci2022signal, appendix A.1 (commutation step of Lemma A.3)",
    scope="random whole-number matrices of five shapes, square and not, exact",
    expected=Verdict.HOLDS,
    paper="SP",
    note="Written for row-wise vectorisation; for square blocks, as in the paper, the two conventions are the same.",
)


class Case(NamedTuple):
    """A is m x q, B is p x r."""

    m: int
    q: int
    p: int
    r: int
    seed: int = 0


def cases(level: str) -> Iterable[Case]:
    """Square and unequal shapes."""
    for sizes in ((2, 2, 2, 2), (2, 3, 4, 2), (3, 1, 2, 4), (1, 3, 3, 2), (4, 4, 3, 3)):
        yield from (Case(*sizes, seed) for seed in range(4 if level == "full" else 1))


def _draw(case: Case) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng([case.seed, 22])
    return draw.integers(-9, 10, (case.m, case.q)), draw.integers(-9, 10, (case.p, case.r))


def by_matrices(case: Case) -> Matrix:
    """K_{m,p} as a matrix, times numpy.kron."""
    A, B = _draw(case)
    return Matrix(commutation(case.m, case.p) @ np.kron(A, B))


def by_transposing(case: Case) -> Matrix:
    """Rows of A (x) B taken in the order of the transposed index, without any matrix K."""
    A, B = _draw(case)
    product = np.einsum("ij,kl->kijl", A, B)  # row (k, i) where A (x) B has row (i, k)
    return Matrix(product.reshape(case.m * case.p, case.q * case.r))


def roads() -> Mapping[str, Road]:
    """The left side, twice."""
    return {"matrices": by_matrices, "transposed indices": by_transposing}


agree = same_matrix
holds = is_matrix(lambda case: np.kron(_draw(case)[1], _draw(case)[0]) @ commutation(case.q, case.r), 0.0)


def mutants() -> Mapping[str, Claim]:
    """The factors swapped without commutation, and the other K."""
    return {
        "A (x) B = B (x) A": is_matrix(lambda case: np.kron(_draw(case)[1], _draw(case)[0]), 0.0),
        "K_{r,q} in place of K_{q,r}": is_matrix(
            lambda case: np.kron(_draw(case)[1], _draw(case)[0]) @ commutation(case.r, case.q), 0.0
        ),
    }
