"""One cycle or two as a question to hop_k.   Source: sanford2024log, Corollary 4.3."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from proofs_check.plain.graphs import shuffled_permutation
from proofs_check.plain.hops import fast_hops, layered
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="PC.cor4.3.reduction",
    title="The reductions of Corollaries 3.5 and 4.3: a string of 8 k^2 + 1 symbols tells one cycle from two",
    statement=r"Darts of a 2-regular graph on $n=2k$ vertices follow one another by a permutation of $2n$ darts; the "
    r"layered string of $k$ copies of it has $N=8k^2+1$ symbols, and $\mathrm{hop}_k$ of its last position is the "
    r"starting dart if and only if there are two cycles of $k$.",
    source="sanford2024log, Corollary 4.3; docs/parallel.md, cycles to hops",
    scope="n = 6 to 12 (20 at the full level), random names, one cycle and two; the lower bounds themselves rest on a "
    "conjecture (PC.conj2.4) and are not checked",
    expected=Verdict.HOLDS,
    paper="PC",
)


class Case(NamedTuple):
    """Vertices, cycles, seed."""

    n: int
    cycles: int
    seed: int

    def rings(self) -> list[list[int]]:
        """The cycles, with random names."""
        names = list(shuffled_permutation(self.n, random.Random(str(self))))
        length = self.n // self.cycles
        return [names[start : start + length] for start in range(0, self.n, length)]


class Answer(NamedTuple):
    """Whether the last symbol is the starting dart, and the length of the string."""

    returns: bool
    N: int


def cases(level: str) -> Iterable[Case]:
    """Both answers."""
    full = level == "full"
    sizes = (6, 8, 10, 12, 16, 20) if full else (6, 8, 12)
    return [Case(n, cycles, seed) for n in sizes for cycles in (1, 2) for seed in range(5 if full else 2)]


def by_library(case: Case) -> Answer:
    """The library's string and its hop_k."""
    from seprank.parallel.hop import hop
    from seprank.parallel.strings import cycles_string

    X, k, start = cycles_string(case.rings())
    return Answer(int(hop(X, k)[-1]) == start, len(X))


def _string(case: Case, copies: int) -> tuple[int, ...]:
    sides = [side for ring in case.rings() for side in zip(ring, ring[1:] + ring[:1], strict=True)]
    darts = sides + [(v, u) for u, v in sides]
    neighbours: dict[int, set[int]] = {}
    for u, v in darts:
        neighbours.setdefault(u, set()).add(v)
    number = {dart: place for place, dart in enumerate(darts)}
    following = [number[v, (neighbours[v] - {u}).pop()] for u, v in darts]
    return layered([following] * copies, 0)


def by_hand(case: Case) -> Answer:
    """Our own string by the recurrence."""
    X = _string(case, case.n // 2)
    return Answer(fast_hops(X, case.n // 2)[-1] == 0, len(X))


def roads() -> Mapping[str, Road]:
    """Answer and length, twice."""
    return {"library": by_library, "recurrence": by_hand}


def holds(case: Case, result: Answer) -> bool:
    """The number of cycles, the length."""
    return result.returns == (case.cycles == 2) and result.N == 8 * (case.n // 2) ** 2 + 1


def mutants() -> Mapping[str, Claim]:
    """A step less, another length."""

    def a_step_less(case: Case, result: Answer) -> bool:
        k = case.n // 2 - 1
        return (fast_hops(_string(case, k), k)[-1] == 0) == (case.cycles == 2)

    return {
        "k = n / 2 - 1": a_step_less,
        "N = 4 k^2 + 1": lambda case, result: result.N == 4 * (case.n // 2) ** 2 + 1,
    }
