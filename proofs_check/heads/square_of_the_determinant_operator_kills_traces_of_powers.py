"""For d >= 3 the operator det(d/dG)^2 kills the trace of every power of G.

Source: derived for this project (proof in the note)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import permutations
from typing import NamedTuple

from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

PRIME = 4194301

STATEMENT = Statement(
    id="NEW.trace-killed",
    title="The square of the determinant of derivatives along a 3 x 3 block kills the trace of every power",
    statement=r"$G$ symmetric of size $d\ge3$, $\partial$ the matrix with entries "
    r"$\frac{1+\delta_{ij}}2\,\partial/\partial g_{ij}$ on any $3\times3$ block: "
    r"$\det(\partial)^2\,\mathrm{tr}\,G^n=0$ for every $n$. Neither $\det(\partial)$ nor, on $2\times2$ "
    r"blocks, its square does so. In general $\det(\partial)^m$ on a block of size $b$ kills all of them iff "
    r"$\prod_{i<m,\,j<b}(s-i+\frac j2)$ has a double zero at $s=0$.",
    source="docs/theory.md, Identity links",
    scope="3 x 3 blocks: d = 3, n <= 14, d = 4, n <= 8; 4 x 4 at n = 8; det itself at d = 3, n <= 6 and 2 x 2 squares "
    "at d = 2, 3, n = 4, 6 do not kill",
    expected=Verdict.HOLDS,
    note="Proof for all n: by Cayley's identity det(d)^m det(X)^s is the product times det(X)^(s-m); a double zero at "
    "s = 0 means det(d)^m log det X = 0. With X = z - G (for a block, its Schur complement) tr (z - G)^(-1) is "
    "the derivative of log det(z - G) in z, and its series in 1/z holds every tr G^n.",
)


class Question(NamedTuple):
    """Size of the matrix, size of the block whose determinant is taken, its exponent, and the power of G."""

    d: int
    block: int
    exponent: int
    n: int


def cases(level: str) -> Iterable[Question]:
    """The square on a 3 x 3 block, and operators that do not kill."""
    full = level == "full"
    killing = [Question(3, 3, 2, n) for n in range(6, 15 if full else 9)]
    killing += [Question(4, 3, 2, n) for n in ((6, 7, 8) if full else (6,))] + ([Question(4, 4, 2, 8)] if full else [])
    return [
        *killing,
        *(Question(3, 3, 1, n) for n in (3, 4, 5, 6)),
        *(Question(d, 2, 2, n) for d in (2, 3) for n in (4, 6)),
    ]


def integer_polynomials(case: Question) -> Result:
    """tr G^n written out over the integers in python-flint, and differentiated term by term."""
    import flint

    d, block, exponent, n = case
    pairs = [(i, j) for i in range(d) for j in range(i, d)]
    context = flint.fmpz_mpoly_ctx.get([f"g{i}{j}" for i, j in pairs], "lex")
    entry = dict(zip(pairs, context.gens(), strict=True))
    G = [[entry[min(i, j), max(i, j)] for j in range(d)] for i in range(d)]
    power = G
    for _ in range(n - 1):
        power = [[sum((row[i] * G[i][j] for i in range(d)), context.constant(0)) for j in range(d)] for row in power]
    value = sum((power[i][i] for i in range(d)), context.constant(0))
    for _ in range(exponent):
        total = context.constant(0)
        for order in permutations(range(block)):
            term = value
            for i, j in enumerate(order):
                term = term.derivative(pairs.index((min(i, j), max(i, j)))) * (2 if i == j else 1)
            total = total + term * _sign(order)
        value = total
    return value == 0


def _sign(order: tuple[int, ...]) -> int:
    return (-1) ** sum(order[i] > order[j] for i in range(len(order)) for j in range(i + 1, len(order)))


def tables_modulo_prime(case: Question) -> Result:
    """The coefficients of the operator against all derivatives of tr G^n, modulo a prime."""
    import numpy as np

    from proofs_check.plain.derivatives import chain_rows, derivative_matrix, monomials_up_to, scaled

    d, block, exponent, n = case
    monomials, one = monomials_up_to(d, n), np.eye(d, dtype=np.int64)
    trace = sum(chain_rows(one[i], [one] * (n - 1), monomials, PRIME)[i] for i in range(d)) % PRIME
    rows = scaled(trace[None], n, monomials, PRIME)
    operator: dict[tuple[int, ...], int] = {(): 1}
    for _ in range(exponent):
        grown: dict[tuple[int, ...], int] = {}
        for word, factor in operator.items():
            for order in permutations(range(block)):
                steps = [monomials.pairs.index((min(i, j), max(i, j))) for i, j in enumerate(order)]
                name = tuple(sorted([*word, *steps]))
                weight = _sign(order) * 2 ** sum(i == j for i, j in enumerate(order))
                grown[name] = grown.get(name, 0) + factor * weight
        operator = grown
    names = np.array(list(operator))
    factors = np.array(list(operator.values()))[:, None] % PRIME
    below = n - names.shape[1]
    derivatives = derivative_matrix(rows, monomials, below, names, np.arange(len(monomials.of[below])))
    return not np.any((derivatives * factors % PRIME).sum(axis=0) % PRIME)


def roads() -> Mapping[str, Road]:
    """Whether the operator kills tr G^n, over the integers and modulo a prime."""
    return {"integer polynomials": integer_polynomials, "coefficient tables": tables_modulo_prime}


def _kills(block: int, exponent: int) -> bool:
    """Whether prod over i < exponent, j < block of (s - i + j/2) has a double zero at s = 0."""
    return sum(j == 2 * i for i in range(exponent) for j in range(block)) >= 2


def holds(case: Question, result: Result) -> bool:
    """It kills iff the Bernstein-Sato product has a double zero at 0."""
    return bool(result == _kills(case.block, case.exponent))


def mutants() -> Mapping[str, Claim]:
    """Other exponents and sizes."""
    return {
        "det(d/dG) itself kills for d >= 3": lambda case, result: result == (case.block >= 3),
        "the square kills for d = 2, too": lambda case, result: result == (case.exponent >= 2),
    }
