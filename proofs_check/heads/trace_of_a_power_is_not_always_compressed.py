"""Operators of order at most n/2 that kill tr G^n: none for d = 2, but the multiples of det^2 for d = 3, n >= 12.

Source: derived for this project (observed, no proof)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb
from typing import Any, NamedTuple

from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

PRIME = 4194301

STATEMENT = Statement(
    id="NEW.trace-power",
    title="The trace of the n-th power of a symmetric matrix is not always compressed: it fails at d = 3, n = 12",
    statement=r"Conjectured: $\mathrm{tr}\,G^n$, $G$ symmetric of size $d$, is compressed, its derivatives of order "
    r"$k\le n/2$ being independent ($S_s(k)$ dimensions). False for every $d\ge3$, $n\ge12$: "
    r"$\det(\partial)^2$ on a $3\times3$ block kills it. Mended: true for $d=2$ and for $n\le11$; at "
    r"$d=3$ the derivatives of order $k\le n/2$ span exactly $S_6(k)-S_6(k-6)$ dimensions (all in the "
    "scope).",
    source="docs/theory.md, Identity links",
    scope="n <= 24 and n = 40 for d = 2; n <= 14 and n = 16 for d = 3; n <= 8, 6, 5 for d = 4, 5, 6; all orders k <= "
    "n/2; modulo 4194301",
    expected=Verdict.CORRECTED,
    note="The failure is proved for all n >= 12 and d >= 3 (NEW.trace-killed); the ranks are exact, a measured lower "
    "bound meeting a proved upper one. The conjecture was meant to give full blocks k <= (C - 1)/2 at H = 1 for "
    "all L and d; identity links cannot do that for C >= 11 and d >= 3 (NEW.identity-links). For generic links "
    "(3,3) has full blocks all the same (NEW.h1-exact).",
)


class Trace(NamedTuple):
    """Width and power."""

    d: int
    n: int


def cases(level: str) -> Iterable[Trace]:
    """Every power up to a limit for each width."""
    limits = {2: 24, 3: 14, 4: 8, 5: 6, 6: 5} if level == "full" else {2: 10, 3: 6, 4: 5}
    traces = [Trace(d, n) for d, most in limits.items() for n in range(1, most + 1)]
    return [*traces, Trace(3, 16), Trace(2, 40)] if level == "full" else [*traces, Trace(3, 12)]


def derivatives(case: Trace) -> Result:
    """Ranks of the matrices of derivatives of order k <= n/2, from the coefficients of tr G^n."""
    import numpy as np

    from proofs_check.plain.derivatives import chain_rows, derivative_matrix, monomials_up_to, scaled
    from proofs_check.plain.field_rank import array_rank

    d, n = case
    monomials, one = monomials_up_to(d, n), np.eye(d, dtype=np.int64)
    trace = sum(chain_rows(one[i], [one] * (n - 1), monomials, PRIME)[i] for i in range(d)) % PRIME
    rows = scaled(trace[None], n, monomials, PRIME)
    found = []
    for k in range(n // 2 + 1):
        columns = np.arange(len(monomials.of[n - k]))
        if len(columns) > 4000:  # a sample can only lower the rank, and the bound tells
            columns = np.random.default_rng(0).permutation(columns)[:4000]
        found.append(array_rank(derivative_matrix(rows, monomials, n - k, monomials.of[k], columns), PRIME))
    return tuple(found)


def _callable(n: int) -> Any:
    """tr G^n as a function of two sides, times a coordinate of the output's token to fit the library's rules."""
    import numpy as np

    def network(tokens_A: Any, tokens_B: Any) -> Any:
        A, B = (
            np.einsum("rni,rnj->rij", side.astype(object), side.astype(object)) % PRIME for side in (tokens_A, tokens_B)
        )
        G = ((A[:, None] + B[None]) % PRIME).astype(np.int64)
        power = G
        for _ in range(n - 1):
            power = (power[..., :, :, None] * G[..., None, :, :] % PRIME).sum(axis=-2) % PRIME
        trace = np.trace(power, axis1=2, axis2=3) % PRIME
        return trace * tokens_A[:, 0, :1] % PRIME

    return network


def _sampled(d: int, C: int, most: int, network: Any) -> tuple[int, ...]:
    from seprank.attention.partition import Partition
    from seprank.separation.assignments import draw_assignments
    from seprank.separation.blocks import block_ranks

    tokens = draw_assignments(Partition(d, d), d, PRIME, 0, most)
    found = block_ranks(network, *tokens, [most] * (C + 1), PRIME)
    return tuple(piece.rank for piece in found if piece is not None)


def sampled(case: Trace) -> Result:
    """Ranks of the bidegree parts of tr (G_A + G_B)^n at sampled tokens, by the library's block method."""
    most = comb(case.d * (case.d + 1) // 2 + case.n // 2 - 1, case.n // 2) + 8
    if most > 150:
        return None
    return _sampled(case.d, case.n, most, _callable(case.n))[: case.n // 2 + 1]


def proved_bound(case: Trace) -> Result:
    """Operators of every order, less the multiples of det^2 at d = 3."""
    return _ranks(case, 6 if case.d == 3 else None)


def _ranks(case: Trace, order: int | None) -> tuple[int, ...]:
    s = case.d * (case.d + 1) // 2

    def count(k: int) -> int:
        return comb(s + k - 1, k) if k >= 0 else 0

    return tuple(count(k) - (count(k - order) if order else 0) for k in range(case.n // 2 + 1))


def roads() -> Mapping[str, Road]:
    """Two measurements, and the proved upper bound."""
    return {"derivatives": derivatives, "sampled values": sampled, "proved upper bound": proved_bound}


def holds(case: Trace, result: Result) -> bool:
    """All operators but the multiples of one of order 6, at d = 3."""
    return bool(result == _ranks(case, 6 if case.d == 3 else None))


def printed(case: Trace, result: Result) -> bool:
    """The conjecture: every rank is the number of operators."""
    return bool(result == _ranks(case, None))


def mutants() -> Mapping[str, Claim]:
    """Operators of other orders, at every width."""

    def vectors(case: Trace, result: Result) -> bool:
        return all(rank == comb(case.d + 2 * k - 1, 2 * k) for k, rank in enumerate(result))

    return {
        "killed by det(d/dG)^2 at d = 2, too": lambda case, result: result == _ranks(case, {2: 4, 3: 6}.get(case.d)),
        "killed by det(d/dG) itself, of order 3": lambda case, result: (
            result == _ranks(case, 3 if case.d == 3 else None)
        ),
        "spanned by powers of vectors only": vectors,
    }
