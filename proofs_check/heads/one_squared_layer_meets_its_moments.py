"""One attention layer followed by a squared feed-forward block has rank 1 + m + min(m (m + 1) / 2, s).

Source: derived for this project: docs/variants.md, Polynomial activation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb
from typing import NamedTuple

from proofs_check.plain import variants as plain
from proofs_check.plain.ranks import value_rank
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.attention.weights import random_weights
from seprank.field.draw import residues
from seprank.field.primes import DEFAULT_PRIME
from seprank.separation.assignments import draw_assignments

PRIME = DEFAULT_PRIME

STATEMENT = Statement(
    id="NEW.squared-layer",
    title="One layer with the activation x^2: rank 1 + m + min(m (m + 1)/2, s), more than the dx + 1 of a plain layer",
    statement=r"$L=1$, the block $z\mapsto W_2(W_1z)^2$ after the attention, $d$ hidden entries, $m=\min(s,Hd_a^2)$ "
    r"forms of $G$ seen. For long input and "
    r"random weights the blocks have ranks $1,\ m,\ \min(S_m(2),s)$.",
    source="docs/variants.md, Polynomial activation",
    scope="dx = 2, 3, 4, every H that divides dx, dx = 6 with H = 6; the upper bound is proved for all weights and "
    "every number of tokens",
    expected=Verdict.HOLDS,
    note="Here more heads lower the rank at one layer already; without the activation they do not.",
)


class Layer(NamedTuple):
    """A width and a number of heads."""

    dx: int
    H: int

    @property
    def seen(self) -> int:
        """Forms of G that the heads see."""
        return min(comb(self.dx + 1, 2), self.H * (self.dx // self.H) ** 2)


def cases(level: str) -> Iterable[Layer]:
    """Every number of heads at small widths."""
    quick = [Layer(d, H) for d in (1, 2, 3) for H in range(1, d + 1) if d % H == 0] + [Layer(4, 4)]
    return quick + ([Layer(4, 1), Layer(4, 2), Layer(6, 6)] if level == "full" else [])


def by_library(case: Layer) -> int:
    """Values by compiled code, block by block."""
    from seprank.variants.feedforward import feedforward
    from seprank.variants.measure import variant_rank

    return variant_rank(feedforward(Architecture(1, *case), 2), prime=PRIME).rank


def by_tokens(case: Layer) -> int:
    """The definition in whole numbers; one matrix, at other weights."""
    d = case.dx
    heads = plain.heads_of(random_weights(Architecture(1, *case), PRIME, 1))
    up, down = (residues(1, name, (d, d), PRIME).tolist() for name in ("up", "down"))
    sides = draw_assignments(Partition(d, d), d, PRIME, 1, formula(case) + 3)

    def value(tokens: list[list[int]]) -> int:
        return plain.attention_output(heads, tokens, 0, activations=[plain.Activation(up, down, 2)], prime=PRIME)[0]

    return value_rank(value, sides[0].tolist(), sides[1].tolist(), PRIME)


def roads() -> Mapping[str, Road]:
    """Ranks, twice."""
    return {"compiled, by blocks": by_library, "whole numbers, one matrix": by_tokens}


def formula(case: Layer) -> int:
    """The sum of the three blocks."""
    m = case.seen
    return 1 + m + min(comb(m + 1, 2), comb(case.dx + 1, 2))


def holds(case: Layer, result: int) -> bool:
    """The formula."""
    return result == formula(case)


def mutants() -> Mapping[str, Claim]:
    """The plain layer, heads without effect, and squares of all forms."""
    return {
        "as a plain layer": lambda case, result: result == case.dx + 1,
        "whatever the heads": lambda case, result: result == 1 + 2 * comb(case.dx + 1, 2),
        "all squares of forms": lambda case, result: result == 1 + case.seen + comb(case.seen + 1, 2),
    }
