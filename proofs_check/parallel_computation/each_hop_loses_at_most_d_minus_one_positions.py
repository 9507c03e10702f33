"""find^1 is injective, and how many positions have no k-th hop.   Source: docs/parallel.md, structural facts."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from proofs_check.plain.hops import KINDS, Word, find, word
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

HOPS = 6

STATEMENT = Statement(
    id="NEW.hop-undefined",
    title="find^1 is injective; d positions have no first hop, each further hop loses at most d - 1",
    statement=r"$\mathrm{find}^1$ is injective where it is not 0. With $d$ distinct symbols "
    r"$\#\{i:\mathrm{find}^1(i)=0\}=d$ and $\#\{\mathrm{find}^{k+1}=0\}-\#\{\mathrm{find}^k=0\}\le d-1$.",
    source="docs/parallel.md, structural facts",
    scope="strings of up to 60 symbols over 1 to 5 letters, k <= 6; the authors' strings (98 letters of 4 symbols, no "
    "equal neighbours) lose exactly d - 1 = 3 in all of those tried",
    expected=Verdict.HOLDS,
    paper="PC",
    note="So a string of the authors' distribution has 97 - 3k scored positions, which fixes the denominators of their "
    "table (NEW.hop-denominators).",
)


class Case(NamedTuple):
    """A string, and whether it is of the authors' distribution."""

    X: Word
    authors: bool

    def __str__(self) -> str:
        return f"{'authors, ' if self.authors else ''}N = {len(self.X)}, d = {len(set(self.X))}"


def cases(level: str) -> Iterable[Case]:
    """All kinds, and the authors' strings."""
    for seed in range(12 if level == "full" else 4):
        for kind in KINDS:
            yield Case(word(kind, 60, 2 + seed % 4, seed), False)
        yield Case(word("no repeats", 98, 4, seed), True)


def by_library(case: Case) -> Result:
    """Doubled pointers."""
    from seprank.parallel.facts import undefined_positions
    from seprank.parallel.hop import find

    links = [j for j in find(list(case.X)).tolist() if j]
    return (len(links) - len(set(links)), *(undefined_positions(list(case.X), k) for k in range(1, HOPS + 1)))


def by_search(case: Case) -> Result:
    """The definition."""
    places = range(1, len(case.X) + 1)
    links = [j for i in places if (j := find(case.X, i, 1))]
    counts = (sum(find(case.X, i, k) == 0 for i in places) for k in range(1, HOPS + 1))
    return (len(links) - len(set(links)), *counts)


def roads() -> Mapping[str, Road]:
    """Collisions of find^1, then undefined positions for k = 1..6."""
    return {"library": by_library, "search": by_search}


def holds(case: Case, result: tuple[int, ...]) -> bool:
    """No collision, d at first, at most d - 1 more each time; exactly that on the authors' strings."""
    d, (collisions, *counts) = len(set(case.X)), result
    growth = [after - before for before, after in itertools.pairwise(counts)]
    return (
        collisions == 0
        and counts[0] == d
        and all(0 <= step <= d - 1 for step in growth)
        and (not case.authors or set(growth) == {d - 1})
    )


def mutants() -> Mapping[str, Claim]:
    """One position less."""

    def fewer(case: Case, result: tuple[int, ...]) -> bool:
        d = len(set(case.X))
        return all(after - before <= d - 2 for before, after in itertools.pairwise(result[1:]))

    return {
        "each hop loses at most d - 2": fewer,
        "d - 1 positions have no first hop": lambda case, result: result[1] == len(set(case.X)) - 1,
    }
