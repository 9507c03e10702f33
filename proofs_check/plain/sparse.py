"""Sparse polynomials over F_p, eq. 3 on them, and ranks of their coefficient matrices: no sampling anywhere.

Monomials are independent, so the separation rank of a polynomial is exactly the rank of its coefficient matrix:
one row for every monomial in the variables of one side, one column for every monomial in the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import flint

BITS = 6  # exponents stay below 64


class Polynomial:
    """A polynomial over F_p: a dict from packed exponents, `BITS` bits for each variable, to coefficients."""

    __slots__ = ("prime", "terms")

    def __init__(self, terms: dict[int, int], prime: int) -> None:
        self.terms = terms
        self.prime = prime

    def __add__(self, other: Polynomial) -> Polynomial:
        found = dict(self.terms)
        for key, value in other.terms.items():
            found[key] = (found.get(key, 0) + value) % self.prime
        return self._of(found)

    def __mul__(self, other: Polynomial | int) -> Polynomial:
        if isinstance(other, int):
            return self._of({key: value * other % self.prime for key, value in self.terms.items()})
        found: dict[int, int] = {}
        for key, value in self.terms.items():
            for more, factor in other.terms.items():
                found[key + more] = found.get(key + more, 0) + value * factor
        return self._of({key: value % self.prime for key, value in found.items()})

    __rmul__ = __mul__

    def _of(self, terms: dict[int, int]) -> Polynomial:
        return Polynomial({key: value for key, value in terms.items() if value}, self.prime)


def variable(number: int, prime: int) -> Polynomial:
    """Variable `number`, counted from 0."""
    return Polynomial({1 << (BITS * number): 1}, prime)


def exponents(key: int, count: int) -> tuple[int, ...]:
    """The exponents of the first `count` variables in a packed monomial."""
    return tuple(key >> (BITS * number) & ((1 << BITS) - 1) for number in range(count))


def mask(numbers: Iterable[int]) -> int:
    """The bits of these variables."""
    return sum(((1 << BITS) - 1) << (BITS * number) for number in numbers)


def degree_in(key: int, some: int) -> int:
    """The degree of a packed monomial in the variables of the mask `some`."""
    key, total = key & some, 0
    while key:
        total += key & ((1 << BITS) - 1)
        key >>= BITS
    return total


def combined(matrix: Sequence[Sequence[int]], vector: Sequence[Polynomial], prime: int) -> list[Polynomial]:
    """A matrix of numbers times a vector of polynomials."""
    found = []
    for row in matrix:
        total = Polynomial({}, prime)
        for factor, entry in zip(row, vector, strict=True):
            total = total + entry * int(factor)
        found.append(total)
    return found


def network_output(
    arrays: Iterable[Any],
    N: int,
    prime: int,
    residual: bool = False,
    causal: bool = False,
    position: int = 0,
    entry: int = 0,
) -> Polynomial:
    """The output entry as a polynomial in the N dx token entries; entry a of token j is variable j dx + a.

    `arrays` are query, key, value of shape (L, H, da, dx) and output of shape (L, H, dx, da). Layer after layer it
    is eq. 3, word for word, at every position that is read.
    """
    layers = list(zip(*(array.tolist() for array in arrays), strict=True))
    dx = len(layers[0][3][0])
    x = [[variable(j * dx + a, prime) for a in range(dx)] for j in range(N)]
    for number, layer in enumerate(layers):
        last = number == len(layers) - 1
        heads = [_restricted(head, entry) if last else head for head in zip(*layer, strict=True)]
        asked = [position] if last else range(N)
        y = []
        for i in asked:
            seen = x[: i + 1] if causal else x
            added = _attended(heads, x[i], seen, prime)
            old = [x[i][entry]] if last else x[i]
            y.append([p + q for p, q in zip(added, old, strict=True)] if residual else added)
        x = y
    return x[0][0]


def _restricted(head: Any, entry: int) -> Any:
    query, key, value, output = head
    return query, key, value, [output[entry]]


def _attended(heads: Any, x_i: list[Polynomial], seen: list[list[Polynomial]], prime: int) -> list[Polynomial]:
    total = [Polynomial({}, prime) for _ in heads[0][3]]
    for query, key, value, output in heads:
        asking = combined(query, x_i, prime)
        for x_j in seen:
            score = Polynomial({}, prime)
            for p, q in zip(asking, combined(key, x_j, prime), strict=True):
                score = score + p * q
            written = combined(output, combined(value, x_j, prime), prime)
            total = [t + score * w for t, w in zip(total, written, strict=True)]
    return total


def separation_rank(polynomial: Polynomial, side: int) -> int:
    """Rank over F_p of the coefficient matrix; `side` is the mask of the variables of one side."""
    return _rank(polynomial, side, lambda rows, columns: flint.nmod_mat(rows, columns, polynomial.prime))


def rational_separation_rank(polynomial: Polynomial, side: int) -> int:
    """Rank over the rationals, for whole coefficients smaller than half of the modulus."""
    p = polynomial.prime
    lifted = {key: value - p if 2 * value > p else value for key, value in polynomial.terms.items()}
    return _rank(Polynomial(lifted, p), side, flint.fmpz_mat)


def _rank(polynomial: Polynomial, side: int, empty_matrix: Callable[[int, int], Any]) -> int:
    rows: dict[int, int] = {}
    columns: dict[int, int] = {}
    for key in polynomial.terms:
        rows.setdefault(key & side, len(rows))
        columns.setdefault(key & ~side, len(columns))
    if not rows:
        return 0
    matrix = empty_matrix(len(rows), len(columns))
    for key, value in polynomial.terms.items():
        matrix[rows[key & side], columns[key & ~side]] = value
    return int(matrix.rank())


def parts_by_degree(polynomial: Polynomial, side: int) -> dict[int, Polynomial]:
    """The parts of each degree in the variables of the mask `side`, in order of degree."""
    found: dict[int, dict[int, int]] = {}
    for key, value in polynomial.terms.items():
        found.setdefault(degree_in(key, side), {})[key] = value
    return {degree: Polynomial(found[degree], polynomial.prime) for degree in sorted(found)}
