"""At (L, dx) = (3, 4) one head has generic rank 31456, not the Gram bound 31460.

Source: docs/theory.md, Isotropic directions
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from proofs_check.plain import isotropic
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict
from seprank.attention.architecture import Architecture

STATEMENT = Statement(
    id="NEW.gram-missed-at-3-4",
    title="One head, three layers, width four: the rank is 31456, below the Gram bound 31460",
    statement=r"$L=3$, $d=4$, $H=1$, long input, almost all weights: block 7 has rank $11436=\binom{16}{7}-4$ and "
    r"every other block its Gram bound, so $\mathrm{sep}=31456$. The four lost dimensions are the powers "
    r"$(uu^T)^7$ at the four points $u$ of $\mathbb P^2$ with $a^Tu=u^TB_1u=u^TB_2u=0$.",
    source="docs/theory.md, Isotropic directions",
    scope="links diagonal, and generic in the blocks of coordinates {1}, {2,3}, {4} (not symmetric), modulo 4194301: "
    "the whole of block 7, and its part inside the operators on the orthogonal space of a; blocks 6 and 8 with "
    "antidiagonal links are full, which by propagation settles all others",
    expected=Verdict.HOLDS,
    note="Certified: 11436 is a proved upper bound (at most binom(16,7) - 4 for all weights) and the rank found a "
    "lower one. So one head does not always reach the Gram bound. More, wider heads do here: NEW.wide-heads.",
)
PRIME = 4194301
ROW = [1, 0, 0, 0]


class Part(NamedTuple):
    """Which links, and which part of the network is measured."""

    links: str
    part: str


def cases(level: str) -> Iterable[Part]:
    """The part that shows the loss at the quick level; whole blocks in full."""
    quick = [Part("diagonal", "block 7 on the space orthogonal to a"), Part("all", "whole rank")]
    if level != "full":
        return quick
    more = [
        Part("generic in {1},{2,3},{4}", "block 7 on the space orthogonal to a"),
        Part("antidiagonal", "blocks 6, 8"),
    ]
    return [*quick, *more, Part("diagonal", "block 7")]


def derivatives(case: Part) -> Result:
    """Ranks class by class, from the coefficients of the word of the network."""
    if case.part == "whole rank":
        return None
    from proofs_check.plain.derivatives import monomials_up_to, scaled, word_rows
    from proofs_check.plain.weight_classes import graded_block_rank, random_links, sign_weights, torus_weights

    gradings = {
        "diagonal": sign_weights([[0], [1], [2], [3]]),
        "generic in {1},{2,3},{4}": sign_weights([[0], [1, 2], [3]]),
        "antidiagonal": torus_weights(4),
    }
    grading = gradings[case.links]
    monomials = monomials_up_to(4, 13)
    rows = scaled(word_rows(ROW, random_links(3, grading, PRIME, 1), monomials, PRIME), 13, monomials, PRIME)
    blocks = (6, 8) if "6" in case.part else (7,)
    inside = [1, 2, 3] if "orthogonal" in case.part else None
    return tuple(graded_block_rank(rows, 13, k, monomials, PRIME, grading, inside) for k in blocks)


def proved_bound(case: Part) -> Result:
    """Operators less the powers at the isotropic points, from counts of independent powers at actual points."""
    if "orthogonal" in case.part:
        return (isotropic.multiset(6, 7) - isotropic.power_rank(3, 2, 14),)
    blocks = isotropic.block_bounds(3, 4)
    if case.part == "whole rank":
        return sum(blocks)
    return tuple(blocks[k] for k in ((6, 8) if "6" in case.part else (7,)))


def library_bound(case: Part) -> Result:
    """The library's isotropic bound, and the value it records."""
    from seprank.closed_forms.isotropic import isotropic_blocks
    from seprank.closed_forms.known import known_value

    if "orthogonal" in case.part:
        return None
    arch = Architecture(3, 4)
    if case.part == "whole rank":
        found = known_value(arch, None)
        return None if found is None else found.value
    blocks = isotropic_blocks(arch)
    return tuple(blocks[k] for k in ((6, 8) if "6" in case.part else (7,)))


def roads() -> Mapping[str, Road]:
    """A measured lower bound and proved upper bounds: equal, so exact."""
    return {
        "derivatives, class by class": derivatives,
        "proved upper bound": proved_bound,
        "library's bound or recorded value": library_bound,
    }


def _claim(loss: int) -> Claim:
    def claim(case: Part, result: Result) -> bool:
        if case.part == "whole rank":
            return bool(result == 31460 - loss)
        full = {"block 7": (11440,), "blocks 6, 8": (5005, 8008)}.get(case.part, (792,))
        return bool(result == (full if "8" in case.part else (full[0] - loss,)))

    return claim


def holds(case: Part, result: Result) -> bool:
    """Four dimensions are lost, all in block 7."""
    return _claim(4)(case, result)


def mutants() -> Mapping[str, Claim]:
    """No loss, or one for each of the points counted twice."""
    return {"the Gram bound is reached": _claim(0), "eight dimensions are lost": _claim(8)}
