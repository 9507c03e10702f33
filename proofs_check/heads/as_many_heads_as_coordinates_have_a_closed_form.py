"""Theorem C: two layers, H = dx, long input: the rank in closed form.   Source: docs/theory.md, Exact values"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb
from typing import NamedTuple

from proofs_check.heads._networks import Net, derivative_blocks, sampled_blocks
from proofs_check.plain import staircase
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict
from seprank.attention.architecture import Architecture

STATEMENT = Statement(
    id="NEW.theorem-C",
    title="Two layers with as many heads as coordinates: the generic rank in closed form",
    statement=r"$L=2$, $H=d\ge2$, $N_A,N_B\ge d$, almost all weights: "
    r"$\mathrm{sep}=1+2s+d(s-d)+d^2+\min\bigl(d(s-d),\binom{d+2}3\bigr)+d$.",
    source="docs/theory.md, Exact values",
    scope="block ranks at random weights for 2 <= dx <= 8 (dx <= 11 by one measurement and the proved bound), at the "
    "special weights of the proof for 3 <= dx <= 6; the closed form against the sum of the staircase blocks for "
    "dx <= 200",
    expected=Verdict.HOLDS,
    note="Proved for every dx >= 2 in docs/theory.md: the staircase bound is met by weights whose first layer is "
    "diag(G_12, G_23, ..., G_d1).",
)


class Width(NamedTuple):
    """A width at which only the closed forms are compared."""

    dx: int


def cases(level: str) -> Iterable[Net | Width]:
    """Random weights, special weights, and closed forms."""
    full = level == "full"
    nets = [Net(2, d, d) for d in range(2, 12 if full else 6)]
    nets += [Net(2, d, d, weights="shift") for d in ((3, 4, 5, 6) if full else (3, 4))]
    return [*nets, *(Width(d) for d in (range(2, 201) if full else (2, 3, 4, 50, 200)))]


def values(case: Net | Width) -> Result:
    """Measured at sampled tokens; the library's closed form for a width alone."""
    if isinstance(case, Net):
        return sampled_blocks(case)
    from seprank.closed_forms.known import known_value

    found = known_value(Architecture(2, case.dx, case.dx), None)
    return None if found is None else found.value


def derivatives(case: Net | Width) -> Result:
    """All derivatives of the output, by python-flint."""
    return derivative_blocks(case) if isinstance(case, Net) and case.dx <= 8 else None


def proved_bound(case: Net | Width) -> Result:
    """The staircase bound as largest matchings; it must be met."""
    s = case.dx * (case.dx + 1) // 2
    blocks = tuple(staircase.bounds(2, staircase.Forms(case.dx, case.dx, s)))
    return blocks if isinstance(case, Net) else sum(blocks)


def roads() -> Mapping[str, Road]:
    """Two measurements or the library's closed form, and the proved upper bound."""
    return {"sampled values or closed form": values, "derivatives": derivatives, "proved upper bound": proved_bound}


def _value(d: int, third: int) -> int:
    s = d * (d + 1) // 2
    return 1 + 2 * s + d * (s - d) + d * d + third + d


def _total(result: Result) -> int:
    return result if isinstance(result, int) else sum(result)


def _claim(third: str) -> Claim:
    def claim(case: Net | Width, result: Result) -> bool:
        d = case.dx
        unseen, cubics = d * (d * (d + 1) // 2 - d), comb(d + 2, 3)
        return _total(result) == _value(d, {"both": min(unseen, cubics), "unseen": unseen, "cubics": cubics}[third])

    return claim


def holds(case: Net | Width, result: Result) -> bool:
    """The closed form."""
    return _claim("both")(case, result)


def mutants() -> Mapping[str, Claim]:
    """Either number in place of the minimum."""
    return {
        "d(s - d) in place of the minimum (too large from dx = 4 on)": _claim("unseen"),
        "binom(d + 2, 3) in place of the minimum (too large at dx = 2, 3)": _claim("cubics"),
    }
