"""sep(q(P+Q)^K) = 2 multiset(r+1, K-1) + multiset(r, K).   Source: docs/theory.md, Quadric."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from math import comb
from typing import Any, NamedTuple

import numpy as np

from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.field.draw import residues

LARGE = 2147483629

STATEMENT = Statement(
    id="NEW.power-of-q",
    title="The K-th power of a nondegenerate quadratic form in r variables has rank 2 multiset(r+1, K-1) + "
    "multiset(r, K)",
    statement=r"$\mathrm{sep}\bigl(q(P+Q)^K\bigr)=\sum_{j=0}^{2K}\min\Bigl(\left(\!\binom rj\!\right),"
    r"\left(\!\binom r{2K-j}\!\right)\Bigr)=2\left(\!\binom{r+1}{K-1}\!\right)+\left(\!\binom rK\!\right)$ for $q$ "
    r"nondegenerate "
    "in $r$ variables, in characteristic 0 or large.",
    source="docs/theory.md, Quadric",
    scope="r <= 6, K <= 3, two random nondegenerate forms each, modulo 2147483629 (e.g. 50 at r = 4, K = 3; 112 at r "
    "= 6, "
    "K = 3); modulo 3 with K = 3 all points of F_3^r, r <= 4, where the rank is r + 2",
    expected=Verdict.HOLDS,
    note="Proved for all r and K by harmonic polynomials (docs/theory.md). Modulo p = K the power is additive "
    "(Frobenius).",
)


class Form(NamedTuple):
    """Number of variables, exponent, seed of the form, prime."""

    r: int
    K: int
    seed: int
    prime: int


def cases(level: str) -> Iterable[Form]:
    """Every r and K of the scope; characteristic 3 at the end."""
    full = level == "full"
    for r, K, seed in product(range(1, 7 if full else 5), range(1, 4), range(2 if full else 1)):
        yield Form(r, K, seed, LARGE)
    yield from (Form(r, 3, 0, 3) for r in range(1, 5 if full else 4))


def form(case: Form) -> Any:
    """A symmetric matrix of rank r: random, or diagonal with entries 1, 2, 1, ... modulo 3."""
    if case.prime == 3:
        return np.diag([1 + i % 2 for i in range(case.r)]).astype(object)
    half = residues(case.seed, "form", (case.r, case.r), 1009).astype(object)
    return half + half.T


def by_values(case: Form) -> int:
    """Rank of the values at more points than the bound, by the library's elimination; all points modulo 3."""
    from seprank.field.elimination import rank

    r, K, _, p = case
    if p == 3:
        P = Q = np.array(list(product(range(3), repeat=r)), dtype=object)
    else:
        count = sum(min(comb(r + j - 1, j), comb(r + 2 * K - j - 1, 2 * K - j)) for j in range(2 * K + 1)) + 5
        P, Q = residues(7, "points", (2, count, r), p).astype(object)
    q = form(case)
    squares = [np.einsum("ai,ij,aj->a", X, q, X) for X in (P, Q)]
    values = squares[0][:, None] + squares[1][None, :] + 2 * P @ q @ Q.T
    powers = np.array([[pow(int(x), K, p) for x in row] for row in values], dtype=np.int64)
    return rank(powers, p)


def by_coefficients(case: Form) -> int:
    """Rank of the matrix of coefficients of q(P+Q)^K, one entry for a monomial in P and one in Q, in flint."""
    import flint

    r, K, _, p = case
    q = form(case)
    quadratic: dict[tuple[int, ...], int] = {}
    for i, j in product(range(2 * r), repeat=2):
        powers = [0] * (2 * r)
        powers[i] += 1
        powers[j] += 1
        key = tuple(powers)
        quadratic[key] = (quadratic.get(key, 0) + int(q[i % r, j % r])) % p
    power = {(0,) * (2 * r): 1}
    for _ in range(K):
        found: dict[tuple[int, ...], int] = {}
        for a, x in power.items():
            for b, y in quadratic.items():
                key = tuple(map(int.__add__, a, b))
                found[key] = (found.get(key, 0) + x * y) % p
        power = found
    rows = {a[:r]: None for a in power}
    columns = {a[r:]: None for a in power}
    flat = [power.get(a + b, 0) for a in rows for b in columns]
    return int(flint.nmod_mat(len(rows), len(columns), flat, p).rank())


def closed_form(case: Form) -> int | None:
    """The library's formula, for the large prime."""
    if case.prime == 3:
        return None
    from seprank.closed_forms.explicit import quadric_power

    pair = quadric_power(case.r, case.K).pair
    return None if pair is None else int(pair[0])


def roads() -> Mapping[str, Road]:
    """Three ways to the rank."""
    return {"values, own elimination": by_values, "coefficients, flint": by_coefficients, "closed form": closed_form}


def _multiset(n: int, k: int) -> int:
    return comb(n + k - 1, k)


def holds(case: Form, result: int) -> bool:
    """Both forms of the formula; r + 2 in characteristic K."""
    r, K, _, p = case
    if p == 3:
        return result == r + 2
    minima = sum(min(_multiset(r, j), _multiset(r, 2 * K - j)) for j in range(2 * K + 1))
    return result == minima == 2 * _multiset(r + 1, K - 1) + _multiset(r, K) >= _multiset(r + 1, K)


def mutants() -> Mapping[str, Claim]:
    """Other counts, and every characteristic."""
    formula = {
        "the number of monomials, multiset(r, 2K)": lambda r, K: _multiset(r, 2 * K),
        "one side only, multiset(r+1, K)": lambda r, K: _multiset(r + 1, K),
        "the same in characteristic 3": lambda r, K: 2 * _multiset(r + 1, K - 1) + _multiset(r, K),
    }

    def compared(name: str) -> Claim:
        in_three = name.endswith("3")
        return lambda case, result: (case.prime == 3) != in_three or result == formula[name](case.r, case.K)

    return {name: compared(name) for name in formula}
