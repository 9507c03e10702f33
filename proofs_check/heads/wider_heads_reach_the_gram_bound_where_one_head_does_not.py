"""At (L, dx) = (3, 4) two or three overlapping heads reach the Gram bound that one full head misses.

Source: docs/theory.md, General head size
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from proofs_check.verdict import Claim, Result, Road, Statement, Verdict
from seprank.attention.architecture import Architecture

PRIME = 4194301
STATEMENT = Statement(
    id="NEW.wide-heads",
    title="Heads with H da > dx reach the Gram bound 31460 at three layers and width four, one full head does not",
    statement=r"$L=3$, $d=4$, long input, almost all weights: $\mathrm{sep}=31460$, the Gram bound, for "
    "$(H,d_a)=(2,4)$ and $(3,2)$, hence for all networks that contain one of them; 31456 for $(1,4)$. "
    "More heads of a fixed size can raise the rank, and several heads do not repeat one link in the word "
    "of the network.",
    source="docs/theory.md, General head size",
    scope="(3,4) with (H, da) = (1,4), (2,4), (3,2): blocks 6, 7, 8 modulo 4194301 at diagonal weights (heads that "
    "read and write sets of coordinates); block 6 of full row rank and block 8 of full column rank settle all "
    "other blocks",
    expected=Verdict.HOLDS,
    note="Certified: the ranks meet the Gram bound. It supports NEW.staircase-conjecture at a size where the isotropic "
    "loss of one head is known, and shows that no such loss need occur for several.",
)
ALL = (0, 1, 2, 3)


class Heads(NamedTuple):
    """Heads of every layer as pairs of coordinate sets: U = W^O W^V and W = (W^K)^T W^Q are diagonal on them."""

    name: str
    layers: tuple[tuple[tuple[tuple[int, ...], tuple[int, ...]], ...], ...]
    blocks: tuple[int, ...]
    inside: bool

    def __str__(self) -> str:
        return f"{self.name}, blocks {self.blocks}" + (" on the space orthogonal to a" if self.inside else "")


def _halves(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    return (a, a), (b, b), (a, b)


ONE = ((((ALL, ALL)),),) * 3
TWO = ((((ALL, ALL)), ((ALL, ALL))),) * 3
THREE = (_halves((0, 1), (2, 3)), _halves((0, 2), (1, 3)), _halves((0, 3), (1, 2)))


def cases(level: str) -> Iterable[Heads]:
    """Block 7 on the operators that show the loss at the quick level; blocks 6, 7, 8 in full."""
    quick = [Heads("2 heads of size 4", TWO, (7,), True), Heads("1 head of size 4", ONE, (7,), True)]
    whole = [
        Heads("2 heads of size 4", TWO, (6, 7, 8), False),
        Heads("3 heads of size 2", THREE, (6, 7, 8), False),
        Heads("1 head of size 4", ONE, (7,), False),
    ]
    return [*quick, *whole] if level == "full" else quick


def derivatives(case: Heads) -> Result:
    """Ranks class by class from the coefficients of the output."""
    from proofs_check.plain.derivatives import monomials_up_to, network_rows, scaled
    from proofs_check.plain.weight_classes import graded_block_rank, sign_weights

    draw = np.random.default_rng(1)

    def diagonal(coordinates: tuple[int, ...]) -> Any:
        found = np.zeros((4, 4), np.int64)
        found[coordinates, coordinates] = draw.integers(1, PRIME, len(coordinates))
        return found

    layers = [[(diagonal(U), diagonal(W)) for U, W in layer] for layer in case.layers]
    monomials = monomials_up_to(4, 13)
    rows = scaled(network_rows(layers, 0, monomials, PRIME), 13, monomials, PRIME)
    grading, inside = sign_weights([[0], [1], [2], [3]]), [1, 2, 3] if case.inside else None
    return tuple(graded_block_rank(rows, 13, k, monomials, PRIME, grading, inside) for k in case.blocks)


def proved_bound(case: Heads) -> Result:
    """The Gram bound of a block, less the four isotropic powers for one head."""
    from seprank.closed_forms.combinatorics import multiset
    from seprank.closed_forms.gram import gram_blocks
    from seprank.closed_forms.isotropic import isotropic_blocks, isotropic_loss

    arch = Architecture(3, 4)
    one = len(case.layers[0]) == 1
    if case.inside:
        return (multiset(6, 7) - (isotropic_loss(arch)[7] if one else 0),)
    blocks = isotropic_blocks(arch) if one else gram_blocks(arch, None)
    return tuple(blocks[k] for k in case.blocks)


def roads() -> Mapping[str, Road]:
    """A measured lower bound and a proved upper bound: equal, so exact."""
    return {"derivatives, class by class": derivatives, "proved upper bound": proved_bound}


FULL = {6: 5005, 7: 11440, 8: 8008}


def _claim(loss_of_one: int, loss_of_more: int) -> Claim:
    def claim(case: Heads, result: Result) -> bool:
        loss = loss_of_one if len(case.layers[0]) == 1 else loss_of_more
        if case.inside:
            return bool(result == (792 - loss,))
        return bool(result == tuple(FULL[k] - (loss if k == 7 else 0) for k in case.blocks))

    return claim


def holds(case: Heads, result: Result) -> bool:
    """One head loses four dimensions, more heads none."""
    return _claim(4, 0)(case, result)


def mutants() -> Mapping[str, Claim]:
    """No difference between one head and more."""
    return {"the loss of 4 whatever the heads": _claim(4, 4), "no loss whatever the heads": _claim(0, 0)}
