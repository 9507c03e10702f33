"""For H da >= dx, but for one full head, the staircase bound is the rank of long input at small sizes.

Source: docs/theory.md, Staircase bound
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proofs_check.heads._networks import Net, derivative_blocks, divisors, sampled_blocks
from proofs_check.plain import staircase
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.staircase-conjecture",
    title="With H >= 2 heads and H da >= dx the staircase bound is the rank of long input at small sizes",
    statement=r"For $H\ge2$, $Hd_a\ge d$, $N_A,N_B\ge d$ and the sizes of the scope every block of a generic network "
    "has the rank of its staircase bound; for heads that together see all of $G$ this is the Gram bound. One head "
    "narrower than $d$ and more heads with $Hd_a<d$ are not part of it: there the bound is missed at times.",
    source="docs/theory.md, Staircase bound",
    scope="new cases: (2,d,H) with d = 7, 9, 10 and every H >= 2 dividing d, (2,12,12); L = 2, 3 <= dx <= 6 with "
    "H da > dx, da <= 3; L = 3: (dx, H, da) = (2,3,1), (3,4,1), (3,5,1), (3,6,1), (3,2,2); (4,2,3,1), (4,2,2,2); each "
    "certified: a rank meets the proved bound block by block",
    expected=Verdict.HOLDS,
    note="First conjectured for all sizes; refuted at (3,5,5): NEW.staircase-missed. Where it holds is open: "
    "NEW.open.staircase-lower. Also met, in single runs that take up to a minute: "
    "(2,11,11), (2,12,2), (2,12,3), (2,12,4), (2,12,6). At H = 1 the analogous statement fails at (L, "
    "dx) = (3,4) because weights repeat in the word of the network (NEW.gram-missed-at-3-4).",
)
WIDE = [(d, H, da) for d in (3, 4, 5, 6) for da in (1, 2, 3) for H in range(2, 9) if d < H * da <= d + 2 * da]


def cases(level: str) -> Iterable[Net]:
    """Widths with H dividing dx beyond the table; head sizes with H da > dx; depths 3 and 4."""
    quick = [Net(2, 7, 7), Net(2, 9, 9), Net(2, 3, 4, 1), Net(2, 3, 5, 1), Net(2, 4, 5, 1), Net(2, 4, 7, 1)]
    quick += [Net(2, 5, 3, 2), Net(2, 6, 4, 2), Net(3, 2, 3, 1)]
    if level != "full":
        return quick
    nets = [Net(2, d, H) for d in (7, 9, 10) for H in divisors(d) if H > 1]
    nets += [Net(2, 12, 12)]
    nets += [Net(2, d, H, da) for d, H, da in WIDE]
    nets += [Net(3, d, H, da) for d, H, da in ((2, 3, 1), (3, 4, 1), (3, 5, 1), (3, 6, 1), (3, 2, 2))]
    nets += [Net(4, 2, 3, 1), Net(4, 2, 2, 2)]
    return list(dict.fromkeys([*quick, *nets]))


def derivatives(net: Net) -> Result:
    """All derivatives, where the tables are small."""
    return derivative_blocks(net) if (net.L, net.dx) < (2, 7) or net.dx <= 2 else None


def proved_bound(net: Net) -> Result:
    """The upper bound, as largest matchings of the staircase pattern."""
    return tuple(staircase.bounds(net.L, staircase.forms(net.dx, net.H, net.architecture.da)))


def roads() -> Mapping[str, Road]:
    """One or two measurements and the proved upper bound: where they agree the value is exact."""
    return {"sampled values": sampled_blocks, "derivatives": derivatives, "proved upper bound": proved_bound}


def holds(net: Net, result: Result) -> bool:
    """The bound, in the form of section 'Staircase bound' with min(s, H da^2) seen forms."""
    sizes = staircase.Forms(net.dx, min(net.architecture.s, net.H * net.architecture.da**2), net.architecture.s)
    return result == tuple(staircase.bounds(net.L, sizes))


def mutants() -> Mapping[str, Claim]:
    """The formula of H da = dx elsewhere, and a Gram bound that is always reached."""

    def paper_heads(net: Net, result: Result) -> bool:
        sizes = staircase.Forms(net.dx, min(net.architecture.s, net.dx**2 // net.H), net.architecture.s)
        return result == tuple(staircase.bounds(net.L, sizes))

    def gram(net: Net, result: Result) -> bool:
        return result == tuple(staircase.bounds(net.L, staircase.forms(net.dx, 1, net.dx)))

    return {"mu = dx^2 / H also where H da > dx": paper_heads, "the Gram bound": gram}
