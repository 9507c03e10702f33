"""No block of a network with several heads has a larger rank than the staircase bound.

Source: docs/theory.md, Staircase bound
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from proofs_check.heads._networks import (
    Net,
    derivative_blocks,
    divisors,
    explicit_residual_rank,
    sampled_blocks,
    sampled_residual_rank,
)
from proofs_check.plain import staircase
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.staircase",
    title="Several thin heads: no block rank exceeds the staircase bound, whatever the weights",
    statement=r"With $\mu$ forms of $G$ seen in layer 1 (at most $Hd_a^2$), $\zeta=s-\mu$, $Z=C(L-1)$: "
    r"$\mathrm{rank}(y_k)\le\min_{0\le t\le Z+1}\bigl(d\sum_{j<t}S_\mu(C-k-j)S_\zeta(j)+\sum_{i\le "
    r"Z-t}S_\mu(k-i)S_\zeta(i)\bigr)$ for all weights, every $N$; with skip connections the sum over $k$ bounds "
    "the whole rank.",
    source="docs/theory.md, Staircase bound",
    scope="block ranks modulo 4194301: L = 2, dx <= 6, every H dividing dx, and L = 3, dx = 2, 3; random weights, "
    "equal heads, weights with a third of zeros, the special weights of theorem C; long input, one or two tokens "
    "a side, and N_A != N_B; head sizes with H da != dx; whole ranks with skip connections for L = 2, dx <= 4 "
    "and (3,2,2)",
    expected=Verdict.HOLDS,
    note="Proved for all sizes in docs/theory.md (for H da < dx with the narrow forms of its last section); the check "
    "looks for a violation, and shows that each ingredient of the bound is needed.",
)


def cases(level: str) -> Iterable[Net]:
    """Widths up to 4 with all kinds of weights; larger ones, L = 3 and skip connections in full."""
    full = level == "full"
    kinds = ("random", "equal heads", "sparse")
    nets = [Net(2, d, H, weights=kind) for d in (2, 3, 4) for H in divisors(d) for kind in kinds]
    nets += [Net(2, d, d, weights="shift") for d in ((3, 4, 5, 6) if full else (3, 4))]
    nets += [Net(2, 4, H, NA=a, NB=b) for H in (2, 4) for a, b in ((1, 1), (1, 3), (3, 1), (2, 2))]
    nets += [Net(2, 3, 4, 1), Net(2, 4, 5, 1), Net(2, 4, 1, 2), Net(2, 3, 1, 1), Net(3, 2, 1, 1), Net(3, 2, 2)]
    nets += [Net(L, d, H, weights="residual") for L, d, H in ((2, 2, 2), (2, 3, 3))]
    if full:
        nets += [Net(2, d, H, weights=kind) for d in (5, 6) for H in divisors(d) for kind in kinds]
        nets += [Net(3, 2, 2, weights=kind, NA=a, NB=b) for kind in kinds for a, b in ((1, 1), (1, 2), (2, 1), (2, 2))]
        nets += [Net(3, 3, 3), Net(3, 3, 3, weights="equal heads"), Net(3, 3, 4, 1)]
        nets += [Net(L, d, H, weights="residual") for L, d, H in ((2, 4, 2), (2, 4, 4), (3, 2, 2))]
    return nets


def by_values(net: Net) -> Result:
    """The library: block ranks, or the whole rank with skip connections."""
    return sampled_residual_rank(net) if net.weights == "residual" else sampled_blocks(net)


def by_coefficients(net: Net) -> Result:
    """All derivatives of the output; with skip connections eq. 3 on explicit tokens."""
    return explicit_residual_rank(net) if net.weights == "residual" else derivative_blocks(net)


def roads() -> Mapping[str, Road]:
    """Ranks, twice."""
    return {"sampled values, own elimination": by_values, "derivatives or eq. 3, python-flint": by_coefficients}


@cache
def _bounds(net: Net, reach: int = 0, fewer: bool = False) -> list[int]:
    arch = net.architecture
    sizes = staircase.forms(arch.dx, arch.H, arch.da)
    if net.weights == "residual":
        sizes = sizes._replace(token=arch.dx, all=arch.s)
    return staircase.bounds(arch.L, sizes._replace(seen=min(sizes.seen, arch.da**2)) if fewer else sizes, reach)


def _below(result: Result, bounds: list[int]) -> bool:
    if isinstance(result, int):
        return result <= sum(bounds)
    return all(rank <= bound for rank, bound in zip(result, bounds, strict=True))


def holds(net: Net, result: Result) -> bool:
    """No block above its bound; no whole rank above the sum."""
    return _below(result, _bounds(net))


def mutants() -> Mapping[str, Claim]:
    """Bounds from a degree or a number of forms that is too small."""
    return {
        "degree Z - 1 in the unseen forms": lambda net, result: _below(result, _bounds(net, reach=-1)),
        "da^2 forms in all, as if every head read the same ones": lambda net, result: _below(
            result, _bounds(net, fewer=True)
        ),
    }
