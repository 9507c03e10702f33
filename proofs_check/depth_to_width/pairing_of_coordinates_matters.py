"""A product of Gram entries depends on how coordinates are paired.   Source: docs/theory.md, Where eq. 19 holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any, NamedTuple

import flint
import numpy as np

from proofs_check.plain.printed_bounds import choices
from proofs_check.plain.ranks import rank
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.field.draw import residues

PRIME = 2147483629

STATEMENT = Statement(
    id="NEW.pairing",
    title="The proof of eq. 19 counts one function per power vector, but the pairing of coordinates matters",
    statement=r"$G_{11}G_{22}-G_{12}^2\ne0$ on two tokens (it is $0$ on one), both with powers $(2,2)$. Width 2 has "
    r"$\left(\!\binom3C\!\right)$ functions $G_{11}^aG_{12}^bG_{22}^c$, not $\left(\!\binom2{2C}\!\right)$, of ranks "
    r"$(a+1)(b+1)(c+1)$, not at most $(2a+b+1)(b+2c+1)$, with two tokens a side.",
    source="docs/theory.md, Where eq. 19 holds",
    scope="width 2: number of different functions for C <= 5 on one, two, three tokens, as exact polynomials and at "
    "random points; ranks for exponents up to 2 on one and two tokens a side, and (7, 7, 7) on two",
    expected=Verdict.HOLDS,
    note="At C = 40 = C(4) the monomial (14, 12, 14) has rank 2925, the printed count is 1681. The failing step of the "
    "printed proof is 'group monomials by the powers of each coordinate'.",
)


class Product(NamedTuple):
    """`C` factors on `tokens` tokens (count of functions), or exponents of G11, G12, G22 and tokens a side (rank)."""

    tokens: int
    C: int
    exponents: tuple[int, int, int] | None = None


def cases(level: str) -> Iterable[Product]:
    """Counts, then ranks."""
    yield from (Product(tokens, C) for tokens in (1, 2, 3) for C in range(1, 6 if level == "full" else 4))
    most = 2 if level == "full" else 1
    for a, b, c in product(range(most + 1), repeat=3):
        yield from (Product(tokens, a + b + c, (a, b, c)) for tokens in (1, 2))
    yield Product(2, 21, (7, 7, 7))


def _all_exponents(C: int) -> Iterable[tuple[int, int, int]]:
    return ((a, C - a - c, c) for a in range(C + 1) for c in range(C + 1 - a))


def as_polynomials(case: Product) -> int:
    """Exact polynomials: distinct ones counted, or the rank of the coefficient matrix."""
    if case.exponents is None:
        names = [f"{letter}{j}" for j in range(case.tokens) for letter in "xy"]
        gram = _gram(flint.fmpz_mpoly_ctx.get(names, "lex").gens())
        return len({str(_monomial(gram, exponents)) for exponents in _all_exponents(case.C)})
    if case.tokens == 1:
        variables = flint.fmpz_mpoly_ctx.get([f"{letter}{side}" for side in "AB" for letter in "xy"], "lex").gens()
        gram = _gram(variables)
    else:  # the entries of both Gram matrices are free: use them as variables
        variables = flint.fmpz_mpoly_ctx.get([f"g{i}{side}" for side in "AB" for i in range(3)], "lex").gens()
        gram = [variables[i] + variables[3 + i] for i in range(3)]
    half = len(variables) // 2
    entries = {(e[:half], e[half:]): int(c) for e, c in _monomial(gram, case.exponents).to_dict().items()}
    rows, columns = ({side: i for i, side in enumerate({key[j] for key in entries})} for j in (0, 1))
    matrix = [[0] * len(columns) for _ in rows]
    for (row, column), coefficient in entries.items():
        matrix[rows[row]][columns[column]] = coefficient
    return rank(matrix, PRIME)


def _gram(variables: Any) -> list[Any]:
    x, y = variables[::2], variables[1::2]
    return [sum(map(type(x[0]).__mul__, *pair)) for pair in ((x, x), (x, y), (y, y))]


def _monomial(gram: Any, exponents: tuple[int, int, int]) -> Any:
    return gram[0] ** exponents[0] * gram[1] ** exponents[1] * gram[2] ** exponents[2]


def at_points(case: Product) -> int:
    """Values at random tokens: distinct ones counted, or the rank of the matrix of values."""
    if case.exponents is None:
        gram = _entries(residues(0, "tokens", (3, case.tokens, 2), PRIME))
        return len({tuple(_value(gram, exponents).tolist()) for exponents in _all_exponents(case.C)})
    size = 4 + min(choices(4, case.C), (case.exponents[0] + 1) * (case.exponents[1] + 1) * (case.exponents[2] + 1))
    A, B = (_entries(residues(0, side, (size, case.tokens, 2), PRIME)) for side in "AB")
    gram = [(a[:, None] + b[None]) % PRIME for a, b in zip(A, B, strict=True)]
    return rank(_value(gram, case.exponents).tolist(), PRIME)


def _entries(x: Any) -> list[Any]:
    return [
        sum(x[:, j, a] * x[:, j, b] % PRIME for j in range(x.shape[1])) % PRIME for a, b in ((0, 0), (0, 1), (1, 1))
    ]


def _value(gram: list[Any], exponents: tuple[int, int, int]) -> Any:
    value = np.ones_like(gram[0])
    for entry, exponent in zip(gram, exponents, strict=True):
        for _ in range(exponent):
            value = value * entry % PRIME
    return value


def roads() -> Mapping[str, Road]:
    """Counts and ranks, twice."""
    return {"exact polynomials": as_polynomials, "values at random tokens": at_points}


def holds(case: Product, result: int) -> bool:
    """As many functions as pairings from two tokens on, as power vectors at one; ranks of free entries."""
    if case.exponents is None:
        return result == (choices(2, 2 * case.C) if case.tokens == 1 else choices(3, case.C))
    a, b, c = case.exponents
    return result == (a + 1) * (b + 1) * (c + 1) if case.tokens > 1 else result <= (2 * a + b + 1) * (b + 2 * c + 1)


def mutants() -> Mapping[str, Claim]:
    """The two counts of the printed proof, at every number of tokens."""

    def printed_count(case: Product, result: int) -> bool:
        return case.exponents is not None or result <= choices(2, 2 * case.C)

    def printed_rank(case: Product, result: int) -> bool:
        if case.exponents is None:
            return True
        a, b, c = case.exponents
        return result <= (2 * a + b + 1) * (b + 2 * c + 1)

    return {"one function per power vector": printed_count, "rank at most prod (n_j + 1)": printed_rank}
