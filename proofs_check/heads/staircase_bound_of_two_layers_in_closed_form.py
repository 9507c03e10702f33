"""The staircase bound at L = 2, block by block, in closed form.   Source: docs/theory.md, Staircase bound"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb

from proofs_check.heads._networks import Net, divisors
from proofs_check.plain import staircase
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.staircase-L2",
    title="Two layers: the staircase bound misses only the quadratics in the unseen entries, unless H = dx",
    statement=r"$L=2$, $2\le H<d$: blocks $1,\ s,\ \binom{s+1}2-\binom{\zeta+1}2,\ ds,\ d$ with $\zeta=s-d^2/H$. "
    r"$H=d$: blocks $1,\ s,\ s+d(s-d),\ d^2+\min\bigl(d(s-d),\binom{d+2}3\bigr),\ d$.",
    source="docs/theory.md, Staircase bound",
    scope="dx <= 20, every H >= 2 dividing dx",
    expected=Verdict.HOLDS,
)


def cases(level: str) -> Iterable[Net]:
    """Every H >= 2 dividing dx."""
    most = 20 if level == "full" else 12
    return [Net(2, d, H) for d in range(2, most + 1) for H in divisors(d) if H > 1]


def library(net: Net) -> Result:
    """The library's minimum over t."""
    from seprank.closed_forms.staircase import staircase_blocks

    return tuple(staircase_blocks(net.architecture))


def matching(net: Net) -> Result:
    """Largest matchings of the pattern."""
    return tuple(staircase.bounds(2, staircase.forms(net.dx, net.H, net.dx // net.H)))


def roads() -> Mapping[str, Road]:
    """The bound, twice."""
    return {"minimum over t": library, "largest matching": matching}


def _few_heads(d: int, H: int) -> Result:
    s = d * (d + 1) // 2
    zeta = s - d * d // H
    return 1, s, comb(s + 1, 2) - comb(zeta + 1, 2), d * s, d


def _many_heads(d: int, cubics: bool = True) -> Result:
    s = d * (d + 1) // 2
    third = d * (s - d)
    return 1, s, s + d * (s - d), d * d + (min(third, comb(d + 2, 3)) if cubics else third), d


def holds(net: Net, result: Result) -> bool:
    """The closed form."""
    return result == (_many_heads(net.dx) if net.H == net.dx else _few_heads(net.dx, net.H))


def mutants() -> Mapping[str, Claim]:
    """One formula for all H, and block 3 without the cubics."""

    def without_cubics(net: Net, result: Result) -> bool:
        return result == (_many_heads(net.dx, False) if net.H == net.dx else _few_heads(net.dx, net.H))

    return {
        "the formula of H < dx at H = dx": lambda net, result: result == _few_heads(net.dx, net.H),
        "block 3 at H = dx is d^2 + d(s - d)": without_cubics,
    }
