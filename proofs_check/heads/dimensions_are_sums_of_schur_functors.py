"""D_A and D_B are sums of dimensions of Schur functors.   Source: docs/theory.md, Gram bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations_with_replacement
from math import comb
from typing import NamedTuple

import numpy as np

from proofs_check.plain.ranks import rank
from proofs_check.plain.schur import all_even, dimension_sum, functor_dimension, one_odd, shapes
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.field.draw import residues

PRIME = 2147483629
SPARE = 5

STATEMENT = Statement(
    id="NEW.dims",
    title="The dimensions in the Gram bound are sums over partitions with even parts, or one odd part",
    statement=r"On $N$ tokens of width $d$: $D_B(k)=\sum\dim S_{2\lambda}(\mathbb C^d)$ over $\lambda\vdash k$, "
    r"$D_A(c)=\sum\dim S_\mu(\mathbb C^d)$ over $\mu\vdash2c+1$ with exactly one odd part, both with at most "
    r"$\min(N,d)$ parts.",
    source="docs/theory.md, Gram bound",
    scope="rank of all evaluated monomials modulo 2147483629: d, N <= 4 and k, c <= 4, both sides",
    expected=Verdict.HOLDS,
    note="Cauchy's decomposition proves it for all sizes (docs/theory.md).",
)


class Side(NamedTuple):
    """Side "A" or "B", width, tokens, degree in the Gram matrix."""

    side: str
    d: int
    N: int
    k: int


def cases(level: str) -> Iterable[Side]:
    """All small sizes, more tokens than coordinates included; the quick level keeps matrices below 400 rows."""
    for d in (1, 2, 3, 4):
        for N in (1, 2, 3, 4):
            for k in range(5):
                for side in "BA":
                    if level == "full" or _monomials(side, d, k) < 400:
                        yield Side(side, d, N, k)


def _monomials(side: str, d: int, k: int) -> int:
    return comb(d * (d + 1) // 2 + k - 1, k) * (d if side == "A" else 1)


def closed_form(case: Side) -> int:
    """The library's sums."""
    from seprank.closed_forms.gram import side_A_dimension, side_B_dimension

    return (side_B_dimension if case.side == "B" else side_A_dimension)(case.d, case.N, case.k)


def hook_lengths(case: Side) -> int:
    """All partitions of the whole degree, chosen by their parities, by the hook-content formula."""
    boxes, chosen = (2 * case.k, all_even) if case.side == "B" else (2 * case.k + 1, one_odd)
    return dimension_sum(boxes, min(case.N, case.d), case.d, chosen)


def evaluated_monomials(case: Side) -> int:
    """Rank of m(G), or x_q m(G), at random tokens."""
    points = min(_monomials(case.side, case.d, case.k), hook_lengths(case) + SPARE) + SPARE
    x = residues(0, "points", (points, case.N, case.d), PRIME)
    gram = np.zeros((points, case.d, case.d), np.int64)
    for j in range(case.N):
        gram = (gram + x[:, j, :, None] * x[:, j, None, :]) % PRIME
    entries = [gram[:, a, b] for a in range(case.d) for b in range(a, case.d)]
    columns: list[np.ndarray] = []
    for chosen in combinations_with_replacement(entries, case.k):
        column = np.ones(points, np.int64)
        for entry in chosen:
            column = column * entry % PRIME
        columns += [column * x[:, 0, q] % PRIME for q in range(case.d)] if case.side == "A" else [column]
    return rank([column.tolist() for column in columns], PRIME)


def roads() -> Mapping[str, Road]:
    """Two sums and a rank."""
    return {
        "closed form": closed_form,
        "hook lengths over all partitions": hook_lengths,
        "rank of the monomials at random tokens": evaluated_monomials,
    }


def holds(case: Side, result: int) -> bool:
    """All monomials for long input, fewer on fewer tokens; the value is what the roads agree on."""
    most = _monomials(case.side, case.d, case.k)
    return result == most if case.N >= case.d else result <= most


def mutants() -> Mapping[str, Claim]:
    """Other families of partitions."""

    def not_doubled(case: Side, result: int) -> bool:
        rows = min(case.N, case.d)
        return case.side == "A" or result == sum(functor_dimension(shape, case.d) for shape in shapes(case.k, rows))

    def one_row_more(case: Side, result: int) -> bool:
        boxes, chosen = (2 * case.k, all_even) if case.side == "B" else (2 * case.k + 1, one_odd)
        return result == dimension_sum(boxes, case.N + 1, case.d, chosen)

    def all_odd(case: Side, result: int) -> bool:
        rows = min(case.N, case.d)
        odd = dimension_sum(2 * case.k + 1, rows, case.d, lambda shape: all(part % 2 for part in shape))
        return case.side == "B" or result == odd

    return {
        "S_lambda in place of S_(2 lambda)": not_doubled,
        "up to N + 1 parts": one_row_more,
        "D_A with all parts odd": all_odd,
    }
