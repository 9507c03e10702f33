"""One layer has rank min(dx, H da) + 1 for every number of heads and tokens.

Source: docs/theory.md, Exact values
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proofs_check.heads._networks import Net, derivative_blocks, sampled_blocks
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.one-layer",
    title="One layer has rank min(dx, H da) + 1, whatever the number of tokens",
    statement=r"$L=1$, almost all weights, every $H$, $d_a$ and $N_A,N_B\ge1$: $\mathrm{sep}=\min(d,Hd_a)+1$.",
    source="docs/theory.md, Exact values",
    scope="dx, H <= 5, da <= dx + 1, N = 1+1, 1+2, 2+1 and dx+dx, random weights modulo 4194301",
    expected=Verdict.HOLDS,
    note="Proved for all sizes in docs/theory.md.",
)


def cases(level: str) -> Iterable[Net]:
    """All small head numbers and sizes, tokens on both sides."""
    most = 5 if level == "full" else 4
    sizes = [(d, H, da) for d in range(1, most + 1) for H in range(1, most + 1) for da in range(1, d + 2)]
    nets = [Net(1, d, H, da, a, b) for d, H, da in sizes for a, b in ((0, 0), (1, 1), (1, 2), (2, 1))]
    return nets if level == "full" else nets[::3]


def sampled(net: Net) -> Result:
    """Rank of sampled values: the library."""
    return sum(sampled_blocks(net))


def forms(net: Net) -> Result:
    """y = e^T M(G_A) x + e^T M(G_B) x: one function of A, and the rank of the pairing of x with the forms in G_B."""
    return sum(derivative_blocks(net))


def roads() -> Mapping[str, Road]:
    """The rank, twice."""
    return {"sampled values": sampled, "derivatives": forms}


def holds(net: Net, result: Result) -> bool:
    """min(dx, H da) + 1."""
    return bool(result == min(net.dx, net.H * net.architecture.da) + 1)


def mutants() -> Mapping[str, Claim]:
    """Bounds that ignore the inner width, and eq. 18."""
    return {
        "dx + 1 whatever the heads": lambda net, result: result == net.dx + 1,
        "H (da + 1), eq. 18 as the value": lambda net, result: result == net.H * (net.architecture.da + 1),
        "H da + 1 also above dx": lambda net, result: result == net.H * net.architecture.da + 1,
    }
