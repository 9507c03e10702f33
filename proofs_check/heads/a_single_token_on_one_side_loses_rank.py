"""One head, a single token on the output's side: the Gram bound is missed, in closed form at L = 2.

Source: derived for this project (observed, no proof)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb

from proofs_check.heads._networks import Net, derivative_blocks, sampled_blocks
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.single-token-side",
    title="One head and a single token on one side miss the Gram bound, in closed form at two layers: 39, 80, 146, 245",
    statement=r"$L=2$, $H=1$ (conjecture for all $d$). $N_A=1$, $N_B\ge2$: blocks $1,\ s,\ \binom{d+3}4+\binom{d+1}3,\ "
    r"\binom{d+2}3,\ d$, where the Gram bound of long $B$ allows $\binom{s+1}2$ in block 2. $N_A\ge2$, $N_B=1$: "
    r"blocks $1,\ s,\ \binom{d+3}4,\ \min\bigl(ds,\binom{d+2}3+\binom{d+1}3+d(d-1)\bigr),\ d$, full up to $d=5$, "
    "275 against 280 at $d=6$. At $L=3$: $d=2$: 125 for $(1,2)$, 137 for $(2,1)$; $d=3$: 800 for $(1,2)$, 879 "
    "for $(2,1)$.",
    source="docs/theory.md, Short inputs",
    scope="L = 2: dx <= 5, N = 1+2, 1+dx, 2+1, dx+1; dx = 6, 7, N = 1+2, 2+1; L = 3: dx = 2 at N = 1+2, 1+3, 2+1, 3+1, "
    "dx = 3 at N = 1+2, 2+1; random weights modulo 4194301",
    expected=Verdict.HOLDS,
    note="Observed, no proof of the loss. At N_B = 1 the loss begins at dx = 6: 121, 182 in block 3 for dx = 6, 7 "
    "(and, by sampled values alone, 260, 357, 475 for dx = 8, 9, 10, as the formula says). (1,3) and (3,1) at "
    "(3,3) gave 807 and 882. A test that compares with the Gram bound must not use a single token on exactly one "
    "side.",
)


DEEP = {
    (2, 1, 2): 125,
    (2, 2, 1): 137,
    (2, 1, 3): 125,
    (2, 3, 1): 137,
    (3, 1, 2): 800,
    (3, 2, 1): 879,
}


def cases(level: str) -> Iterable[Net]:
    """N_A = 1 and N_B = 1 at L = 2, and the values at L = 3."""
    full = level == "full"
    nets = [Net(2, d, 1, NA=a, NB=b) for d in range(2, 6 if full else 5) for a, b in ((1, 2), (1, d), (2, 1), (d, 1))]
    nets += [Net(2, d, 1, NA=a, NB=b) for d in (6, 7) for a, b in ((1, 2), (2, 1)) if full or (d, a) == (6, 2)]
    deep = [Net(3, d, 1, NA=a, NB=b) for d, a, b in DEEP if full or d == 2]
    return list(dict.fromkeys([*nets, *deep]))


def roads() -> Mapping[str, Road]:
    """Block ranks, twice."""
    return {"sampled values": sampled_blocks, "derivatives": derivative_blocks}


def _blocks(d: int) -> tuple[int, ...]:
    return 1, d * (d + 1) // 2, comb(d + 3, 4) + comb(d + 1, 3), comb(d + 2, 3), d


def holds(net: Net, result: Result) -> bool:
    """The closed form at L = 2, the values at L = 3."""
    if net.L == 3:
        return bool(sum(result) == DEEP[net.dx, net.NA, net.NB])
    return bool(result == (_blocks(net.dx) if net.NA == 1 else _other_side(net.dx)))


def _other_side(d: int) -> tuple[int, ...]:
    """One token on side B: block 3 is full up to d = 5."""
    s = d * (d + 1) // 2
    return 1, s, comb(d + 3, 4), min(d * s, comb(d + 2, 3) + comb(d + 1, 3) + d * (d - 1)), d


def mutants() -> Mapping[str, Claim]:
    """The Gram bound, or a loss that does not depend on the side."""

    def gram(net: Net, result: Result) -> bool:
        d, s = net.dx, net.architecture.s
        return net.L == 3 or net.NA > 1 or result[2] == min(comb(s + 1, 2), d * s)

    def either_side(net: Net, result: Result) -> bool:
        return net.L == 3 or bool(result == _blocks(net.dx))

    def full_third(net: Net, result: Result) -> bool:
        return net.L == 3 or net.NA == 1 or result[3] == net.dx * net.architecture.s

    return {
        "block 2 is full with one token on the output's side": gram,
        "the same with one token on side B": either_side,
        "block 3 is always full with one token on side B": full_third,
    }
