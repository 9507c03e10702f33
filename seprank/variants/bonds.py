"""An upper bound for circuits whose nodes multiply the vectors of two others, entry by entry.

Every node holds a vector of functions of the tokens below it. Three numbers bound its ranks between the sides; they
follow from those of its two children. Source: cohen2017inductive; the recursion is derived in docs/variants.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce


@dataclass(frozen=True)
class Bond:
    """Ranks of the vector of a node at most: `A` with its index beside B, `B` with it beside A, `each` of one entry."""

    A: int
    B: int
    each: int


def leaf(side: str, dx: int) -> Bond:
    """A token of `dx` entries on a side."""
    return Bond(dx, 1, 1) if side == "A" else Bond(1, dx, 1)


def mixed(bond: Bond, width: int) -> Bond:
    """`width` linear combinations of the entries."""
    each = min(bond.A, bond.B)
    return Bond(min(bond.A, width * each), min(bond.B, width * each), each)


def multiplied(left: Bond, right: Bond, width: int) -> Bond:
    """The products of the entries of two vectors of `width` entries."""
    each = left.each * right.each
    return Bond(min(left.A * right.A, width * each), min(left.B * right.B, width * each), each)


def tree_bound(order: str, dx: int, width: int) -> int:
    """Upper bound for the binary tree on the letters of `order`, whose number is a power of 2.

    >>> tree_bound("AABB", 3, 5), tree_bound("ABAB", 3, 5)
    (5, 9)
    """
    nodes = [mixed(leaf(side, dx), width) for side in order]
    while len(nodes) > 1:
        pairs = [multiplied(left, right, width) for left, right in zip(nodes[::2], nodes[1::2], strict=True)]
        nodes = [mixed(bond, width) for bond in pairs]
    return mixed(nodes[0], 1).each


def chain_bound(order: str, dx: int, width: int) -> int:
    """Upper bound for the chain that takes in the letters of `order` one after the other.

    >>> chain_bound("AAABBB", 2, 3), chain_bound("ABABAB", 2, 3)
    (3, 8)
    """
    inputs = [mixed(leaf(side, dx), width) for side in order]
    state = reduce(lambda bond, more: multiplied(mixed(bond, width), more, width), inputs[1:], inputs[0])
    return mixed(state, 1).each
