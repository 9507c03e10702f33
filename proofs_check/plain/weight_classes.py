"""Block ranks class by class, for weights that commute with a group of diagonal matrices.

If every link B satisfies t B t = B for the diagonal matrices t of a group, and the output row is e_1, then
``f_q(t G t) = t_1 t_q f_q(G)``: a derivative of weight w leaves in ``f_q`` only monomials of weight
``w_1 + w_q - w``, and the matrix of a block falls apart into classes of small size, whose ranks add up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proofs_check.plain.derivatives import SPARE, Monomials, Table, derivative_matrix
from proofs_check.plain.field_rank import array_rank

Weights = NDArray[np.int64]  # shape (d, r): the weight of every coordinate


def sign_weights(parts: list[list[int]]) -> tuple[Weights, int]:
    """One sign for every part of the coordinates: links may be anything within the parts. Modulus 2."""
    weights = np.zeros((sum(map(len, parts)), len(parts)), np.int64)
    for number, part in enumerate(parts):
        weights[part, number] = 1
    return weights, 2


def torus_weights(d: int) -> tuple[Weights, int]:
    """The torus with w_i = -w_{d+1-i}: links are antidiagonal. Modulus 0 (none)."""
    weights = np.zeros((d, max(1, d // 2)), np.int64)
    for i in range(d // 2):
        weights[i, i], weights[d - 1 - i, i] = 1, -1
    return weights, 0


def random_links(L: int, grading: tuple[Weights, int], prime: int, seed: int, symmetric: bool = False) -> list[Table]:
    """Links B_1, ..., B_L that are random where the grading allows an entry and zero elsewhere."""
    weights, modulus = grading
    draw = np.random.default_rng(seed)
    allowed = np.all(_reduced(weights[:, None] + weights[None], modulus) == 0, axis=-1)
    found = []
    for _ in range(L):
        link = draw.integers(1, prime, allowed.shape) * allowed
        found.append(np.tril(link) + np.tril(link, -1).T if symmetric else link)
    return found


def classes(
    monomials: Monomials, C: int, k: int, grading: tuple[Weights, int], inside: list[int] | None = None
) -> Iterator[tuple[Table, Table]]:
    """Operators of order k and columns (as `derivative_matrix` takes them) of every class of block k.

    With `inside`, only operators in the entries G_ij with both i and j among these coordinates.
    """
    weights, modulus = grading
    variables = np.array([weights[i] + weights[j] for i, j in monomials.pairs])
    components = weights[0] + weights
    operators = monomials.of[k]
    if inside is not None:
        kept = np.array([i in inside and j in inside for i, j in monomials.pairs])
        operators = operators[kept[operators].all(axis=1)]
    below = variables[monomials.of[C - k]].sum(axis=1)
    of_operator = _reduced(variables[operators].sum(axis=1), modulus)
    of_column = _reduced((components[:, None] - below[None]).reshape(-1, weights.shape[1]), modulus)
    both = np.unique(np.concatenate([of_operator, of_column]), axis=0, return_inverse=True)[1].ravel()
    left, right = both[: len(operators)], both[len(operators) :]
    for number in range(int(both.max()) + 1):
        yield operators[left == number], np.flatnonzero(right == number)


def graded_block_rank(
    rows: Table,
    C: int,
    k: int,
    monomials: Monomials,
    prime: int,
    grading: tuple[Weights, int],
    inside: list[int] | None = None,
    seed: int = 0,
) -> int:
    """Rank of block k over F_p as the sum over classes; `rows` are `scaled` coefficients."""
    draw: Any = np.random.default_rng(seed)
    total = 0
    for operators, columns in classes(monomials, C, k, grading, inside):
        short, long = sorted((len(operators), len(columns)))
        wanted = short + short // 5 + SPARE
        found = -1
        if long > wanted:
            lines, across = operators, columns
            if len(columns) == long:
                across = draw.permutation(columns)[:wanted]
            else:
                lines = draw.permutation(operators)[:wanted]
            found = array_rank(derivative_matrix(rows, monomials, C - k, lines, across), prime)
        if found < short:
            found = array_rank(derivative_matrix(rows, monomials, C - k, operators, columns), prime)
        total += found
    return total


def _reduced(weights: Weights, modulus: int) -> Weights:
    return weights % modulus if modulus else weights
