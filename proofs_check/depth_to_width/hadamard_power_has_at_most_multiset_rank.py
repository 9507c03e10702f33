"""The k-th entrywise power of a rank-r matrix has rank at most multiset(r, k).   Source: levine2020depth, B.2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations_with_replacement, product
from math import comb
from typing import NamedTuple

import numpy as np

from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.field.draw import residues

STATEMENT = Statement(
    id="D2W.hadamard",
    title="An entrywise power of a rank-r matrix has rank at most multiset(r, k), reached by generic V V^T",
    statement=r"$\mathrm{rank}(M^{\odot k})\le\left(\!\binom rk\!\right)$ for $\mathrm{rank}\,M=r$, with equality for "
    r"generic "
    r"$VV^T$ with at least that many rows, in characteristic 0 or $p>k$.",
    source="levine2020depth, appendix B.2 (Amini et al. 2012)",
    scope="r, k <= 4 over p = 5, 7, 101, 2147483629 (equality at random V for the two large primes); all vectors of "
    "F_3^r, "
    "k = 3; arithmetic progressions, where the bound is not reached; ranks up to 35",
    expected=Verdict.HOLDS,
    note="The bound is proved over every field: the monomials of degree k span. Over F_3 the cube is additive and the "
    "rank "
    "stays r. The paper takes V with entries that are powers of one number (lemmas 7 and 8).",
)


class Power(NamedTuple):
    """Vectors of length r ("random", "all", "line" or "lines"), the exponent k and the prime."""

    kind: str
    r: int
    k: int
    prime: int

    @property
    def multiset(self) -> int:
        """multiset(r, k)."""
        return comb(self.r + self.k - 1, self.k)


def cases(level: str) -> Iterable[Power]:
    """Random vectors, all vectors of a small field, and vectors on a line (rank 2, few monomials independent)."""
    most = 5 if level == "full" else 4
    for r, k in product(range(1, most), range(1, most)):
        yield Power("random", r, k, 2147483629)
        yield Power("random", r, k, 101)
        if level == "full":
            yield from (Power("all", r, k, p) for p in (5, 7) if k < p and p**r <= 700)
    yield from (Power("all", r, 3, 3) for r in range(1, most))
    yield from (Power("line", 3, k, 101) for k in (2, 3))


def vectors(case: Power) -> list[list[int]]:
    """The rows of V."""
    r, p = case.r, case.prime
    if case.kind == "all":
        return [list(row) for row in product(range(p), repeat=r)]
    if case.kind == "line":
        return [[1 + t * (i + 1) for i in range(r)] for t in range(case.multiset + 5)]
    drawn: list[list[int]] = residues(0, "vectors", (case.multiset + 5, r), p).tolist()
    return drawn


def entry_by_entry(case: Power) -> int:
    """Rank of the matrix of powers, by the library."""
    from seprank.field.elimination import rank

    V = np.array(vectors(case), dtype=object)
    return rank(np.array((V @ V.T % case.prime) ** case.k % case.prime, dtype=np.int64), case.prime)


def by_monomials(case: Power) -> int:
    """Rank of W D W^T with the monomials W of degree k and their multinomial coefficients D, in flint."""
    import flint

    p, V = case.prime, vectors(case)
    chosen = list(combinations_with_replacement(range(case.r), case.k))
    rows = [[_monomial(row, powers, p) for powers in chosen] for row in V]
    scaled = [[x * _multinomial(powers) for x, powers in zip(row, chosen, strict=True)] for row in rows]
    size = (len(V), len(chosen), p)
    W, D = (flint.nmod_mat(*size[:2], [x % p for row in part for x in row], p) for part in (rows, scaled))
    return int((W * D.transpose()).rank())


def _monomial(row: list[int], powers: tuple[int, ...], prime: int) -> int:
    value = 1
    for index in powers:
        value = value * row[index] % prime
    return value


def _multinomial(powers: tuple[int, ...]) -> int:
    """Number of orders of the factors."""
    count, left = 1, len(powers)
    for index in set(powers):
        count *= comb(left, powers.count(index))
        left -= powers.count(index)
    return count


def roads() -> Mapping[str, Road]:
    """The rank of the power, twice."""
    return {"powers of entries, own elimination": entry_by_entry, "monomials, flint": by_monomials}


def holds(case: Power, result: int) -> bool:
    """At most the bound, equal to it at random vectors; r over F_3 at k = 3; less on a line."""
    if case.kind == "random":
        return result == case.multiset
    if case.kind == "line":
        return result == case.k + 1 < case.multiset
    return result == (case.r if case.k == case.prime else case.multiset)


def mutants() -> Mapping[str, Claim]:
    """Ordered products, equality in every characteristic, equality for every matrix."""
    return {
        "r^k for random vectors": lambda case, result: case.kind != "random" or result == case.r**case.k,
        "equality in every characteristic (p = k = 3)": lambda case, result: (
            case.kind != "all" or result == case.multiset
        ),
        "equality for distinct vectors": lambda case, result: case.k == case.prime or result == case.multiset,
    }
