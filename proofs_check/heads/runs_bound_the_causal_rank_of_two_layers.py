"""Under a causal mask the rank of two layers is at most linear in the number of runs.

Source: derived for this project: docs/variants.md, Causal mask.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from math import comb
from typing import NamedTuple

from proofs_check.heads._causal import attention_blocks, prefix_blocks
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.causal-bound",
    title="Under a causal mask the rank of two layers is at most linear in the number of runs, at every length",
    statement=r"$L=2$, output at the last position. Let the own side (that of the last position) have $q$ runs and "
    r"the other "
    r"one $r$, $q'$ and $r'$ of them after some run of the opposite side, and let layer 1 see $m=\min(s,Hd_a^2)$ "
    r"forms. The block of degree "
    r"$2k$ in the other side has rank at most $1,\ sr,\ msr-\binom m2+d^2r'+S_m(2)(q'-1),\ dsq,\ d$.",
    source="docs/variants.md, Causal mask",
    scope="all weights, every word and length (proved there); ranks checked for dx = 1, 2, 3, H = 1 and dx, words "
    "of 2 to 12 letters",
    expected=Verdict.HOLDS,
    note="Reached by AABB at dx = 2, H = 1: 18, certified. Elsewhere the rank found is smaller.",
)


class Text(NamedTuple):
    """A width, a number of heads and a word."""

    dx: int
    H: int
    word: str


def cases(level: str) -> Iterable[Text]:
    """Words that begin with either side, short and long runs."""
    words = ["AB", "AABB", "ABBA", "ABAB", "BAB"]
    quick = [Text(2, 1, word) for word in words] + [Text(2, 2, "ABBA"), Text(1, 1, "AABBAABB"), Text(2, 1, "AABBAABB")]
    more = [Text(2, H, "AABB" * 3) for H in (1, 2)] + [
        Text(3, H, word) for H in (1, 3) for word in ("AABB", "ABBA", "ABAB")
    ]
    return quick + ([*more, Text(2, 1, "BBAABBAA"), Text(2, 2, "AABBAABB")] if level == "full" else [])


def counts(word: str) -> tuple[int, int, int, int]:
    """r, r', q, q'."""
    letters = [letter for letter, _ in groupby(word)]
    own = letters[-1]
    others = [i for i, letter in enumerate(letters) if letter != own]
    owns = [i for i, letter in enumerate(letters) if letter == own]
    return len(others), sum(i > 0 for i in others), len(owns), sum(i > 0 for i in owns)


def bound(case: Text, turned: bool = True, later: bool = True) -> tuple[int, ...]:
    """The blocks of the statement; without one or the other of its last terms for the wrong variants."""
    d, (r, r_after, q, q_after) = case.dx, counts(case.word)
    s = d * (d + 1) // 2
    m = min(s, case.H * (d // case.H) ** 2)
    middle = m * s * r - comb(m, 2) + d * d * r_after * turned + comb(m + 1, 2) * (q_after - 1) * later
    return 1, s * r, middle, d * s * q, d


def by_prefixes(case: Text) -> tuple[int, ...]:
    """Prefix Gram matrices."""
    return prefix_blocks(2, case.dx, case.H, case.word, max(bound(case)) + 4)


def by_tokens(case: Text) -> tuple[int, ...]:
    """Eq. 3 on explicit tokens under the mask."""
    return attention_blocks(2, case.dx, case.H, case.word, max(bound(case)) + 4)


def roads() -> Mapping[str, Road]:
    """Block ranks, twice."""
    return {"prefix Gram matrices": by_prefixes, "explicit tokens": by_tokens}


def below(result: tuple[int, ...], limits: tuple[int, ...]) -> bool:
    """Whether every block is at most its limit."""
    return all(rank <= limit for rank, limit in zip(result, limits, strict=True))


def holds(case: Text, result: tuple[int, ...]) -> bool:
    """The bound, and equality where it is claimed."""
    return below(result, bound(case)) and (case != (2, 1, "AABB") or result == bound(case))


def mutants() -> Mapping[str, Claim]:
    """The bound without each of its terms, and the one of a single alternation for all."""
    return {
        "without the matrices of the runs between": lambda case, result: below(result, bound(case, turned=False)),
        "without the squares of prefixes": lambda case, result: below(result, bound(case, later=False)),
        "one alternation bounds all words": lambda case, result: below(result, bound(case._replace(word="AABB"))),
        "always reached": lambda case, result: result == bound(case),
    }
