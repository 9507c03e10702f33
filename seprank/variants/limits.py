"""The least of the upper bounds that hold for a network, for every part and in all."""

from __future__ import annotations

from dataclasses import dataclass

from seprank.closed_forms.combinatorics import multiset_run
from seprank.closed_forms.gram import side_A_dimension, side_B_dimension
from seprank.variants.variant import Upper, Variant, upper_from_blocks

GRAM_SCOPE = "all weights; the output is linear in its own token and a polynomial in the Gram matrix"
MOST_PARTS = 1200


@dataclass(frozen=True)
class Limit:
    """The least bound on the rank of one part, and its id."""

    value: int
    id: str


def upper_bounds(variant: Variant) -> tuple[Upper, ...]:
    """The bounds of the variant, the Gram bound among them where a Gram form is declared.

    >>> from seprank.attention.partition import Partition
    >>> network = lambda prime, seed: lambda A, B: A[:, 0] @ B[:, 0].T
    >>> [bound.value for bound in upper_bounds(Variant(network, 2, Partition(2, 2), gram=4))]
    [18]
    """
    named = any(bound.id == "gram" for bound in variant.bounds)
    if variant.gram is None or named or variant.gram >= MOST_PARTS:
        return variant.bounds
    return (*variant.bounds, gram_upper(variant))


def gram_upper(variant: Variant) -> Upper:
    """The Gram bound ``sum_k min(D_B(k), D_A(C - k))`` for this number of tokens."""
    C, d = variant.gram or 0, variant.dx
    NA, NB = variant.partition.NA, variant.partition.NB
    blocks = tuple(min(side_B_dimension(d, NB, k), side_A_dimension(d, NA, C - k)) for k in range(C + 1))
    found = upper_from_blocks("gram", blocks, GRAM_SCOPE)
    matches = variant.grading is not None and variant.grading.count == C + 1
    return found if matches else Upper(found.id, found.value, found.scope)


def part_limits(variant: Variant) -> list[Limit] | None:
    """The least bound of every part of the grading; None where there are none."""
    if variant.grading is None:
        return None
    listed = [bound for bound in upper_bounds(variant) if bound.holds and bound.blocks is not None]
    if not listed:
        return None
    return [
        min((Limit(bound.blocks[k], bound.id) for bound in listed if bound.blocks), key=lambda limit: limit.value)
        for k in range(variant.grading.count)
    ]


def best_upper(variant: Variant) -> Upper | None:
    """The least upper bound that holds: one of those listed, or the least ones of all parts together."""
    found = [bound for bound in upper_bounds(variant) if bound.holds and bound.value is not None]
    limits = part_limits(variant)
    if limits is not None:
        total = sum(limit.value for limit in limits)
        if all(bound.value is not None and total < bound.value for bound in found):
            ids = dict.fromkeys(limit.id for limit in limits)
            found.append(Upper("+".join(ids), total, "part by part the least of these bounds"))
    return min(found, key=lambda bound: bound.value or 0, default=None)


def monomial_blocks(variables_A: int, variables_B: int, degree: int, degrees: tuple[int, ...]) -> tuple[int, ...]:
    """The smaller number of monomials of a part: degree k in the tokens of B, the rest in those of A."""
    side_A, side_B = multiset_run(variables_A, degree), multiset_run(variables_B, degree)
    return tuple(min(side_B[k], side_A[degree - k]) for k in degrees)
