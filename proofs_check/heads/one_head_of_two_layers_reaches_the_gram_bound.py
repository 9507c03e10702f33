"""Theorem A: two layers, one head, long input: the Gram bound is the generic rank for every width.

Source: docs/theory.md, Exact values
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb
from typing import Any, NamedTuple

from proofs_check.heads._networks import PRIME, Net, derivative_blocks, sampled_blocks
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.theorem-A",
    title="Two layers and one head reach the Gram bound for every width: 11645 at dx = 16",
    statement=r"$L=2$, $H=1$, $N_A,N_B\ge d$, almost all weights: the blocks have ranks $1,\ s,\ \binom{s+1}2,\ "
    r"ds,\ d$, and $\mathrm{sep}$ is their sum (11645 at $d=16$, 157113 at $32$, 2299505 at $64$).",
    source="docs/theory.md, Exact values",
    scope="block ranks at random weights for 2 <= dx <= 9 (by derivatives for dx <= 8); the special weights of the "
    "proof at dx = 4, 5 by exact rational linear algebra; the closed value against the sum of minima for dx <= "
    "128",
    expected=Verdict.HOLDS,
    note="Proved for every dx in docs/theory.md. The proof's weights: block 2 with all links I and a = e_1, block 3 "
    "with B_1 = I, B_2 diagonal and a without zeros; the other blocks follow.",
)


class Closed(NamedTuple):
    """A width at which closed forms are compared."""

    dx: int


class Special(NamedTuple):
    """A width at which blocks 2 and 3 are computed for the weights of the proof."""

    dx: int


def cases(level: str) -> Iterable[Net | Closed | Special]:
    """Random weights, closed values, and the proof's weights."""
    full = level == "full"
    nets: list[Net | Closed | Special] = [Net(2, d) for d in range(2, 10 if full else 6)]
    closed = range(2, 129) if full else (2, 3, 16, 32, 64)
    return [*nets, *map(Closed, closed), *map(Special, (4, 5) if full else (4,))]


def library(case: Net | Closed | Special) -> Result:
    """Sampled values; the library's closed value."""
    if isinstance(case, Net):
        return sampled_blocks(case)
    if isinstance(case, Special):
        return None
    from seprank.closed_forms.gram import long_gram_bound

    pair = long_gram_bound(case.dx, 4).pair
    return None if pair is None else int(pair[0])


def plain(case: Net | Closed | Special) -> Result:
    """Derivatives; the sum of minima term by term."""
    if isinstance(case, Net):
        return derivative_blocks(case) if case.dx <= 8 else _minima(case.dx)
    return sum(_minima(case.dx)) if isinstance(case, Closed) else _special_modulo_prime(case.dx)


def _minima(d: int) -> tuple[int, ...]:
    s = d * (d + 1) // 2
    return tuple(min(comb(s + k - 1, k), d * comb(s + 3 - k, 4 - k)) for k in range(5))


def _special_modulo_prime(d: int) -> Result:
    """Ranks of block 2 and block 3 at the proof's weights, from tables of coefficients."""
    import numpy as np

    from proofs_check.plain.derivatives import Monomials, block_rank, chain_rows, scaled

    monomials, one = Monomials(d, 4), np.eye(d, dtype=np.int64)
    links = {2: [one, one, one], 3: [one, one, np.diag(np.arange(1, d + 1))]}
    found = []
    for k in (2, 3):
        row = one[0] if k == 2 else np.ones(d, np.int64)
        table = scaled(chain_rows(row, links[k], monomials, PRIME), 4, monomials, PRIME)
        found.append(block_rank(table, 4, k, monomials, PRIME))
    return tuple(found)


def symbolic(case: Net | Closed | Special) -> Result:
    """Blocks 2 and 3 over the rationals, from the polynomials written out in sympy."""
    if not isinstance(case, Special):
        return None
    from itertools import combinations_with_replacement

    from sympy import QQ, ring
    from sympy.polys.matrices import DomainMatrix

    d = case.dx
    pairs = [(i, j) for i in range(d) for j in range(i, d)]
    poly, *symbols = ring([f"g{i}_{j}" for i, j in pairs], QQ)
    entry = dict(zip(pairs, symbols, strict=True))

    def times_gram(row: list[Any]) -> list[Any]:
        return [sum((row[i] * entry[min(i, j), max(i, j)] for i in range(d)), poly.zero) for j in range(d)]

    found = []
    for k in (2, 3):
        row = times_gram([poly.one if i == 0 or k == 3 else poly.zero for i in range(d)])
        row = times_gram(times_gram(row))
        outputs = times_gram([(i + 1 if k == 3 else 1) * x for i, x in enumerate(row)])
        lines = []
        for operator in combinations_with_replacement(symbols, k):
            line: dict[int, Any] = {}
            for q, derived in enumerate(outputs):
                for symbol in operator:
                    derived = derived.diff(symbol)
                for monomial, coefficient in derived.terms():
                    line[hash_of(q, monomial, 5)] = coefficient
            lines.append(line)
        names = sorted({name for line in lines for name in line})
        dense = [[QQ(line.get(name, 0)) for name in names] for line in lines]
        found.append(DomainMatrix(dense, (len(dense), len(names)), QQ).to_sparse().rank())
    return tuple(found)


def hash_of(q: int, monomial: tuple[int, ...], base: int) -> int:
    """A number for component q and a monomial with exponents below `base`."""
    for exponent in monomial:
        q = q * base + exponent
    return q


def roads() -> Mapping[str, Road]:
    """Measurements and closed values by the library and without it; rational algebra at the proof's weights."""
    return {"library": library, "derivatives or sum of minima": plain, "sympy": symbolic}


def _blocks(d: int) -> tuple[int, ...]:
    s = d * (d + 1) // 2
    return 1, s, comb(s + 1, 2), d * s, d


def holds(case: Net | Closed | Special, result: Result) -> bool:
    """The blocks of the theorem, or their sum."""
    blocks = _blocks(case.dx)
    if isinstance(case, Special):
        return result == blocks[2:4]
    return bool(result == (blocks if isinstance(case, Net) else sum(blocks)))


def mutants() -> Mapping[str, Claim]:
    """Wrong blocks."""

    def total(case: Any, result: Result) -> int:
        return result if isinstance(result, int) else sum(result)

    def claim(change: int) -> Claim:
        def altered(case: Any, result: Result) -> bool:
            d, s = case.dx, case.dx * (case.dx + 1) // 2
            value = sum(_blocks(d)) - (comb(d, 2) if change else comb(s + 1, 2) - comb(s, 2))
            return isinstance(case, Special) or total(case, result) == value

        return altered

    return {
        "block 3 loses d(d-1)/2, as with all links equal to I": claim(1),
        "block 2 is binom(s, 2)": claim(0),
    }
