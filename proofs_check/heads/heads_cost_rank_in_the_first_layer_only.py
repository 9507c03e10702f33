"""With another number of heads in every layer the rank is that of the first layer's heads, in the cases computed.

Source: derived for this project: docs/variants.md, Heads in every layer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from proofs_check.plain import staircase
from proofs_check.plain.derivatives import block_ranks, layers_of
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict
from seprank.field.draw import residues
from seprank.field.primes import DEFAULT_PRIME

PRIME = DEFAULT_PRIME

STATEMENT = Statement(
    id="NEW.heads-per-layer",
    title="Another number of heads in every layer: the staircase bound of the first layer's heads is the rank",
    statement=r"Let layer $l$ have $H_l$ heads of size $d/H_l$. For all weights the staircase bound of $H_1$ heads "
    r"holds. For long input and random "
    r"weights every block reaches it in the cases of the scope, so that heads of later layers cost nothing.",
    source="docs/variants.md, Heads in every layer",
    scope="dx = 4: (1,1), (1,4), (2,4), (4,1), (4,2); dx = 6: (3,1), (6,1), (1,6); dx = 2: all of three layers "
    "with 1 or 2 heads; "
    "certified case by case",
    expected=Verdict.HOLDS,
    note="The upper bound is proved in general: only the first layer sees G itself.",
)


class Layers(NamedTuple):
    """A width and the number of heads of every layer."""

    dx: int
    heads: tuple[int, ...]


def cases(level: str) -> Iterable[Layers]:
    """Two layers, and three at width 2."""
    quick = [Layers(4, heads) for heads in ((1, 1), (1, 4), (2, 4), (4, 1), (4, 2))] + [
        Layers(2, (1, 2, 2)),
        Layers(2, (2, 1, 1)),
    ]
    more = [Layers(6, heads) for heads in ((3, 1), (6, 1), (1, 6))]
    more += [Layers(2, heads) for heads in ((1, 1, 1), (1, 1, 2), (1, 2, 1), (2, 1, 2), (2, 2, 1), (2, 2, 2))]
    return quick + (more if level == "full" else [])


def sampled(case: Layers) -> Result:
    """Values at sampled tokens by the library."""
    from seprank.variants.measure import variant_rank
    from seprank.variants.per_layer import per_layer

    return tuple(piece.rank for piece in variant_rank(per_layer(*case), prime=PRIME).pieces)


def derivatives(case: Layers) -> Result:
    """Coefficients of the output, at other weights; every layer by itself."""
    layers = []
    for number, H in enumerate(case.heads):
        da = case.dx // H
        query, key, value = (residues(number, name, (1, H, da, case.dx), PRIME) for name in "QKV")
        layers += layers_of(query, key, value, residues(number, "O", (1, H, case.dx, da), PRIME), PRIME)
    return tuple(block_ranks(layers, 0, PRIME))


def cover(case: Layers, layer: int = 0) -> Result:
    """The staircase bound with the heads of a layer, the first in the statement."""
    H = case.heads[layer]
    return tuple(staircase.bounds(len(case.heads), staircase.forms(case.dx, H, case.dx // H)))


def roads() -> Mapping[str, Road]:
    """Two measurements and the proved upper bound."""
    return {"sampled values": sampled, "derivatives": derivatives, "proved upper bound": cover}


def holds(case: Layers, result: Result) -> bool:
    """The bound of the first layer."""
    return result == cover(case)


def mutants() -> Mapping[str, Claim]:
    """Other layers in its place."""

    def most(case: Layers, result: Result) -> bool:
        return result == cover(case, case.heads.index(max(case.heads)))

    return {
        "the last layer's heads": lambda case, result: result == cover(case, -1),
        "the largest number of heads": most,
        "heads cost nothing": lambda case, result: result == cover(Layers(case.dx, (1,) * len(case.heads))),
    }
