"""Whole-number weights with one constant give a power of an inner product, for every H and both parities of dx.

Source: docs/theory.md, One constant is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb
from typing import Any, NamedTuple

import flint

from proofs_check.plain.draws import head_counts
from proofs_check.plain.lower_bound_weights import real_tokens, real_weights
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.weights import Weights
from seprank.field.draw import residues

PRIME = 2147483629

STATEMENT = Statement(
    id="NEW.real-weights",
    title="Explicit whole-number weights give a power of an inner product plus one, for every H and both parities of "
    "dx",
    statement=r"$y=N^{4k+(k-1)/2}(\langle v,w\rangle+1)^{k}$, $k=3^{L-2}$, with $\lfloor(d-1)/2\rfloor$ entries in "
    r"$v$ and in $w$; the value matrix has rank $\left(\!\binom{\lfloor(d+1)/2\rfloor}{k}\!\right)$ for generic $v$, "
    r"$w$.",
    source="docs/theory.md, One constant is enough",
    scope="N = 2 with L = 2, dx <= 6, L = 3, dx <= 5, L = 4, dx <= 4, all H dividing dx; N = 3 in two cases; one "
    "token on side A; random whole v and w below 10007, exact integers, rank over the rationals and modulo a prime",
    expected=Verdict.HOLDS,
    note="Proved for all sizes in docs/theory.md. It replaces the complex weights of D2W.lemma6 and their base (dx - "
    "H)/2 by real ones and the larger base floor((dx + 1)/2); so the number of heads costs nothing.",
)


class Sizes(NamedTuple):
    """A network and the number of tokens, one of them on side A."""

    L: int
    dx: int
    H: int
    N: int

    @property
    def k(self) -> int:
        """The power 3^(L-2)."""
        return int(3 ** (self.L - 2))

    @property
    def full_rank(self) -> int:
        """The multiset coefficient of floor((dx + 1)/2) and k."""
        b = (self.dx + 1) // 2
        return comb(b + self.k - 1, self.k)


class Found(NamedTuple):
    """Rank of the value matrix, and its first three rows and columns."""

    rank: int
    values: tuple[tuple[int, ...], ...]


def cases(level: str) -> Iterable[Sizes]:
    """All heads of each width."""
    widths = {2: 6, 3: 5, 4: 4} if level == "full" else {2: 6, 3: 3}
    everything = [
        Sizes(L, dx, H, 2) for L, most in widths.items() for dx in range(1, most + 1) for H in head_counts(dx)
    ]
    return [*everything, Sizes(2, 4, 2, 3), Sizes(3, 3, 1, 3)]


def vectors(case: Sizes, stream: str) -> Any:
    """Random vectors of entries 0..10006, two more than the rank."""
    return residues(0, stream, (case.full_rank + 2, (case.dx - 1) // 2), 10007)


def setting(case: Sizes) -> tuple[list[Any], list[Any]]:
    """The tokens of both sides."""
    A = real_tokens(vectors(case, "v"), "A", case.dx, 1)
    return A.tolist(), real_tokens(vectors(case, "w"), "B", case.dx, case.N - 1).tolist()


def library(case: Sizes) -> Found:
    """Eq. 3 in the library's Python integers, and its rank modulo a prime."""
    import numpy as np

    from seprank.attention.layer import forward_integers
    from seprank.field import rank

    A, B = setting(case)
    weights = Weights.from_arrays(*real_weights(case.L, case.dx, case.H, case.N))
    matrix = [[forward_integers(weights, [*a, *b])[0, 0] for b in B] for a in A]
    return Found(rank(np.array(matrix, dtype=object), PRIME), tuple(tuple(map(int, row[:3])) for row in matrix[:3]))


def python_flint(case: Sizes, own_coordinates: bool = False) -> Found:
    """Eq. 3 with whole-number matrices of python-flint, and its rank over the rationals."""
    arrays = real_weights(case.L, case.dx, case.H, case.N, own_coordinates)
    layers = [list(zip(*layer, strict=True)) for layer in zip(*(array.tolist() for array in arrays), strict=True)]

    def value(tokens: list[list[int]]) -> int:
        X = flint.fmpz_mat(tokens)
        for heads in layers:
            Y = flint.fmpz_mat(len(tokens), case.dx)
            for head in heads:
                Q, K, V, O = (flint.fmpz_mat(matrix).transpose() for matrix in head)
                Y += (X * Q) * (X * K).transpose() * (X * V) * O
            X = Y
        return int(X[0, 0])

    A, B = setting(case)
    matrix = [[value([*a, *b]) for b in B] for a in A]
    return Found(int(flint.fmpz_mat(matrix).rank()), tuple(tuple(row[:3]) for row in matrix[:3]))


def roads() -> Mapping[str, Road]:
    """Value matrix and rank, twice."""
    return {"library, rank modulo a prime": library, "python-flint, rank over the rationals": python_flint}


def power(case: Sizes, added: int) -> tuple[tuple[int, ...], ...]:
    """The formula for the first three rows and columns, with `added` to the inner product."""
    factor = case.N ** (4 * case.k + (case.k - 1) // 2)
    v, w = (vectors(case, stream)[:3].tolist() for stream in ("v", "w"))
    return tuple(tuple(factor * (sum(map(int.__mul__, a, b)) + added) ** case.k for b in w) for a in v)


def holds(case: Sizes, result: Found) -> bool:
    """The values and the rank."""
    return result.values == power(case, 1) and result.rank == case.full_rank


def mutants() -> Mapping[str, Claim]:
    """Heads that do not add up, and smaller bases."""

    def printed_base(case: Sizes, result: Found) -> bool:
        n = (case.dx - case.H) // 2
        return n < 1 or result.rank == comb(n + case.k - 1, case.k)

    return {
        "every head writes to its own coordinate, L = 2": lambda case, result: (
            case.L > 2 or result.rank == python_flint(case, own_coordinates=True).rank
        ),
        "base (dx - H)/2 as in B.2": printed_base,
        "without the product of constants": lambda case, result: result.values == power(case, 0),
    }
