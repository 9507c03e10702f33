"""Under a causal mask the rank grows by 24 with every alternation of the sides.   Source: derived for this project."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proofs_check.plain.causal import attention_blocks, prefix_blocks
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.causal-growth",
    title="Under a causal mask the rank grows by 24 with every alternation of the sides at L = 2, dx = 2, H = 1",
    statement=r"For $r$ alternations A..AB..B with runs of at least two tokens the rank is $18+24(r-1)$, with block ranks "
    r"$1,\ 3r,\ 6+15(r-1),\ 6r,\ 2$ for degree $2k$ in the tokens of the first side; the output is read at the last position.",
    source="derived for this project from levine2020depth, eq. 3, under a causal mask",
    scope="L = 2, dx = 2, H = 1; r = 1 to 4 with runs of 2, runs of 3 at r = 1, 2, unequal runs of 2 to 4 at r <= 3; one draw of weights modulo a prime, "
    "ranks at more points than each of them",
    expected=Verdict.HOLDS,
    note="Observed, not proved. So no bound in L and dx alone holds under a mask. Runs of length 1 give 37, 62, 86, 110 for r = 2 to 5: "
    "24 more from r = 4 on.",
)


def cases(level: str) -> Iterable[str]:
    """Patterns, the sides in the order of the text."""
    quick = ["AABB", "AAABB", "AABBAABB", "ABAB"]
    more = [
        "AAABBB",
        "AABBB",
        "AABBAAABBBB",
        "AAABBBAAABBB",
        "AABB" * 3,
        "AAABBAABBBAABB",
        "AABB" * 4,
        "AB",
        "ABABAB",
        "ABABABAB",
        "ABABABABAB",
    ]
    return quick + (more if level == "full" else [])


def points(case: str) -> int:
    """More points than the largest block rank."""
    return 15 * alternations(case) + 12


def prefix_gram(case: str) -> tuple[int, ...]:
    """Prefix Gram matrices."""
    return prefix_blocks(2, 2, 1, case, points(case))


def explicit_tokens(case: str) -> tuple[int, ...]:
    """Eq. 3 on explicit tokens under the mask."""
    return attention_blocks(2, 2, 1, case, points(case))


def roads() -> Mapping[str, Road]:
    """Block ranks, twice."""
    return {"prefix Gram matrices": prefix_gram, "explicit tokens": explicit_tokens}


def alternations(case: str) -> int:
    """How often A turns to B."""
    return case.count("AB")


def long_runs(case: str) -> bool:
    """Whether every run has at least two tokens."""
    return all(len(run) >= 2 for run in case.replace("AB", "A B").replace("BA", "B A").split())


SHORT_RUNS = {1: 14, 2: 37, 3: 62, 4: 86, 5: 110}


def holds(case: str, result: tuple[int, ...]) -> bool:
    """The blocks, or for runs of one token the total."""
    r = alternations(case)
    if not long_runs(case):
        return sum(result) == SHORT_RUNS[r]
    return result == (1, 3 * r, 6 + 15 * (r - 1), 6 * r, 2) and sum(result) == 18 + 24 * (r - 1)


def mutants() -> Mapping[str, Claim]:
    """Other laws."""
    return {
        "bounded by the unmasked rank 18": lambda case, result: sum(result) <= 18,
        "proportional, 18 r": lambda case, result: not long_runs(case) or sum(result) == 18 * alternations(case),
        "for runs of one token too": lambda case, result: sum(result) == 18 + 24 * (alternations(case) - 1),
        "growing with N": lambda case, result: not long_runs(case) or sum(result) > 18 or len(case) == 4,
    }
