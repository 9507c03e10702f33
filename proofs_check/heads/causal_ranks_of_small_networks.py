"""Separation ranks under a causal mask for small networks and partitions.   Source: derived for this project."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from proofs_check.heads._causal import attention_blocks, prefix_blocks
from proofs_check.verdict import Claim, Road, Statement, Verdict

# (L, dx, H): rank by the pattern of sides
TABLE = {
    (2, 2, 1): {
        "AB": 14,
        "AABB": 18,
        "AAABBB": 18,
        "ABAB": 37,
        "ABABAB": 62,
        "ABABABAB": 86,
        "AABBAABB": 42,
        "AABBAABBAABB": 66,
    },
    (2, 2, 2): {
        "AB": 12,
        "AABB": 14,
        "AAABBB": 14,
        "ABAB": 30,
        "ABABAB": 51,
        "ABABABAB": 72,
        "AABBAABB": 35,
        "AABBAABBAABB": 56,
    },
    (2, 3, 1): {"AB": 30, "AABB": 47, "AAABBB": 47, "ABAB": 103, "ABABAB": 187},
    (3, 2, 1): {"AB": 95, "AABB": 555, "AAABBB": 699, "ABAB": 1172},
}
ABBA = {(2, 2, 1): 26, (2, 2, 2): 23, (2, 3, 1): 68}
UNMASKED = {
    (2, 2, 1): (15, 18),
    (2, 2, 2): (15, 17),
    (2, 3, 1): (35, 49),
    (3, 2, 1): (105, 232),
}  # one token a side; long
POINTS = {(3, 2, 1, "AB"): 20, (3, 2, 1, "AABB"): 145, (3, 2, 1, "AAABBB"): 190, (3, 2, 1, "ABAB"): 265}

STATEMENT = Statement(
    id="NEW.causal-table",
    title="Separation ranks under a causal mask, for small networks and partitions",
    statement="Ranks with the output at the last position, sides in the order of the text, (L, dx, H): "
    + "; ".join(f"{key}: " + ", ".join(f"{p} {r}" for p, r in row.items()) for key, row in TABLE.items())
    + "; ABBA: "
    + ", ".join(f"{key} {rank}" for key, rank in ABBA.items())
    + ". Exchanging the names of the sides reverses the list of block ranks.",
    source="docs/theory.md, Causal mask",
    scope="the cells of the table, at one draw of weights modulo a prime and at more points than the rank of each "
    "block",
    expected=Verdict.HOLDS,
    note="Observed, not proved: lower bounds for almost all weights. One token a side and long input have, unmasked, "
    + ", ".join(f"{key} {short} and {long}" for key, (short, long) in UNMASKED.items())
    + ". With one alternation the masked rank is at most the unmasked one at L = 2, and larger at L = 3 once a run has "
    "two tokens.",
)


class Cell(NamedTuple):
    """A network and a pattern of sides."""

    L: int
    dx: int
    H: int
    pattern: str

    @property
    def points(self) -> int:
        """More points than the largest block rank."""
        return POINTS.get(self[:], 130 if self.pattern == "ABABAB" and self.dx == 3 else 25 * self.dx)


def exchanged(pattern: str) -> str:
    """The pattern with the names of the sides exchanged."""
    return pattern.translate(str.maketrans("AB", "BA"))


def cases(level: str) -> Iterable[Cell]:
    """The cells, some of them also with the names exchanged."""
    cells = [Cell(*sizes, pattern) for sizes, row in TABLE.items() for pattern in row]
    cells += [Cell(*sizes, "ABBA") for sizes in ABBA]
    short = [cell for cell in cells if cell.L == 2 and len(cell.pattern) == 4]
    cells += [cell._replace(pattern=exchanged(cell.pattern)) for cell in short]
    return cells if level == "full" else [cell for cell in cells if cell[:3] == (2, 2, 1) and len(cell.pattern) <= 4]


def by_degree_in_B(pattern: str, blocks: tuple[int, ...]) -> tuple[int, ...]:
    """Blocks in order of the degree in the tokens of B: 0, 2, ... or 1, 3, ... where B holds the output."""
    return blocks[::-1] if pattern.endswith("B") else blocks


def prefix_gram(case: Cell) -> tuple[int, ...]:
    """Prefix Gram matrices."""
    return by_degree_in_B(case.pattern, prefix_blocks(*case, case.points))


def explicit_tokens(case: Cell) -> tuple[int, ...]:
    """Eq. 3 on explicit tokens under the mask."""
    return by_degree_in_B(case.pattern, attention_blocks(*case, case.points))


def roads() -> Mapping[str, Road]:
    """Block ranks by degree in side B, twice."""
    return {"prefix Gram matrices": prefix_gram, "explicit tokens": explicit_tokens}


def listed(case: Cell) -> int:
    """The rank in the table, under either naming of the sides."""
    pattern = case.pattern if case.pattern.startswith("A") else exchanged(case.pattern)
    return ABBA[case[:3]] if pattern == "ABBA" else TABLE[case[:3]][pattern]


def holds(case: Cell, result: tuple[int, ...]) -> bool:
    """The table; for exchanged names the reversed list, by the other naming."""
    if case.pattern.startswith("A"):
        return sum(result) == listed(case)
    return sum(result) == listed(case) and result[::-1] == prefix_gram(case._replace(pattern=exchanged(case.pattern)))


def mutants() -> Mapping[str, Claim]:
    """Claims that the table refutes."""

    def same_list(case: Cell, result: tuple[int, ...]) -> bool:
        other = case._replace(pattern=exchanged(case.pattern))
        return case.L > 2 or len(case.pattern) > 4 or result == prefix_gram(other)

    return {
        "exchanging the names leaves the list as it is": same_list,
        "never above the unmasked rank": lambda case, result: sum(result) <= UNMASKED[case[:3]][1],
        "one token a side: the unmasked rank": lambda case, result: (
            len(case.pattern) > 2 or sum(result) == UNMASKED[case[:3]][0]
        ),
    }
