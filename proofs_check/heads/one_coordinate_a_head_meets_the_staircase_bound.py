"""One coordinate a head, the staircase bound met at (L, dx) = (3, 4) and (4, 3), by the part of top degree alone.

Source: docs/theory.md, Derivative certificates
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb
from typing import NamedTuple

from proofs_check.plain import staircase
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict
from seprank.attention.architecture import Architecture

VALUES = {(3, 3): 2441, (3, 4): 16335, (4, 3): 499591}

STATEMENT = Statement(
    id="NEW.unseen-frontier",
    title="One coordinate a head: 16335 at (L, dx) = (3, 4), 499591 at (4, 3), by the part of top degree in what "
    "layer 1 does not see",
    statement=r"$H=d$, long input, almost all weights: $\mathrm{sep}=16335,\ 499591$ at "
    r"$(L,d)=(3,4),(4,3)$, the staircase bound. Already the part of $f_1,\dots,f_d$ of degree $Z=C(L-1)$ in the "
    r"entries of $G$ that layer 1 does not read has these block ranks: block $k$ is "
    r"$\sum_{i\le Z}\min\bigl(S_d(k-i)S_\zeta(i),\ d\,S_d(C-Z-k+i)S_\zeta(Z-i)\bigr)$, $\zeta=s-d$.",
    source="docs/theory.md, Derivative certificates",
    scope="every block of (3,3) and (3,4); blocks 13, 14 and 29 to 40 of (4,3); the recorded values of all against "
    "the bound",
    expected=Verdict.HOLDS,
    note="Certified: a lower bound by derivatives meets a proved upper one, block by block. The blocks that are not "
    "measured here take two minutes: `python benchmarks/frontier.py --case 4,3,3`. At (3,5) the bound is missed: "
    "NEW.staircase-missed.",
)
PRIME = 4194301


class Part(NamedTuple):
    """A network with H = dx, and the blocks measured; none: the recorded value."""

    L: int
    dx: int
    blocks: tuple[int, ...] = ()

    def __str__(self) -> str:
        blocks = ", ".join(map(str, self.blocks)) or "recorded value"
        return f"L={self.L} dx=H={self.dx}: {blocks}"


def cases(level: str) -> Iterable[Part]:
    """Whole networks where that takes a second, some blocks of larger ones, and what is recorded."""
    quick = [Part(3, 3, tuple(range(14))), Part(3, 4, (4, 7, 10)), *(Part(L, d) for L, d in VALUES)]
    if level != "full":
        return quick
    return [
        *quick,
        Part(3, 4, tuple(range(14))),
        Part(4, 3, (13, 14, *range(29, 41))),
    ]


def derivatives(part: Part) -> Result:
    """The library: the part of top degree, class by class."""
    if not part.blocks:
        return None
    from seprank.separation.derivative_blocks import block_pivots
    from seprank.separation.derivative_unseen import scaled_unseen_part, unseen_sides, unseen_weights

    arch = Architecture(part.L, part.dx, part.dx)
    forms = scaled_unseen_part(unseen_weights(arch, PRIME, 0), PRIME)
    return tuple(block_pivots(forms, unseen_sides(part.dx, arch.C, k), PRIME).rank for k in part.blocks)


def proved_bound(part: Part) -> Result:
    """The upper bound, as largest matchings of the staircase pattern; the sum for the recorded value."""
    blocks = staircase.bounds(part.L, staircase.forms(part.dx, part.dx, 1))
    return tuple(blocks[k] for k in part.blocks) if part.blocks else sum(blocks)


def recorded(part: Part) -> Result:
    """What `seprank bound` calls the exact value."""
    if part.blocks:
        return None
    from seprank.closed_forms.known import known_value

    found = known_value(Architecture(part.L, part.dx, part.dx), None)
    return None if found is None else found.value


def roads() -> Mapping[str, Road]:
    """A measured lower bound and the proved upper one, or the upper one and what is recorded."""
    return {"derivatives of the top part": derivatives, "proved upper bound": proved_bound, "recorded value": recorded}


def _monomials(n: int, k: int) -> int:
    return comb(n + k - 1, k) if k >= 0 else 0


def _block(part: Part, k: int, least: int = 0) -> int:
    """The sum over the numbers i of derivatives along unseen entries, from `least` on."""
    d, C, Z = part.dx, (3**part.L - 1) // 2, (3 ** (part.L - 1) - 1) // 2
    zeta = d * (d - 1) // 2
    rows = [_monomials(d, k - i) * _monomials(zeta, i) for i in range(Z + 1)]
    columns = [d * _monomials(d, C - Z - k + i) * _monomials(zeta, Z - i) for i in range(Z + 1)]
    return sum(map(min, rows[least:], columns[least:]))


def holds(part: Part, result: Result) -> bool:
    """The recorded value, and the sum of the classes in every block."""
    if not part.blocks:
        return bool(result == VALUES[part.L, part.dx])
    return bool(result == tuple(_block(part, k) for k in part.blocks))


def mutants() -> Mapping[str, Claim]:
    """Full blocks, and a class left out."""

    def gram(part: Part, result: Result) -> bool:
        d, C, s = part.dx, (3**part.L - 1) // 2, part.dx * (part.dx + 1) // 2
        blocks = [min(_monomials(s, k), d * _monomials(s, C - k)) for k in part.blocks or range(C + 1)]
        return bool(result == (tuple(blocks) if part.blocks else sum(blocks)))

    def without_first(part: Part, result: Result) -> bool:
        C = (3**part.L - 1) // 2
        blocks = [_block(part, k, 1) for k in part.blocks or range(C + 1)]
        return bool(result == (tuple(blocks) if part.blocks else sum(blocks)))

    return {"the Gram bound is reached": gram, "without the class of no derivative along unseen entries": without_first}
