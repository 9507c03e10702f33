"""Under a causal mask the rank grows by the same number with every alternation of the sides (conjecture).

Source: derived for this project from levine2020depth, eq. 3, under a causal mask.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb
from typing import NamedTuple

from proofs_check.heads._causal import attention_blocks, prefix_blocks
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.causal-growth",
    title="Under a causal mask every alternation of the sides adds s(1 + s + 2 dx) to the rank at L = 2, H = 1 "
    "(conjecture): 18, 42, 66, 90 at dx = 2",
    statement=r"For $r$ alternations A..AB..B with runs of at least two tokens, the output read at the last position, "
    r"the block ranks are $1,\ sr,\ ds+\binom{d-1}2+s(s+d)(r-1),\ dsr,\ d$, for degree $2k$ in the tokens of A; at "
    r"$d=2$: $1,\ 3r,\ 6+15(r-1),\ 6r,\ 2$, together $18+24(r-1)$.",
    source="docs/theory.md, Causal mask",
    scope="L = 2, H = 1; dx = 2 with r <= 4, dx = 1 and 3 with r <= 3, dx = 4 with r <= 2, dx = 5 with r = 1; runs of "
    "2 to 4 tokens, equal and unequal; one draw of weights modulo a prime, more points than the rank of each block",
    expected=Verdict.HOLDS,
    note="Observed, not proved; ranks at one draw are lower bounds for almost all weights. So no bound in L and dx "
    "alone holds under a mask. Runs of one token at dx = 2 give 14, 37, 62, 86, 110 for r = 1 to 5.",
)


class Text(NamedTuple):
    """A width, and the sides in the order of the text."""

    dx: int
    pattern: str

    @property
    def r(self) -> int:
        """How often A turns to B."""
        return self.pattern.count("AB")

    @property
    def long_runs(self) -> bool:
        """Whether every run has at least two tokens."""
        return all(len(run) >= 2 for run in self.pattern.replace("AB", "A B").replace("BA", "B A").split())


SHORT_RUNS = {1: 14, 2: 37, 3: 62, 4: 86, 5: 110}


def cases(level: str) -> Iterable[Text]:
    """Long runs of several lengths, and runs of one token."""
    quick = [Text(1, "AABBAABB"), *(Text(2, pattern) for pattern in ("AABB", "AAABB", "AABBAABB", "ABAB"))]
    patterns = ["AAABBB", "AABBAAABBBB", "AAABBBAAABBB", "AABB" * 3, "AAABBAABBBAABB", "AABB" * 4]
    more = [Text(2, pattern) for pattern in [*patterns, *("AB" * r for r in (1, 3, 4, 5))]]
    more += [Text(1, "AABB"), Text(1, "AABB" * 3), *(Text(3, "AABB" * r) for r in (1, 2, 3)), Text(3, "AAABBB" * 2)]
    more += [Text(4, "AABB"), Text(4, "AABB" * 2), Text(5, "AABB")]
    return quick + (more if level == "full" else [])


def expected(case: Text) -> tuple[int, ...]:
    """The blocks of the statement."""
    d, r = case.dx, case.r
    s = d * (d + 1) // 2
    return 1, s * r, d * s + comb(d - 1, 2) + s * (s + d) * (r - 1), d * s * r, d


def points(case: Text) -> int:
    """More points than the largest block rank."""
    return max(expected(case)) + 8


def prefix_gram(case: Text) -> tuple[int, ...]:
    """Prefix Gram matrices."""
    return prefix_blocks(2, case.dx, 1, case.pattern, points(case))


def explicit_tokens(case: Text) -> tuple[int, ...]:
    """Eq. 3 on explicit tokens under the mask."""
    return attention_blocks(2, case.dx, 1, case.pattern, points(case))


def roads() -> Mapping[str, Road]:
    """Block ranks, twice."""
    return {"prefix Gram matrices": prefix_gram, "explicit tokens": explicit_tokens}


def holds(case: Text, result: tuple[int, ...]) -> bool:
    """The blocks; for runs of one token the total."""
    return result == expected(case) if case.long_runs else sum(result) == SHORT_RUNS[case.r]


def mutants() -> Mapping[str, Claim]:
    """Other laws."""

    def unmasked(case: Text) -> int:
        s = case.dx * (case.dx + 1) // 2
        return 1 + s + comb(s + 1, 2) + case.dx * s + case.dx

    def first(case: Text) -> int:
        return sum(expected(case._replace(pattern="AABB")))

    return {
        "bounded by the rank without a mask": lambda case, result: sum(result) <= unmasked(case),
        "proportional to r": lambda case, result: not case.long_runs or sum(result) == first(case) * case.r,
        "for runs of one token too": lambda case, result: result == expected(case),
        "larger for longer runs": lambda case, result: (
            not case.long_runs or sum(result) > first(case) or len(case.pattern) == 4 * case.r
        ),
    }
