"""With several heads and long input the staircase bound is the exact rank, case by case.

Source: docs/theory.md, Exact values
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proofs_check.heads._networks import Net, derivative_blocks, sampled_blocks
from proofs_check.plain import staircase
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

VALUES = {
    **{(2, d, d): value for d, value in {2: 17, 3: 43, 4: 85, 5: 146, 6: 231, 8: 489}.items()},
    **{(2, 4, 2): 107, (2, 6, 2): 379, (2, 6, 3): 340, (2, 8, 2): 989, (2, 8, 4): 789},
    **{(3, 2, 2): 215, (3, 3, 3): 2441, (4, 2, 2): 4263},
}
QUICK = [key for key in VALUES if key[0] * key[1] <= 12 and key != (3, 3, 3)] + [(3, 2, 2), (4, 2, 2)]

STATEMENT = Statement(
    id="NEW.staircase-reached",
    title="Exact ranks with several heads: 107 at (L, dx, H) = (2, 4, 2), 2441 at (3, 3, 3), 4263 at (4, 2, 2), ...",
    statement="Long input, $H d_a=d$: at every $(L,d,H)$ of the scope each block of a network with random weights "
    "has the rank that the staircase bound allows. A rank modulo a prime is a lower bound for almost all "
    "weights, the staircase bound an upper one for all, so these values are exact.",
    source="docs/theory.md, Exact values",
    scope="(2,d,d) for d = 2, 3, 4, 5, 6, 8; (2,4,2), (2,6,2), (2,6,3), (2,8,2), (2,8,4); (3,2,2), (3,3,3), (4,2,2); "
    "all blocks, no skip connections",
    expected=Verdict.HOLDS,
    note="Certified: a deterministic lower bound meets a proved upper bound. (3,4,2): 31095 comes "
    "from the same comparison but takes a minute: `seprank rank --L 3 --dx 4 --H 2` repeats it. For H = dx at L = 3, 4 "
    "see NEW.unseen-frontier.",
)


def cases(level: str) -> Iterable[Net]:
    """The table."""
    chosen = VALUES if level == "full" else QUICK
    return [Net(L, d, H) for L, d, H in dict.fromkeys(chosen)]


def proved_bound(net: Net) -> Result:
    """The upper bound, as largest matchings of the staircase pattern."""
    return tuple(staircase.bounds(net.L, staircase.forms(net.dx, net.H, net.architecture.da)))


def roads() -> Mapping[str, Road]:
    """Two measurements and the proved upper bound, all of which must agree in every block."""
    return {
        "sampled values": sampled_blocks,
        "derivatives": derivative_blocks,
        "proved upper bound": proved_bound,
    }


def holds(net: Net, result: Result) -> bool:
    """The recorded value."""
    return sum(result) == VALUES[net.L, net.dx, net.H]


def mutants() -> Mapping[str, Claim]:
    """The value of one head, and block 2 left full."""

    def one_head(net: Net, result: Result) -> bool:
        return sum(result) == sum(staircase.bounds(net.L, staircase.forms(net.dx, 1, net.dx)))

    def full_second_block(net: Net, result: Result) -> bool:
        return result[2] == staircase.monomial_count(net.architecture.s, 2)

    return {"the Gram bound is reached": one_head, "block 2 is full": full_second_block}
