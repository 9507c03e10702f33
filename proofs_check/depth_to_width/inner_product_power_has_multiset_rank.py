"""Explicit weights reach rank multiset((dx-H)/2, 3^(L-2)); random ones have no less.   Source: levine2020depth, B.2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from math import comb
from typing import Any, NamedTuple

import numpy as np

from proofs_check.plain.networks import Heads, inner_product_power
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.weights import Weights, random_weights
from seprank.field.draw import residues

PRIME = 2147483629

STATEMENT = Statement(
    id="D2W.b2",
    title="The separation rank is at least multiset((dx - H)/2, 3^(L-2)) for L >= 2",
    statement=r"$\mathrm{sep}(y^i_p)\ge\left(\!\binom{(d_x-H)/2}{3^{L-2}}\!\right)$ almost everywhere, for $L\ge2$ "
    r"and $d_x-H$ "
    "even and positive. Some weights make the grid matrix the entrywise power $3^{L-2}$ of a matrix of inner products "
    "of "
    "vectors with $(d_x-H)/2$ entries; its rank is that number exactly.",
    source="levine2020depth, appendix B.2 (Lemma 6)",
    scope="L = 2, 3, 4; (dx, H) with dx <= 12, dx - H even, H up to 6; ranks up to 220; real weights without complex "
    "numbers; and at random weights a sample of as many assignments has full rank",
    expected=Verdict.HOLDS,
    note="The weights here differ from B.2: all heads of layer 2 write to one coordinate. With B.2's own layer 2 the "
    "case "
    "L = 2, H >= 2 would see one head only (NEW.lower has the numbers).",
)


class Sizes(NamedTuple):
    """An architecture."""

    L: int
    dx: int
    H: int

    @property
    def base(self) -> int:
        """Length of the vectors."""
        return (self.dx - self.H) // 2

    @property
    def rank(self) -> int:
        """The claimed rank."""
        return comb(self.base + 3 ** (self.L - 2) - 1, 3 ** (self.L - 2))


def cases(level: str) -> Iterable[Sizes]:
    """Smallest and largest base at every depth, one head and several."""
    yield from (Sizes(2, 3, 1), Sizes(2, 6, 2), Sizes(2, 12, 6), Sizes(3, 3, 1), Sizes(3, 6, 2), Sizes(4, 6, 2))
    if level == "full":
        yield from (Sizes(2, 12, 2), Sizes(2, 9, 3), Sizes(3, 9, 1), Sizes(3, 9, 3), Sizes(3, 12, 4), Sizes(4, 3, 1))
        yield from (Sizes(4, 8, 2), Sizes(4, 9, 1))


def explicit(case: Sizes) -> Heads:
    """The explicit weights, for two tokens."""
    return inner_product_power(case.L, case.dx, case.H, case.dx // case.H, case.base, False, 2, PRIME)


def sides(case: Sizes) -> tuple[Any, Any]:
    """One token (v, 0, 1) on side A and one (0, w, 1) on side B, a few more of them than the rank."""
    n, count = case.base, case.rank + 2
    drawn = residues(2, "vectors", (2, count, n), PRIME)
    A, B = np.zeros((2, count, 1, case.dx), np.int64)
    A[:, 0, :n], B[:, 0, n : 2 * n] = drawn
    A[:, 0, 2 * n] = B[:, 0, 2 * n] = 1
    return A, B


def random_sides(case: Sizes) -> tuple[Any, Any]:
    """As many assignments of random tokens as the rank is claimed to be."""
    A, B = residues(3, "tokens", (2, case.rank, 1, case.dx), PRIME)
    return A, B


def gram_form(case: Sizes) -> tuple[int, int]:
    """Gram form and elimination of the library."""
    from seprank.separation.full import full_rank
    from seprank.separation.network import network_function

    drawn = random_weights(Architecture(*case), PRIME, 0)
    found = [
        full_rank(network_function(weights, PRIME), *tokens, PRIME).rank
        for weights, tokens in ((Weights.from_arrays(*explicit(case)), sides(case)), (drawn, random_sides(case)))
    ]
    return found[0], found[1]


def explicit_tokens(case: Sizes) -> tuple[int, int]:
    """Eq. 3 on explicit tokens and rank, in python-flint."""
    from proofs_check.plain.attention import layers_modulo, output_entry
    from proofs_check.plain.ranks import value_rank

    drawn = random_weights(Architecture(*case), PRIME, 0)
    found = []
    for weights, (A, B) in ((explicit(case), sides(case)), (Heads(*drawn), random_sides(case))):
        layers = layers_modulo(*weights, PRIME)
        function = partial(output_entry, layers, prime=PRIME)
        found.append(value_rank(function, A.tolist(), B.tolist(), PRIME))
    return found[0], found[1]


def roads() -> Mapping[str, Road]:
    """Rank at the explicit weights, and rank of the sample at random weights."""
    return {"Gram form, own elimination": gram_form, "eq. 3 on explicit tokens, flint": explicit_tokens}


def holds(case: Sizes, result: tuple[int, int]) -> bool:
    """The explicit rank is the claimed number, and the random one is not below it."""
    return result == (case.rank, case.rank)


def mutants() -> Mapping[str, Claim]:
    """Larger bases and exponents."""

    def base_is_half_the_width(case: Sizes, result: tuple[int, int]) -> bool:
        k = 3 ** (case.L - 2)
        return result[0] >= comb(case.dx // 2 + k - 1, k)

    def one_layer_more(case: Sizes, result: tuple[int, int]) -> bool:
        k = 3 ** (case.L - 1)
        return result[0] >= comb(case.base + k - 1, k)

    return {
        "these weights reach the base dx/2": base_is_half_the_width,
        "exponent 3^(L-1)": one_layer_more,
    }
