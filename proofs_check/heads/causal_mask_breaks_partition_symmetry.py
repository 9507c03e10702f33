"""Under a causal mask the rank depends on which positions form a side.

Source: levine2020depth, Proposition 1, masked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import NamedTuple

from proofs_check.heads._causal import PRIME, network_weights, prefix_blocks
from proofs_check.plain.sparse import mask, network_output, rational_separation_rank, separation_rank
from proofs_check.verdict import Claim, Road, Statement, Verdict

LARGE = 2**521 - 1  # more than twice every coefficient: they are the whole numbers themselves

STATEMENT = Statement(
    id="NEW.causal-partition",
    title="Under a causal mask Proposition 1 fails: AABB, ABAB and ABBA have ranks 18, 37 and 26",
    statement=r"If position $i$ sees the positions $j\le i$ only and the output is read at the last one, balanced "
    r"partitions of four tokens have different separation ranks: AABB 18, ABAB 37, ABBA 26 at $L=2$, $d=2$, $H=1$. At "
    r"$L=1$ they agree.",
    source="docs/theory.md, Causal mask",
    scope="the three balanced partitions of N = 4 tokens; L = 1 and 2 with dx = 2, H = 1 and 2, and L = 2, dx = 3, H "
    "= 1; one draw of whole-number weights: exact ranks over the rationals at dx = 2, modulo a prime at dx = 3",
    expected=Verdict.HOLDS,
    note="So the statement of Proposition 1 does not carry over; without a mask all three have 18 (H = 1) and 17 (H = "
    "2) at L = 2, dx = 2: D2W.prop1.",
)

RANKS = {(2, 2, 1): (18, 37, 26), (2, 2, 2): (14, 30, 23), (2, 3, 1): (47, 103, 68)}
PATTERNS = ("AABB", "ABAB", "ABBA")


class Sizes(NamedTuple):
    """A network."""

    L: int
    dx: int
    H: int


def cases(level: str) -> Iterable[Sizes]:
    """One layer, where nothing happens, and two."""
    quick = [Sizes(1, 2, 1), Sizes(1, 2, 2), Sizes(2, 2, 1), Sizes(2, 2, 2)]
    return quick + ([Sizes(2, 3, 1)] if level == "full" else [])


def sampled(case: Sizes) -> tuple[int, ...]:
    """Prefix Gram matrices at random points; the sum of the block ranks."""
    return tuple(sum(prefix_blocks(*case, pattern, 60)) for pattern in PATTERNS)


def coefficients(case: Sizes, causal: bool = True, patterns: Iterable[str] = PATTERNS) -> tuple[int, ...]:
    """Ranks of coefficient matrices of the masked network: of whole numbers at dx = 2, else modulo the prime."""
    rank, modulus = (separation_rank, PRIME) if case.dx > 2 else (rational_separation_rank, LARGE)
    output = network_output(network_weights(*case), 4, modulus, causal=causal, position=3)
    sides = [[j for j, side in enumerate(pattern) if side == "A"] for pattern in patterns]
    return tuple(rank(output, mask(j * case.dx + a for j in A for a in range(case.dx))) for A in sides)


def roads() -> Mapping[str, Road]:
    """Ranks for AABB, ABAB, ABBA, twice."""
    return {"prefix Gram matrices": sampled, "coefficient matrices": coefficients}


def holds(case: Sizes, result: tuple[int, ...]) -> bool:
    """The ranks listed, all different at L = 2."""
    return result == RANKS.get(case[:], (case.dx + 1,) * 3)


def mutants() -> Mapping[str, Claim]:
    """Proposition 1 under a mask, and other readings."""

    def all_halves(case: Sizes, result: tuple[int, ...]) -> bool:
        names = ["".join("A" if j in A else "B" for j in range(4)) for A in combinations(range(4), 2)]
        return set(coefficients(case, patterns=names)) == {result[0]}

    return {
        "Proposition 1 under the mask": all_halves,
        "the mask changes nothing": lambda case, result: result == coefficients(case, causal=False),
        "the mask never raises the rank": lambda case, result: max(result) <= coefficients(case, causal=False)[0],
    }
