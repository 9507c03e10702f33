"""Width two, one head: every block k <= C/2 is full, by Hankel determinants.

Source: derived for this project (proof in the note)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import comb, factorial, prod
from typing import NamedTuple

from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

PRIME = 4194301

STATEMENT = Statement(
    id="NEW.theorem-E",
    title="Width two, one head, any depth: every block up to C/2 is full",
    statement=r"$d=2$, $H=1$, long input, almost all weights, every $L$: block $k\le C/2$ has rank $\binom{k+2}2$, so "
    r"$\mathrm{sep}\ge\binom{\lfloor C/2\rfloor+3}3$.",
    source="docs/theory.md, Identity links",
    scope="words of every length C <= 40 and C = 60, 121 (then k = C/2 only, from which smaller k follow), among them "
    "C = 1, 4, 13, 40, 121 of L = 1, ..., 5",
    expected=Verdict.HOLDS,
    note="Proof for all C: with every link the exchange of coordinates and a = e_1 one component of f is sum_j "
    "binom(C, 2j) t^(C-2j) (zw)^j, for G = (z t; t w). Graded by the power of z less that of w the derivatives "
    "form Hankel matrices of j!^2/(2j)!, with at least as many columns as rows for k <= C/2, and their "
    "determinants are products of nonzero factors.",
)


class Word(NamedTuple):
    """Number of factors; C = (3^L - 1)/2 for a network of depth L."""

    C: int


def cases(level: str) -> Iterable[Word]:
    """Every C up to 40, and some large ones."""
    return [Word(C) for C in ([*range(1, 41), 60, 121] if level == "full" else [*range(1, 10), 13, 20])]


def derivatives(case: Word) -> Result:
    """Ranks modulo a prime of all derivatives of e_1^T (G J)^(C-1) G, J the exchange of coordinates."""
    import numpy as np

    from proofs_check.plain.derivatives import block_rank, chain_rows, monomials_up_to, scaled

    C, swap = case.C, np.array([[0, 1], [1, 0]])
    monomials = monomials_up_to(2, C)
    rows = scaled(chain_rows([1, 0], [swap] * (C - 1), monomials, PRIME), C, monomials, PRIME)
    blocks = range(C // 2 + 1) if C <= 40 else (C // 2,)
    return tuple(block_rank(rows, C, k, monomials, PRIME) for k in blocks)


def hankel(case: Word) -> Result:
    """Exact ranks of the Hankel matrices of c_j = j!^2/(2j)!, over all differences of weight, one output component."""
    import flint

    def matrix_rank(first: int, rows: int, columns: int) -> int:
        entries = [
            flint.fmpq(factorial(first + a + b) ** 2, factorial(2 * (first + a + b)))
            for a in range(rows)
            for b in range(columns)
        ]
        return int(flint.fmpq_mat(rows, columns, entries).rank())

    C = case.C
    blocks = range(C // 2 + 1) if C <= 40 else (C // 2,)
    return tuple(
        sum(matrix_rank(abs(w), (k - abs(w)) // 2 + 1, (C - k - abs(w)) // 2 + 1) for w in range(-k, k + 1))
        for k in blocks
    )


def product_formula(case: Word) -> Result:
    """Numbers of rows where the determinants of the leading squares, a product formula, do not vanish."""
    C = case.C
    blocks = range(C // 2 + 1) if C <= 40 else (C // 2,)
    return tuple(sum(_size(abs(w), (k - abs(w)) // 2 + 1) for w in range(-k, k + 1)) for k in blocks)


def _size(first: int, n: int) -> int:
    alpha, beta = Fraction(1 + first), Fraction(1, 2) + first
    value = Fraction(1)
    for i in range(n):
        value *= (
            factorial(i)
            * _rising(alpha, i)
            * _rising(beta - alpha, i)
            / (_rising(beta, 2 * i) * _rising(beta + i - 1, i))
        )
    return n if value else 0


def _rising(x: Fraction, n: int) -> Fraction:
    return prod((x + i for i in range(n)), start=Fraction(1))


def roads() -> Mapping[str, Road]:
    """Ranks modulo a prime, exact Hankel ranks, and the product formula of the determinants."""
    return {"derivatives": derivatives, "Hankel matrices": hankel, "determinants": product_formula}


def holds(case: Word, result: Result) -> bool:
    """binom(k + 2, 2) for k <= C/2."""
    blocks = range(case.C // 2 + 1) if case.C <= 40 else (case.C // 2,)
    return bool(result == tuple(comb(k + 2, 2) for k in blocks))


def mutants() -> Mapping[str, Claim]:
    """Fewer dimensions."""
    return {
        "k + 1, one for every power of a vector": lambda case, result: (
            result == tuple(k + 1 for k in range(len(result)))
        ),
        "one less from k = 2 on": lambda case, result: all(
            rank == comb(k + 2, 2) - (k >= 2) for k, rank in enumerate(result)
        ),
    }
