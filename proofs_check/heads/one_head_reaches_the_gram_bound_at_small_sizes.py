"""One head, long input: exact ranks at depths three to five and widths two and three.

Source: docs/theory.md, Exact values
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb

from proofs_check.heads._networks import PRIME, Net, arrays, derivative_blocks, sampled_blocks
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.h1-exact",
    title="One head reaches the Gram bound at (L, dx) = (3,2), (3,3), (4,2), (5,2): 232, 3102, 4538, 109024",
    statement=r"$H=1$, long input, almost all weights: $\mathrm{sep}$ is the Gram bound 232, 3102, 4538, 109024 at "
    "$(L,d)=(3,2),(3,3),(4,2),(5,2)$.",
    source="docs/theory.md, Exact values",
    scope="(3,2), (3,3), (4,2): all blocks at random weights modulo 4194301; (5,2): blocks 71 and 72, of full row and "
    "full column rank, which by propagation settle the others",
    expected=Verdict.HOLDS,
    note="Certified. (6,2): 2826912 and (4,3): 679581 were certified in the same way for the theory page, in runs of "
    "two to thirty minutes that are not repeated here. Not every (L, dx) reaches it: NEW.gram-missed-at-3-4.",
)


VALUES = {(3, 2): 232, (3, 3): 3102, (4, 2): 4538, (5, 2): 109024}


def cases(level: str) -> Iterable[Net]:
    """The table; the deepest by two blocks."""
    return [Net(L, d) for L, d in VALUES if level == "full" or (L, d) == (3, 2)]


def sampled(net: Net) -> Result:
    """All blocks, by the library up to L = 4."""
    return sum(sampled_blocks(net)) if net.L < 5 else None


def derivatives(net: Net) -> Result:
    """All blocks, or the two at the switch, of which one has full row rank and one full column rank."""
    if net.L < 5:
        return sum(derivative_blocks(net))
    from proofs_check.plain.derivatives import block_rank, layers_of, monomials_up_to, network_rows, scaled

    C, d, s = net.architecture.C, net.dx, net.architecture.s
    monomials = monomials_up_to(d, C)
    rows = scaled(network_rows(layers_of(*arrays(net), PRIME), 0, monomials, PRIME), C, monomials, PRIME)
    m = max(k for k in range(C + 1) if comb(s + k - 1, k) <= d * comb(s + C - k - 1, C - k))
    if block_rank(rows, C, m, monomials, PRIME) < comb(s + m - 1, m):
        return None
    if block_rank(rows, C, m + 1, monomials, PRIME) < d * comb(s + C - m - 2, C - m - 1):
        return None
    return sum(comb(s + k - 1, k) for k in range(m + 1)) + sum(d * comb(s + c - 1, c) for c in range(C - m))


def gram(net: Net) -> Result:
    """The proved upper bound, as a closed sum at the switch."""
    d, s, C = net.dx, net.architecture.s, net.architecture.C
    m = max(k for k in range(C + 1) if comb(s + k - 1, k) <= d * comb(s + C - k - 1, C - k))
    return comb(s + m, m) + d * comb(s + C - m - 1, C - m - 1)


def roads() -> Mapping[str, Road]:
    """Measurements, and the proved bound where only two blocks are measured."""
    return {"sampled values": sampled, "derivatives": derivatives, "closed Gram bound": gram}


def holds(net: Net, result: Result) -> bool:
    """The recorded value, which is the Gram bound."""
    s, C, d = net.architecture.s, net.architecture.C, net.dx
    bound = sum(min(comb(s + k - 1, k), d * comb(s + C - k - 1, C - k)) for k in range(C + 1))
    return bool(result == VALUES[net.L, d] == bound)


def mutants() -> Mapping[str, Claim]:
    """Smaller counts."""

    def side_B_only(net: Net, result: Result) -> bool:
        s, C = net.architecture.s, net.architecture.C
        return bool(result == sum(min(comb(s + k - 1, k), comb(s + C - k - 1, C - k)) for k in range(C + 1)))

    return {
        "without the factor dx of the output's own token": side_B_only,
        "one block short of the bound": lambda net, result: result == VALUES[net.L, net.dx] - 4,
    }
