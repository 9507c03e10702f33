"""tr(A (x) B) = tr A tr B and (A (x) B)(C (x) D) = AC (x) BD.   Source: noci2022signal, Lemma A.1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from proofs_check.signal_propagation._results import Matrix, is_matrix, same_matrix
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.lemmaA1",
    title="Lemma A.1: traces and products of Kronecker products factor",
    statement=r"$\mathrm{tr}(A\otimes B)=\mathrm{tr}A\,\mathrm{tr}B$ (eq. 21), $(A\otimes B)(C\otimes D)=AC\otimes "
    r"BD$ (eq. 22).",
    source="noci2022signal, Lemma A.1 (eq. 21, 22)",
    scope="random whole-number matrices of four sizes, exact",
    expected=Verdict.HOLDS,
    paper="SP",
)


class Case(NamedTuple):
    """A and C of size a, B and D of size b; which of the two equations."""

    a: int
    b: int
    equation: int
    seed: int = 0


def cases(level: str) -> Iterable[Case]:
    """Equal and unequal sizes."""
    for a, b in ((2, 2), (3, 2), (1, 4), (4, 3)):
        for seed in range(4 if level == "full" else 1):
            yield from (Case(a, b, equation, seed) for equation in (21, 22))


def _draw(case: Case) -> tuple[np.ndarray, ...]:
    draw = np.random.default_rng([case.seed, 21])
    return tuple(draw.integers(-9, 10, (s, s)) for s in (case.a, case.b, case.a, case.b))


def by_numpy(case: Case) -> Matrix:
    """numpy.kron, then its trace or product."""
    A, B, C, D = _draw(case)
    if case.equation == 21:
        return Matrix(np.array([[np.trace(np.kron(A, B))]]))
    return Matrix(np.kron(A, B) @ np.kron(C, D))


def by_entries(case: Case) -> Matrix:
    """Entries by their definition, in Python's whole numbers."""
    A, B, C, D = (W.tolist() for W in _draw(case))
    b = case.b
    size = case.a * b

    def entry(left: list[list[int]], right: list[list[int]], i: int, j: int) -> int:
        return left[i // b][j // b] * right[i % b][j % b]

    if case.equation == 21:
        return Matrix(np.array([[sum(entry(A, B, i, i) for i in range(size))]]))
    product = [
        [sum(entry(A, B, i, k) * entry(C, D, k, j) for k in range(size)) for j in range(size)] for i in range(size)
    ]
    return Matrix(np.array(product))


def roads() -> Mapping[str, Road]:
    """Left sides, twice."""
    return {"numpy.kron": by_numpy, "entry by entry": by_entries}


agree = same_matrix


def _right_side(case: Case) -> np.ndarray:
    A, B, C, D = _draw(case)
    return np.array([[np.trace(A) * np.trace(B)]]) if case.equation == 21 else np.kron(A @ C, B @ D)


holds = is_matrix(_right_side, 0.0)


def mutants() -> Mapping[str, Claim]:
    """Other right sides."""

    def trace_of_product(case: Case) -> np.ndarray:
        A, B, _, _ = _draw(case)
        return np.array([[np.trace(A @ B)]]) if case.equation == 21 and case.a == case.b else _right_side(case)

    def wrong_order(case: Case) -> np.ndarray:
        A, B, C, D = _draw(case)
        return np.kron(C @ A, D @ B) if case.equation == 22 else _right_side(case)

    return {"tr(A (x) B) = tr(AB)": is_matrix(trace_of_product, 0.0), "CA (x) DB": is_matrix(wrong_order, 0.0)}
