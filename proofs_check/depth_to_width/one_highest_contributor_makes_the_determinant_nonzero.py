"""One strictly highest contributor to a determinant makes it nonzero.   Source: levine2020depth, Lemma 7."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import permutations, product
from typing import NamedTuple

from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.field.draw import words

STATEMENT = Statement(
    id="D2W.lemma7",
    title="A matrix of polynomials with one strictly highest contributor to its determinant is almost always "
    "invertible",
    statement=r"If among the products $\prod_ip_{i\sigma(i)}(\Omega)$ over permutations $\sigma$ one has a strictly "
    r"highest degree "
    r"$D$, the matrix $(p_{ij}(\Omega))$ is singular for at most $D$ values of $\Omega$.",
    source="levine2020depth, Lemma 7",
    scope="exhaustive over Omega in F_p: all 2 x 2 matrices of powers Omega^e, e <= 3 (p = 13), all 3 x 3 ones with e "
    "<= 2 "
    "(p = 11), and 60 matrices up to 4 x 4 of random polynomials of degree <= 3 (p = 101); symbolic determinants for "
    "the "
    "random ones",
    expected=Verdict.HOLDS,
    note="Proved in general: the highest term cannot cancel. With a tie it can: [[x, x], [x, x]] is always singular.",
)


class Case(NamedTuple):
    """The coefficients (low to high) of every entry, row by row, and the prime."""

    size: int
    entries: tuple[tuple[int, ...], ...]
    prime: int


def cases(level: str) -> Iterable[Case]:
    """All small matrices of powers, then random ones."""
    yield from (_powers(2, exponents, 13) for exponents in product(range(4), repeat=4))
    three = product(range(3), repeat=9) if level == "full" else product(range(2), repeat=9)
    yield from (_powers(3, exponents, 11) for exponents in three)
    for seed in range(60 if level == "full" else 10):
        yield _random(seed)


def _powers(size: int, exponents: tuple[int, ...], prime: int) -> Case:
    return Case(size, tuple((0,) * e + (1,) for e in exponents), prime)


def _random(seed: int) -> Case:
    size = 2 + seed % 3
    drawn = [int(word) for word in words(seed, "polynomials", 0, 5 * size * size)]
    parts = [drawn[5 * i : 5 * i + 5] for i in range(size * size)]
    return Case(size, tuple(tuple(1 + c % 9 for c in part[: 1 + part[4] % 4]) for part in parts), 101)


def contributors(case: Case) -> list[int]:
    """Degrees of the products of the determinant's expansion, highest first. Leading coefficients are not 0."""
    degrees = [len(entry) - 1 for entry in case.entries]
    sums = (sum(degrees[i * case.size + c] for i, c in enumerate(s)) for s in permutations(range(case.size)))
    return sorted(sums, reverse=True)


def expanded(case: Case) -> tuple[int, int]:
    """Degree of the determinant (-1 for zero) and number of its roots in F_p, from the Leibniz expansion."""
    total: list[int] = [0]
    for order in permutations(range(case.size)):
        sign = (-1) ** sum(order[i] > order[j] for i in range(case.size) for j in range(i + 1, case.size))
        term = [sign]
        for i, c in enumerate(order):
            term = _times(term, case.entries[i * case.size + c])
        total += [0] * (len(term) - len(total))
        total = [a + (term[i] if i < len(term) else 0) for i, a in enumerate(total)]
    degree = max((i for i, c in enumerate(total) if c % case.prime), default=-1)
    values = (sum(c * pow(x, i, case.prime) for i, c in enumerate(total)) for x in range(case.prime))
    return degree, sum(value % case.prime == 0 for value in values)


def _times(a: list[int], b: tuple[int, ...]) -> list[int]:
    found = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            found[i + j] += x * y
    return found


def by_rank(case: Case) -> tuple[int, int]:
    """The same from flint: determinants at all of F_p interpolated, ranks counted."""
    import flint

    p, n = case.prime, case.size
    entries = [flint.nmod_poly(list(entry), p) for entry in case.entries]
    matrices = [flint.nmod_mat(n, n, [int(entry(x)) for entry in entries], p) for x in range(p)]
    values = [int(matrix.det()) for matrix in matrices]
    # The coefficient of x^i in F_p[x] modulo x^p - x is - sum_a f(a) a^(p-1-i) for 0 < i < p, and f(0) for i = 0.
    powers = [-sum(v * pow(a, p - 1 - i, p) for a, v in enumerate(values)) % p for i in range(1, p)]
    degree = max((i for i, c in enumerate([values[0], *powers]) if c), default=-1)
    return degree, sum(matrix.rank() < n for matrix in matrices)


def symbolic(case: Case) -> tuple[int, int] | None:
    """The same from sympy's determinant, for the random matrices up to 3 x 3."""
    if case.prime != 101 or case.size > 3:
        return None
    import sympy

    x = sympy.Symbol("x")
    rows = [sum(c * x**i for i, c in enumerate(entry)) for entry in case.entries]
    determinant = sympy.Matrix(case.size, case.size, rows).det(method="berkowitz")
    poly = sympy.Poly(sympy.expand(determinant), x, modulus=case.prime)
    return (-1 if poly.is_zero else poly.degree()), sum(poly.eval(a) % case.prime == 0 for a in range(case.prime))


def roads() -> Mapping[str, Road]:
    """Degree and number of singular values, three times."""
    return {"Leibniz expansion": expanded, "ranks at all of F_p, flint": by_rank, "sympy": symbolic}


def holds(case: Case, result: tuple[int, int]) -> bool:
    """With a single highest contributor: its degree is that of the determinant, which bounds the exceptions."""
    top, *others = contributors(case)
    unique = others[0] < top
    return not unique or (result[0] == top and result[1] <= top)


def mutants() -> Mapping[str, Claim]:
    """A tie, and no exception at all."""

    def with_ties(case: Case, result: tuple[int, int]) -> bool:
        return result[0] == contributors(case)[0]

    def no_exception(case: Case, result: tuple[int, int]) -> bool:
        top, second, *_ = contributors(case)
        return second == top or result[1] == 0

    return {"a tie for the highest degree does no harm": with_ties, "invertible for every value": no_exception}
