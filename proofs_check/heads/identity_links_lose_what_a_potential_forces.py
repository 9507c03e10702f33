"""All links I: block ranks of e_1^T G^C; besides the potential tr G^(C+1) an operator of order 6 lowers them.

Source: derived for this project (observed, no proof)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb
from typing import Any, NamedTuple

from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

PRIME = 4194301

STATEMENT = Statement(
    id="NEW.identity-links",
    title="With all links equal to I the blocks lose what the potential tr G^(C+1) forces, and from C = 11 on more",
    statement="$f=e_1^TG^C$, any $C$, $c=C-k$. First conjectured: block $k$ has rank "
    r"$\min\bigl(S_s(k),\,S_s(c+1)-S_{s-d}(c+1)\bigr)$, an upper bound because $f_q$ is a multiple of "
    r"$\partial\,\mathrm{tr}\,G^{C+1}/\partial g_{1q}$. Mended: that holds for $d=2$ and for $C\le10$; for $d=3$ "
    r"the rank is $\min\bigl(S_6(k)-S_6(k-6),\,S_6(c+1)-S_3(c+1)-S_6(c-5)\bigr)$, since $\det(\partial)^2$, of "
    "order 6, kills the potential.",
    source="docs/theory.md, Identity links",
    scope="every C up to 20, 13, 7, 5, 4 for d = 2, 3, 4, 5, 6; all blocks, modulo 4194301",
    expected=Verdict.CORRECTED,
    note="Both forms are proved upper bounds (NEW.trace-killed), so the ranks found are exact; that the mended one is "
    "always reached is a conjecture. First failure of the other: d = 3, C = 11, block 6 has rank 433, not 434. "
    "Identity links are worse than generic ones and give no upper bound for these.",
)


class Chain(NamedTuple):
    """Width and number of factors."""

    d: int
    C: int


def cases(level: str) -> Iterable[Chain]:
    """Every number of factors, not only (3^L - 1)/2."""
    limits = {2: 20, 3: 13, 4: 7, 5: 5, 6: 4} if level == "full" else {2: 9, 3: 6, 4: 4}
    chains = [Chain(d, C) for d, most in limits.items() for C in range(1, most + 1)]
    return chains if level == "full" else [*chains, Chain(3, 11)]


def derivatives(case: Chain) -> Result:
    """All derivatives of the components of e_1^T G^C."""
    import numpy as np

    from proofs_check.plain.derivatives import block_rank, chain_rows, monomials_up_to, scaled

    monomials, one = monomials_up_to(case.d, case.C), np.eye(case.d, dtype=np.int64)
    rows = scaled(chain_rows(one[0], [one] * (case.C - 1), monomials, PRIME), case.C, monomials, PRIME)
    return tuple(block_rank(rows, case.C, k, monomials, PRIME) for k in range(case.C + 1))


def _callable(C: int) -> Any:
    """The network as a function of two sides for the library: e_1^T G^C x."""
    import numpy as np

    def network(tokens_A: Any, tokens_B: Any) -> Any:
        A, B = (
            np.einsum("rni,rnj->rij", side.astype(object), side.astype(object)) % PRIME for side in (tokens_A, tokens_B)
        )
        G = ((A[:, None] + B[None]) % PRIME).astype(np.int64)
        row = G[:, :, 0]
        for _ in range(C - 1):
            row = (row[:, :, :, None] * G % PRIME).sum(axis=2) % PRIME
        return (row * tokens_A[:, None, 0] % PRIME).sum(axis=2) % PRIME

    return network


def _sampled(d: int, C: int, most: int, network: Any) -> tuple[int, ...]:
    from seprank.attention.partition import Partition
    from seprank.separation.assignments import draw_assignments
    from seprank.separation.blocks import block_ranks

    tokens = draw_assignments(Partition(d, d), d, PRIME, 0, most)
    found = block_ranks(network, *tokens, [most] * (C + 1), PRIME)
    return tuple(piece.rank for piece in found if piece is not None)


def sampled(case: Chain) -> Result:
    """Values of e_1^T G^C x at sampled tokens, by the library's block method; small cases."""
    s = case.d * (case.d + 1) // 2
    most = max(min(count(s, k), case.d * count(s, case.C - k)) for k in range(case.C + 1)) + 8
    return _sampled(case.d, case.C, most, _callable(case.C)) if most <= 260 else None


def upper_bound(case: Chain) -> Result:
    """Operators on side B, relations of a gradient on side A, both modulo multiples of det^2: the proved bound."""
    return _ranks(case, True, True) if case.C >= 3 else None


def count(n: int, k: int) -> int:
    """Monomials of degree k in n variables."""
    if k < 0:
        return 0
    return comb(n + k - 1, k) if n else int(k == 0)


def _ranks(case: Chain, gradient: bool, killed: bool) -> tuple[int, ...]:
    d, C, s = case.d, case.C, case.d * (case.d + 1) // 2
    found = []
    for k in range(C + 1):
        c = C - k
        side_B = count(s, k) - (count(s, k - 6) if killed and d == 3 else 0)
        side_A = count(s, c + 1) - count(s - d, c + 1) - (count(s, c - 5) if killed and d == 3 else 0)
        found.append(min(side_B, side_A if gradient else d * count(s, c)))
    return tuple(found)


def roads() -> Mapping[str, Road]:
    """Two measurements and the proved bound."""
    return {"derivatives": derivatives, "sampled values": sampled, "proved upper bound": upper_bound}


def holds(case: Chain, result: Result) -> bool:
    """The mended minimum."""
    return bool(result == _ranks(case, True, True))


def printed(case: Chain, result: Result) -> bool:
    """The form first conjectured, without the operator of order 6."""
    return bool(result == _ranks(case, True, False))


def mutants() -> Mapping[str, Claim]:
    """No potential, or no potential but the operator."""
    return {
        "the Gram bound is reached": lambda case, result: result == _ranks(case, False, False),
        "the operator alone, no potential": lambda case, result: result == _ranks(case, False, True),
    }
