"""Convolutional and recurrent arithmetic circuits: low rank for the halves of a text, high rank for alternating sides.

Source: cohen2017inductive; levine2018memory; derived for this project: docs/variants.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any, NamedTuple

from proofs_check.plain import variants as plain
from proofs_check.plain.ranks import rank
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.field.draw import residues
from seprank.field.primes import DEFAULT_PRIME

PRIME = DEFAULT_PRIME

STATEMENT = Statement(
    id="NEW.circuits",
    title="Arithmetic circuits of width W: rank min(W, dx^(T/2)) for the halves of a text, min(W, dx)^(T/2) for "
    "alternating sides",
    statement=r"A binary tree that multiplies the $W$ channels of neighbours, and a recurrent circuit "
    r"$h_t=(Ix_t)\odot(Rh_{t-1})$ with $W$ "
    r"entries, are linear in each of $T$ tokens of $d$ entries. With random weights their separation rank is "
    r"$\min(W,d^{T/2})$ for the word "
    r"A..AB..B and $\min(W,d)^{T/2}$ for ABAB..AB.",
    source="docs/variants.md, Convolutional arithmetic circuit; Recurrent arithmetic circuit",
    scope="T = 2, 4, 8 (tree), 2, 4, 6 (chain); (d, W) = (2,1), (2,2), (2,3), (3,2), (3,4); upper bounds proved "
    "for all weights there",
    expected=Verdict.HOLDS,
    note="The order of growth for both partitions is in the literature named; here exact values, with weights "
    "shared by a layer's nodes.",
)


class Circuit(NamedTuple):
    """A kind, token entries, width and word."""

    kind: str
    dx: int
    width: int
    word: str


def cases(level: str) -> Iterable[Circuit]:
    """Halves and alternating sides."""
    sizes = [(2, 1), (2, 2), (2, 3), (3, 2), (3, 4)]
    words = ["AB", "AABB", "ABAB"]
    quick = [Circuit(kind, *size, word) for kind in ("tree", "chain") for size in sizes for word in words]
    more = [Circuit("chain", *size, word) for size in sizes for word in ("AAABBB", "ABABAB")]
    more += [Circuit("tree", 2, width, word) for width in (2, 3) for word in ("AAAABBBB", "ABABABAB")]
    return quick + (more if level == "full" else [])


def sampled(case: Circuit) -> int:
    """Values at random tokens by the library."""
    from seprank.variants.conv import conv
    from seprank.variants.measure import variant_rank
    from seprank.variants.recurrent import recurrent

    build = conv if case.kind == "tree" else recurrent
    return variant_rank(build(case.dx, case.width, case.word), prime=PRIME).rank


def coefficients(case: Circuit) -> int:
    """The coefficient matrix itself: values at unit vectors, since the output is linear in every token."""
    units = [[int(i == j) for j in range(case.dx)] for i in range(case.dx)]
    sides = [list(product(units, repeat=case.word.count(side))) for side in "AB"]
    value = _output(case)
    return rank([[value(plain.interleaved(case.word, a, b)) for b in sides[1]] for a in sides[0]], PRIME)


def _output(case: Circuit) -> Any:
    dx, width = case.dx, case.width
    first, row = residues(1, "first", (width, dx), PRIME).tolist(), residues(1, "row", (width,), PRIME).tolist()
    more = residues(1, "more", (3, width, width), PRIME).tolist()
    if case.kind == "tree":
        return lambda tokens: plain.tree_output(first, more, row, tokens, PRIME)
    return lambda tokens: plain.chain_output([first], more[:1], row, tokens, PRIME)


def roads() -> Mapping[str, Road]:
    """Ranks, twice, at different weights."""
    return {"sampled values": sampled, "coefficient matrix": coefficients}


def expected(case: Circuit, word: str) -> int:
    """The formula for the halves or for alternating sides."""
    half = len(word) // 2
    return min(case.width, case.dx**half) if "ABA" not in word else min(case.width, case.dx) ** half


def holds(case: Circuit, result: int) -> bool:
    """The two formulas."""
    return result == expected(case, case.word)


def mutants() -> Mapping[str, Claim]:
    """One formula for both partitions, and powers of another base."""
    half = {word: "A" * (len(word) // 2) + "B" * (len(word) // 2) for word in ("AB", "ABAB", "ABABAB", "ABABABAB")}
    return {
        "the partition does not matter": lambda case, result: result == expected(case, half.get(case.word, case.word)),
        "powers of the width": lambda case, result: result == case.width ** (len(case.word) // 2),
        "powers of the token's entries": lambda case, result: result == case.dx ** (len(case.word) // 2),
    }
