"""One head, both sides with at least two tokens, or one each: the Gram bound is reached in every case tried.

Source: derived for this project (observed, no proof)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb

from proofs_check.heads._networks import Net, derivative_blocks, sampled_blocks
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.h1-short",
    title="One head reaches the Gram bound on short inputs with equal sides, and with sides of two and three tokens",
    statement=r"$H=1$: for $N_A=N_B$, and for $(2,3)$, $(3,2)$, every block has rank $\min(D_B(k),D_A(C-k))$ in the "
    "cases of the scope; at $L=3$, $d=3$: 560, 2640, 2850, 2892 for $(1,1),(2,2),(2,3),(3,2)$.",
    source="docs/theory.md, Short inputs",
    scope="L = 2: dx <= 5 with every N < dx, dx = 6 with N <= 3, and (2,3), (3,2) for dx = 3, 4; L = 3: dx = 2 at "
    "(1,1), dx = 3 at (1,1), (2,2), (2,3), (3,2); random weights modulo 4194301",
    expected=Verdict.HOLDS,
    note="Certified case by case: a rank meets the proved bound. It does not extend to a single token on one side "
    "(NEW.single-token-side) nor to all depths and widths (NEW.gram-missed-at-3-4).",
)


def cases(level: str) -> Iterable[Net]:
    """Equal sides, and the two unequal ones with two and three tokens."""
    full = level == "full"
    nets = [Net(2, d, 1, NA=n, NB=n) for d in range(2, 7 if full else 5) for n in range(1, d)]
    nets += [Net(2, d, 1, NA=a, NB=b) for d in (3, 4) for a, b in ((2, 3), (3, 2))]
    nets += [Net(3, 2, 1, NA=1, NB=1), Net(2, 3, 1, NA=1, NB=2)]
    deep = [Net(3, 3, 1, NA=a, NB=b) for a, b in ((1, 1), (2, 2), (2, 3), (3, 2))]
    return [net for net in nets if net.dx < 6 or net.NA <= 3] + (deep if full else [])


def bound(net: Net) -> Result:
    """The Gram bound by the hook-content formula; left out where it is known to be missed."""
    return None if net.NA == 1 < net.NB else _gram(net)


def _gram(net: Net) -> Result:
    from proofs_check.plain.schur import side_A, side_B

    C = net.architecture.C
    return tuple(min(side_B(net.dx, net.NB, k), side_A(net.dx, net.NA, C - k)) for k in range(C + 1))


def derivatives(net: Net) -> Result:
    """All derivatives, where the tables are small."""
    return derivative_blocks(net) if net.L * net.dx <= 8 else None


def roads() -> Mapping[str, Road]:
    """Measurements and the proved bound."""
    return {"sampled values": sampled_blocks, "derivatives": derivatives, "proved upper bound": bound}


def holds(net: Net, result: Result) -> bool:
    """Totals at (3,3), and the Gram bound (39 below 41 where one side alone has a single token)."""
    if net.NA == 1 < net.NB:
        return bool(sum(result) == 39)
    known = {(1, 1): 560, (2, 2): 2640, (2, 3): 2850, (3, 2): 2892}
    return (net.L, net.dx) != (3, 3) or bool(sum(result) == known[net.NA, net.NB])


def mutants() -> Mapping[str, Claim]:
    """Long input from the first token on, and every pair of sides."""

    def long_input(net: Net, result: Result) -> bool:
        s, C, d = net.architecture.s, net.architecture.C, net.dx
        return bool(sum(result) == sum(min(comb(s + k - 1, k), d * comb(s + C - k - 1, C - k)) for k in range(C + 1)))

    return {
        "the long-input value at every N": long_input,
        "reached at every N_A, N_B": lambda net, result: result == _gram(net),
    }
