"""A search for the most recent as an exact match of counts.   Source: docs/parallel.md, structural facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proofs_check.plain.hops import KINDS, Word, link, word
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.hop-counts",
    title="find^1(p) is the first position with the count of p",
    statement=r"With $a_{j,c}=\#\{t<j:X_t=c\}$ and $c=X_p$: $\mathrm{find}^1(p)=\min\{j:a_{j,c}=a_{p,c}\}$ if "
    r"$a_{p,c}\ge1$, else 0.",
    source="docs/parallel.md, structural facts",
    scope="strings of 60 symbols over 2 to 5 letters of all kinds; the proof covers every string",
    expected=Verdict.HOLDS,
    paper="PC",
    note="It works from any stored position, which a causal mask alone does not give: C2 and C3 rest on it.",
)


def cases(level: str) -> Iterable[Word]:
    """All kinds of strings."""
    for seed in range(12 if level == "full" else 4):
        yield from (word(kind, 60, 2 + seed % 4, seed) for kind in KINDS)


def by_library(X: Word) -> Result:
    """Cumulative counts in numpy."""
    from seprank.parallel.facts import find_by_counts

    return tuple(find_by_counts(list(X)).tolist())


def by_search(X: Word) -> Result:
    """The definition."""
    return tuple(link(X, i) for i in range(1, len(X) + 1))


def roads() -> Mapping[str, Road]:
    """find^1 of every position, twice."""
    return {"counts": by_library, "search": by_search}


def _by_counts(X: Word, itself: int, last: bool) -> Result:
    found = []
    for p, c in enumerate(X, start=1):
        counts = [X[: j - 1 + itself].count(c) for j in range(1, p + 1)]
        same = [j for j, count in enumerate(counts, start=1) if count == counts[-1]]
        found.append((same[-1] if last else same[0]) if counts[-1] else 0)
    return tuple(found)


def holds(X: Word, result: Result) -> bool:
    """Counts of what comes strictly before, first match."""
    return _by_counts(X, 0, False) == result


def mutants() -> Mapping[str, Claim]:
    """Other counts, another match."""
    return {
        "counts that include the position itself": lambda X, result: _by_counts(X, 1, False) == result,
        "the last position with that count": lambda X, result: _by_counts(X, 0, True) == result,
    }
