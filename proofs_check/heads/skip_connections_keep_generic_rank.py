"""At random weights skip connections leave the rank as it is.   Source: docs/theory.md, General head size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from proofs_check.depth_to_width._ranks import SPARE, attention_rank, library_rank, weights_of_kind
from proofs_check.plain.schur import gram_bound
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.weights import Weights

Ranks = tuple[int, int]

STATEMENT = Statement(
    id="NEW.residual-equal",
    title="Conjecture: at generic weights with H da at least dx, skip connections leave the separation rank unchanged",
    statement=r"$\mathrm{sep}(\text{residual})=\mathrm{sep}(\text{plain})$ for almost all weights when $Hd_a\ge d_x$.",
    source="docs/theory.md, General head size",
    scope="observed modulo 2147483629 at one draw of weights, every H dividing dx: L = 1, dx <= 4; L = 2, dx <= 5, "
    "and dx = 6 with one token a side; L = 3, dx = 2, dx = 3 with NB = 1, dx = 4 with H = 1, 4 and one token a side; "
    "L = 4, dx = 2 with one token a side; unequal sides at dx <= 4; H = da = 2 at dx = 2, 3",
    expected=Verdict.HOLDS,
    note="Not proved: only plain <= residual <= Gram bound is (NEW.residual). It is implied where the plain rank "
    "meets the Gram or the staircase bound; not so at (L, dx, H, NA, NB) = (2, 3, 1, 1, 2), 39 < 41, and (3, 2, 1, "
    "2, 1), 137 < 140, where the equality is an observation. Special weights and heads with H da < dx break it.",
)


class Sizes(NamedTuple):
    """Sizes; weights random unless "tied"."""

    L: int
    dx: int
    H: int
    da: int
    NA: int
    NB: int
    weights: str = "random"


def cases(level: str) -> Iterable[Sizes]:
    """Standard heads, wider ones; then thin heads and tied weights, where only mutants make a claim."""
    full = level == "full"
    sides = {1: [(1, 1)], 2: [(1, 1), (1, 2), (2, 1), (2, 2)], 3: [(1, 2), (2, 1), (2, 3), (3, 3)]}
    sides |= {4: [(1, 1), (1, 3), (4, 4)], 5: [(1, 1), (2, 2)]}
    widths = {1: (1, 2, 3, 4), 2: (2, 3, 4, 5), 3: (2,)} if full else {1: (2, 3), 2: (2, 3), 3: (2,)}
    yield Sizes(3, 2, 1, 1, 2, 2)
    yield Sizes(3, 2, 2, 1, 2, 1, "tied")
    for L, some in widths.items():
        for dx in some:
            heads = [H for H in range(1, dx + 1) if dx % H == 0]
            yield from (Sizes(L, dx, H, dx // H, NA, NB) for H in heads for NA, NB in sides[dx])
    yield from (Sizes(2, dx, 2, 2, 2, 1) for dx in (2, 3))
    if full:
        yield from (Sizes(3, 3, H, 3 // H, NA, NB) for H in (1, 3) for NA, NB in ((1, 1), (2, 1)))
        yield from (Sizes(4, 2, H, 2 // H, 1, 1) for H in (1, 2))
        yield from (Sizes(2, 6, H, 6 // H, 1, 1) for H in (1, 2, 3, 6))
        yield from (Sizes(3, 4, H, 4 // H, 1, 1) for H in (1, 4))


def _weights(case: Sizes, residual: bool) -> Weights:
    return weights_of_kind(case.weights, Architecture(case.L, case.dx, case.H, case.da, residual))


def _size(case: Sizes) -> int:
    return gram_bound(case.L, case.dx, case.NA, case.NB) + SPARE


def library(case: Sizes) -> Ranks:
    """Gram form and the library's elimination."""
    plain, residual = (library_rank(_weights(case, skip), case.NA, case.NB, _size(case)) for skip in (False, True))
    return plain, residual


def attention(case: Sizes) -> Ranks:
    """Eq. 3 on explicit tokens and python-flint's rank."""
    plain, residual = (attention_rank(_weights(case, skip), case.NA, case.NB, _size(case)) for skip in (False, True))
    return plain, residual


def roads() -> Mapping[str, Road]:
    """The pair (plain rank, residual rank), twice."""
    return {"Gram form, own elimination": library, "eq. 3 on explicit tokens, flint": attention}


def holds(case: Sizes, result: Ranks) -> bool:
    """Equal at random weights with H da >= dx; nothing is claimed elsewhere."""
    return result[0] == result[1] or case.weights == "tied" or case.H * case.da < case.dx


def mutants() -> Mapping[str, Claim]:
    """Wider claims."""
    return {
        "for thinner heads too (L = 3, dx = 2, H = da = 1: 50 and 101)": lambda case, result: (
            result[0] == result[1] or case.weights == "tied"
        ),
        "for all weights": lambda case, result: result[0] == result[1] or case.H * case.da < case.dx,
        "because both meet the Gram bound": lambda case, result: result[1] == _size(case) - SPARE,
    }
