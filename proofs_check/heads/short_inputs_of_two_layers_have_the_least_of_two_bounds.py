"""L = 2, N_A = N_B: the smaller of the staircase and the Gram bound is the rank in every block.

Source: derived for this project (observed, no proof)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proofs_check.heads._networks import Net, derivative_blocks, divisors, sampled_blocks
from proofs_check.plain import staircase
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.short-inputs",
    title="Two layers, several heads, short input: the smaller of the staircase and the Gram bound is the rank",
    statement=r"$L=2$, $H\ge2$, $N_A=N_B=N$: every block has rank $\min(\text{staircase "
    r"bound},\min(D_B(k),D_A(C-k)))$. Both bounds are proved. At $L=3$ not always: $d=H=3$, $N=2$ gives "
    "2274, below 2350 in the blocks 5 to 8.",
    source="docs/theory.md, Short inputs",
    scope="L = 2: dx <= 5, every H >= 2 dividing dx, every N < dx; dx = 6, N <= 3; L = 3: (2,2) at N = 1 and (3,3) at "
    "N = 1, 2; random weights modulo 4194301",
    expected=Verdict.HOLDS,
    note="Where the bound is met the value is certified. N = 2 already gives the long-input value at L = 2 for H >= "
    "2, dx <= 6.",
)


def cases(level: str) -> Iterable[Net]:
    """L = 2 with every H > 1 dividing dx, and the exception at L = 3."""
    full = level == "full"
    nets = [Net(2, d, H, NA=n, NB=n) for d in range(2, 7 if full else 5) for H in divisors(d)[1:] for n in range(1, d)]
    nets = [net for net in nets if net.dx < 6 or net.NA <= 3]
    nets += [Net(3, 2, 2, NA=1, NB=1)]
    return [*nets, Net(3, 3, 3, NA=1, NB=1), Net(3, 3, 3, NA=2, NB=2)] if full else nets


def bound(net: Net) -> Result:
    """Block by block the smaller of the largest matching and the Gram bound for this number of tokens."""
    if net.L == 3 and net.dx == 3 and net.NA == 2:
        return None  # not reached there
    stairs = staircase.bounds(net.L, staircase.forms(net.dx, net.H, net.dx // net.H))
    return tuple(map(min, stairs, _gram(net)))


def _gram(net: Net) -> list[int]:
    """Dimensions of both sides from the hook-content formula."""
    from proofs_check.plain.schur import side_A, side_B

    C = net.architecture.C
    return [min(side_B(net.dx, net.NB, k), side_A(net.dx, net.NA, C - k)) for k in range(C + 1)]


def roads() -> Mapping[str, Road]:
    """Two measurements and the proved bound."""
    return {"sampled values": sampled_blocks, "derivatives": derivative_blocks, "proved upper bound": bound}


def holds(net: Net, result: Result) -> bool:
    """The minimum of both bounds; below it at (3,3,3), N = 2 + 2."""
    if (net.L, net.dx, net.NA) == (3, 3, 2):
        return bool(sum(result) == 2274)
    return True


def mutants() -> Mapping[str, Claim]:
    """One bound alone, or the minimum at every depth."""

    def stairs(net: Net) -> list[int]:
        return staircase.bounds(net.L, staircase.forms(net.dx, net.H, net.dx // net.H))

    return {
        "the staircase bound of long input": lambda net, result: list(result) == stairs(net),
        "the Gram bound of this number of tokens": lambda net, result: list(result) == _gram(net),
        "the smaller of both sums": lambda net, result: sum(result) == min(sum(stairs(net)), sum(_gram(net))),
    }
