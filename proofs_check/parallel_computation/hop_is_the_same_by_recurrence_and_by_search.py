"""hop_k by the library, by search and, on layered strings, by composing permutations.   Source: sanford2024log."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from proofs_check.plain.graphs import shuffled_permutation
from proofs_check.plain.hops import KINDS, Word, chase, fast_hops, hops, layered, word
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

STATEMENT = Statement(
    id="PC.def4.1",
    title="Definition 4.1: hop_k, and its answer on layered permutation strings",
    statement=r"$\mathrm{find}^1_X(i)=\max(\{0\}\cup\{j:2\le j\le i,\ X_{j-1}=X_i\})$, $\mathrm{hop}_k(X)_i="
    r"X_{\mathrm{find}^k_X(i)}$. On the layered string of $\pi_1,\dots,\pi_k$ that starts at $x$ the last position "
    r"gives $\pi_1\circ\dots\circ\pi_k(x)$, and $N=2nk+1$.",
    source="sanford2024log, Definition 4.1; layered strings: docs/parallel.md",
    scope="strings of up to 40 symbols over 1 to 6 letters, with and without equal neighbours, k = 0..16; layered "
    "strings with n <= 6, k <= 5",
    expected=Verdict.HOLDS,
    paper="PC",
    note="A position may be a fixed point: find^1(2) = 2 on 'a a'.",
)


class Case(NamedTuple):
    """A string, k, and the known last answer (-2 where none is known)."""

    X: Word
    k: int
    last: int

    def __str__(self) -> str:
        return f"hop_{self.k}, N = {len(self.X)}"


def cases(level: str) -> Iterable[Case]:
    """All kinds of strings; layered strings."""
    yield Case((0, 0), 1, -2)
    for seed in range(6 if level == "full" else 2):
        for kind in KINDS:
            for k in range(0, 17, 1 if level == "full" else 3):
                yield Case(word(kind, 40, 2 + seed % 5, seed), k, -2)
        draw = random.Random(seed)
        for n, k in ((1, 1), (2, 3), (4, 2), (6, 5)):
            permutations = [shuffled_permutation(n, draw) for _ in range(k)]
            yield Case(layered(permutations, seed % n), k, chase(permutations, seed % n))


def by_library(case: Case) -> Result:
    """Registers or doubled pointers."""
    from seprank.parallel.hop import hop

    return tuple(hop(list(case.X), case.k).tolist())


def by_search(case: Case) -> Result:
    """The definition, letter by letter."""
    return hops(case.X, case.k)


def roads() -> Mapping[str, Road]:
    """All answers, twice."""
    return {"library": by_library, "search": by_search}


def holds(case: Case, result: Word) -> bool:
    """The recurrence gives the same; layered strings end in what is known."""
    return fast_hops(case.X, case.k) == result and case.last in (-2, result[-1])


def mutants() -> Mapping[str, Claim]:
    """Other links."""

    def variant(X: Word, k: int, step: int, strict: bool) -> Word:
        links = [0]
        for i in range(1, len(X) + 1):
            top = i - 1 if strict or not step else i
            links.append(max((j for j in range(1 + step, top + 1) if X[j - 1 - step] == X[i - 1]), default=0))
        answers = []
        for i in range(1, len(X) + 1):
            for _ in range(k):
                i = links[i]
            answers.append(X[i - 1] if i else -1)
        return tuple(answers)

    return {
        "the last occurrence itself, without the step to the right": lambda case, result: (
            variant(case.X, case.k, 0, True) == result
        ),
        "strictly earlier positions only": lambda case, result: variant(case.X, case.k, 1, True) == result,
    }
