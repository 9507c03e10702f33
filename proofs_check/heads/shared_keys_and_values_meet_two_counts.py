"""With keys and values shared by groups of heads every block has the smaller of two proved bounds.

Source: derived for this project: docs/variants.md, Shared keys and values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np

from proofs_check.plain import staircase
from proofs_check.plain.derivatives import block_ranks, layers_of
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.field.draw import residues
from seprank.field.primes import DEFAULT_PRIME

PRIME = DEFAULT_PRIME

STATEMENT = Statement(
    id="NEW.gqa",
    title="Grouped-query attention: thin heads with one shared key and value have rank prod (3^(L-l) + 1), whatever dx",
    statement=r"If $H$ heads share keys and values in $g$ groups, layer 1 sees $m=g\,d_a^2$ forms of $G$. For long "
    r"input every "
    r"block of a network with random weights has the smaller of the staircase bound with $m$ seen forms and of the "
    r"bound by the "
    r"degrees $3^{L-l}$ in the $\min(s,m\,S_{m^{l-1}}(2))$ forms that layer $l$ reads. For $m=1$ the sum is "
    r"$\prod_l(3^{L-l}+1)$.",
    source="docs/variants.md, Shared keys and values",
    scope="(L, dx, H, g) with L = 2: dx = 2, 3, 4, 6, 8, every g below H named in the code; L = 3: (2,2,1), "
    "(3,3,1); the "
    "bounds are proved for all weights, that they are reached is certified case by case",
    expected=Verdict.HOLDS,
    note="So at L = 2 multi-query attention with heads of one entry has rank 8 at every width, against 85 at dx = "
    "H = 4 and 231 at "
    "dx = H = 6 with keys and values of their own.",
)


class Shared(NamedTuple):
    """A network and its number of groups."""

    L: int
    dx: int
    H: int
    groups: int

    @property
    def read(self) -> int:
        """Forms that layer 1 sees."""
        return self.groups * (self.dx // self.H) ** 2


def cases(level: str) -> Iterable[Shared]:
    """Heads of one entry and wider ones."""
    quick = [(2, 2, 2, 1), (2, 3, 3, 1), (2, 4, 4, 1), (2, 4, 4, 2), (2, 4, 2, 1), (3, 2, 2, 1)]
    more = [(2, 6, 6, 1), (2, 6, 6, 2), (2, 6, 6, 3), (2, 6, 3, 1), (2, 8, 8, 2), (2, 8, 4, 1), (3, 3, 3, 1)]
    return [Shared(*sizes) for sizes in quick + (more if level == "full" else [])]


def sampled(case: Shared) -> Result:
    """Values at sampled tokens by the library."""
    from seprank.variants.grouped import grouped
    from seprank.variants.measure import variant_rank

    found = variant_rank(grouped(Architecture(case.L, case.dx, case.H), case.groups), prime=PRIME)
    return tuple(piece.rank for piece in found.pieces)


def derivatives(case: Shared) -> Result:
    """Coefficients of the output, at other weights."""
    L, dx, H, groups = case
    da = dx // H
    query, output = residues(1, "Q", (L, H, da, dx), PRIME), residues(1, "O", (L, H, dx, da), PRIME)
    key, value = (np.repeat(residues(1, name, (L, groups, da, dx), PRIME), H // groups, axis=1) for name in "KV")
    return tuple(block_ranks(layers_of(query, key, value, output, PRIME), 0, PRIME))


def proved(case: Shared) -> Result:
    """The smaller of the two bounds."""
    d = case.dx
    cover = staircase.bounds(case.L, staircase.Forms(d, case.read, d * (d + 1) // 2))
    return tuple(map(min, cover, by_layer_forms(case)))


def by_layer_forms(case: Shared) -> list[int]:
    """The bound by the degrees in the forms that every layer reads."""
    L, d, m, count = case.L, case.dx, case.read, staircase.monomial_count
    degrees = [3 ** (L - l) for l in range(1, L + 1)]
    forms = [min(count(d, 2), m * count(m**l, 2)) for l in range(L)]
    blocks = [0] * ((3**L + 1) // 2)
    for powers in product(*(range(degree + 1) for degree in degrees)):
        side_B = prod(map(count, forms, powers))
        side_A = min(d, m**L) * prod(count(n, e - k) for n, e, k in zip(forms, degrees, powers, strict=True))
        blocks[sum(powers)] += min(side_A, side_B)
    return blocks


def roads() -> Mapping[str, Road]:
    """Two measurements and the proved upper bound."""
    return {"sampled values": sampled, "derivatives": derivatives, "proved upper bound": proved}


def holds(case: Shared, result: Result) -> bool:
    """The product for one form, at most the staircase bound otherwise."""
    if case.read == 1:
        return sum(result) == prod(3 ** (case.L - l) + 1 for l in range(1, case.L + 1))
    return sum(result) < sum(staircase.bounds(case.L, staircase.forms(case.dx, case.H, case.dx // case.H)))


def mutants() -> Mapping[str, Claim]:
    """Each bound alone, and no loss at all."""

    def cover_alone(case: Shared, result: Result) -> bool:
        forms = staircase.Forms(case.dx, case.read, case.dx * (case.dx + 1) // 2)
        return list(result) == staircase.bounds(case.L, forms)

    return {
        "the staircase bound alone": cover_alone,
        "the layer forms alone": lambda case, result: list(result) == by_layer_forms(case),
        "groups cost nothing": lambda case, result: (
            sum(result) == sum(staircase.bounds(case.L, staircase.forms(case.dx, case.H, case.dx // case.H)))
        ),
    }
