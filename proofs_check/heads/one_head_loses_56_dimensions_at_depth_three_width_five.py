"""At (L, dx) = (3, 5) one head has generic rank 248008: exactly 56 dimensions of block 7 are lost, as conjectured.

Source: docs/theory.md, Isotropic directions
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from proofs_check.plain import isotropic
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict
from seprank.attention.architecture import Architecture

VALUES = {4: 31456, 5: 248008}
LOSS = {4: 4, 5: 56}

STATEMENT = Statement(
    id="NEW.isotropic-loss-3-5",
    title="One head, three layers, width five: the rank is 248008, the Gram bound less the 56 isotropic powers",
    statement=r"$L=3$, $d=5$, $H=1$, long input, almost all weights: block 7 has rank $116224=\binom{21}{7}-56$ and "
    r"every other block its Gram bound, so $\mathrm{sep}=248008$. The 56 lost dimensions are the span of the powers "
    r"$(uu^T)^7$ at the points $u$ of the elliptic quartic $a^Tu=u^TB_1u=u^TB_2u=0$ in $\mathbb P^3$; they lie among "
    "the operators on the orthogonal space of $a$.",
    source="docs/theory.md, Isotropic directions",
    scope="links generic in the blocks of coordinates {1}, {2,3}, {4,5} (not symmetric), modulo 4194301: the part of "
    "block 7 inside the operators on the orthogonal space of a, 11384 of 11440, and 788 of 792 at d = 4; the recorded "
    "ranks against the proved upper bound",
    expected=Verdict.HOLDS,
    note="Certified: the whole of block 7 has rank 116224 at these links modulo 1021 (four classes of about 29000 "
    "lines, 4.5 GiB, 35 minutes of one busy core, not repeated here: `seprank rank --L 3 --dx 5 --prime 1021`), which "
    "is the proved upper bound; blocks 6 and 8 with antidiagonal links are full, which by propagation settles the "
    "others. "
    "Diagonal links lose 64 dimensions more, because they are symmetric: NEW.symmetric-links. What happens at d >= 6 "
    "is open: NEW.open.isotropic-loss.",
)
PRIME = 4194301


class Part(NamedTuple):
    """The width, and whether the part of block 7 on the orthogonal space of a is measured."""

    dx: int
    inside: bool

    def __str__(self) -> str:
        return f"dx={self.dx}: " + ("block 7 on the space orthogonal to a" if self.inside else "whole rank")


def cases(level: str) -> Iterable[Part]:
    """The recorded ranks, and the part that shows the loss; the larger one at the full level."""
    quick = [Part(4, True), Part(4, False), Part(5, False)]
    return [*quick, Part(5, True)] if level == "full" else quick


def derivatives(part: Part) -> Result:
    """The library: ranks class by class, of the operators without a derivative along the first row of G."""
    if not part.inside:
        return None
    from dataclasses import replace

    import numpy as np

    from seprank.separation.derivative_blocks import block_pivots
    from seprank.separation.derivative_gradings import grading, sides

    by = grading("pairs", part.dx, 13)
    if by is None:
        return None
    every = sides(by, 13, 7)
    kept = ~every.operators[every.rows, : part.dx].any(axis=1)
    ends = np.concatenate([[0], np.cumsum(kept)])[every.row_ends]
    inside = replace(every, rows=every.rows[kept], row_ends=ends)
    forms = by.coefficients(Architecture(3, part.dx), PRIME, 0)
    bound = int(kept.sum()) - LOSS[part.dx]
    return block_pivots(forms, inside, PRIME, bound=bound).rank


def proved_bound(part: Part) -> Result:
    """Operators less independent powers at actual isotropic points; summed over the blocks for the whole rank."""
    d = part.dx
    if part.inside:
        return isotropic.multiset(d * (d - 1) // 2, 7) - isotropic.power_rank(d - 1, 2, 14)
    return sum(isotropic.block_bounds(3, d))


def recorded(part: Part) -> Result:
    """What `seprank bound` calls the exact value."""
    if part.inside:
        return None
    from seprank.closed_forms.known import known_value

    found = known_value(Architecture(3, part.dx), None)
    return None if found is None else found.value


def roads() -> Mapping[str, Road]:
    """A measured lower bound, the proved upper bound, and what is recorded."""
    return {"derivatives, class by class": derivatives, "proved upper bound": proved_bound, "recorded value": recorded}


def _claim(change: int) -> Claim:
    """The values with so many dimensions more."""

    def claim(part: Part, result: Result) -> bool:
        full = isotropic.multiset(part.dx * (part.dx - 1) // 2, 7)
        return bool(result == (full - LOSS[part.dx] if part.inside else VALUES[part.dx]) + change)

    return claim


def holds(part: Part, result: Result) -> bool:
    """Four dimensions are lost at width four, 56 at width five."""
    return _claim(0)(part, result)


def mutants() -> Mapping[str, Claim]:
    """Other counts: nothing lost at width four, and the loss of diagonal links at width five."""
    return {"four dimensions fewer are lost": _claim(4), "64 dimensions more are lost": _claim(-64)}
