"""A recurrence carries log2(n!) bits from prefix to suffix.   Source: docs/parallel.md, recurrences."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from math import factorial, log2

from proofs_check.plain.hops import last_hop, layered
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.rnn-bits",
    title="Elementary bound: a recurrence for hop_k needs L m >= log2(n!) state bits, n = floor((N - 1) / 2k)",
    statement=r"Layered strings with $\pi_1$ free and identities behind it: every two of the $n!$ prefixes are "
    r"told apart "
    r"by a suffix, so the state between them takes $n!$ values, $Lm\ge\log_2(n!)$. With $L<k$ this is "
    r"$m=\Omega((N/k^2)\log(N/k))$, for alphabets that grow with $N$.",
    source="docs/parallel.md, recurrences",
    scope="(n, k) = (3,1), (3,3), (4,1), (4,2), (4,4) and at the full level (5,1), (5,3): all prefixes; the "
    "argument covers "
    "every n and k",
    expected=Verdict.HOLDS,
    paper="PC",
    note="Stronger than the reconstructed form of Corollary 5.2 (PC.cor5.2); the paper's model may differ.",
)

Case = tuple[int, int]


def cases(level: str) -> Iterable[Case]:
    """(n, k)."""
    return [(3, 1), (3, 3), (4, 1), (4, 2), (4, 4), *([(5, 1), (5, 3)] if level == "full" else [])]


def by_library(case: Case) -> int:
    """Different columns of answers, by the library's strings."""
    from seprank.parallel.hop import hop
    from seprank.parallel.strings import layered_string

    n, k = case
    same = list(range(n))
    tables = set()
    for pi in itertools.permutations(same):
        words = [layered_string([pi, *[same] * (k - 1)], x)[0] for x in same]
        tables.add(tuple(int(hop(word, k)[-1]) for word in words))
    return len(tables)


def by_search(case: Case) -> int:
    """The same by the definition."""
    n, k = case
    same = list(range(n))
    return len(
        {tuple(last_hop(layered([pi, *[same] * (k - 1)], x), k) for x in same) for pi in itertools.permutations(same)}
    )


def roads() -> Mapping[str, Road]:
    """Prefixes that are told apart."""
    return {"library": by_library, "search": by_search}


def holds(case: Case, result: int) -> bool:
    """All n! of them; the library's bound is their logarithm."""
    from seprank.parallel.contrasts import recurrent_state_bits

    n, k = case
    bits = recurrent_state_bits(2 * n * k + 1, k).value
    return result == factorial(n) and abs(bits - log2(factorial(n))) < 1e-9


def mutants() -> Mapping[str, Claim]:
    """Bounded states."""
    return {
        "a state of n values is enough": lambda case, result: result <= case[0],
        "a state of 2^n values is enough for all n": lambda case, result: result <= 2 ** case[0],
    }
