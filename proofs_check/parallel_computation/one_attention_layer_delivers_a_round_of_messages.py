"""Lemma 3.2: routing by one softmax attention layer.   Source: sanford2024log, Lemma 3.2."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from proofs_check.plain.graphs import shuffled_permutation
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

STATEMENT = Statement(
    id="PC.lem3.2",
    title="Lemma 3.2: one attention layer delivers all messages of a round, at most beta sent and received by each",
    statement=r"For $q$ machines and any pattern with at most $\beta$ messages sent and received by each there is one "
    r"layer on $q$ tokens that turns outgoing into incoming lists, although receivers do not know their senders. Here: "
    r"one head and a sink token, queries of $16\beta\ln q+1$ numbers, hashed values, a self-check.",
    source="sanford2024log, Lemma 3.2; construction: docs/parallel.md, routing",
    scope="random permutations and structured patterns, q = 16 to 64 (128 at the full level), beta = 1 to 4, payloads "
    "below 1000, 12 rows of tables, float64 and float32",
    expected=Verdict.HOLDS,
    paper="PC",
    note="The number of heads in the paper (log log q from memory) is not confirmed by the text at hand.",
)

Messages = list[dict[int, list[int]]]


class Case(NamedTuple):
    """Machines, fan-in, pattern, seed, number type."""

    q: int
    beta: int
    pattern: str
    seed: int
    dtype: str = "float64"

    def messages(self) -> Messages:
        """What everybody sends."""
        draw = random.Random(str(self))
        q, beta = self.q, self.beta
        makers: dict[str, Callable[[], list[Any]]] = {
            "random": lambda: list(zip(*(shuffled_permutation(q, draw) for _ in range(beta)), strict=True)),
            "shift": lambda: [[(i + step) % q for step in range(beta)] for i in range(q)],
            "four to one": lambda: [[q - 1] if i < beta else [] for i in range(q)],
            "empty": lambda: [[] for _ in range(q)],
        }
        return [{to: [draw.randrange(1000)] for to in row} for row in makers[self.pattern]()]


def cases(level: str) -> Iterable[Case]:
    """Random and structured patterns."""
    for seed in range(3 if level == "full" else 1):
        for q, beta in ((16, 1), (32, 2), (64, 2), (64, 4), *(((128, 4),) if level == "full" else ())):
            yield Case(q, beta, "random", seed)
            yield Case(q, beta, "random", seed, "float32")
        for pattern in ("shift", "four to one", "empty"):
            yield Case(64, 4, pattern, seed)


def deliver(case: Case, rows: int = 12, dimension: int | None = None, **options: Any) -> Any:
    """The library's layer."""
    from seprank.parallel.codebook import Codebook
    from seprank.parallel.routing import route

    book = Codebook(case.q, case.beta, dimension, rows, case.seed)
    return route(book, case.messages(), 1000, dtype=case.dtype, **options)


def _listed(inboxes: Any) -> Result:
    return tuple(tuple((sender, *words) for sender, words in inbox.items()) for inbox in inboxes)


def by_attention(case: Case) -> Result:
    """Decoded from one softmax layer."""
    return _listed(deliver(case).inboxes)


def by_hand(case: Case) -> Result:
    """Every message put where it goes."""
    inboxes: list[dict[int, list[int]]] = [{} for _ in range(case.q)]
    for sender, box in enumerate(case.messages()):
        for receiver, words in box.items():
            inboxes[receiver][sender] = words
    return _listed(inboxes)


def roads() -> Mapping[str, Road]:
    """(sender, payload) at every receiver."""
    return {"attention": by_attention, "by hand": by_hand}


def holds(case: Case, result: Result) -> bool:
    """No self-check fails, and roundings are far from their limit."""
    found = deliver(case)
    return not found.flagged and found.deviation < 0.1


def mutants() -> Mapping[str, Claim]:
    """Too small or too coarse."""
    return {
        "code length 8": lambda case, result: case.q < 64 or _works(case, result, dimension=8),
        "0.3 of the temperature": lambda case, result: case.q < 64 or _works(case, result, scale=0.3),
        "one row of tables": lambda case, result: case.q < 64 or _works(case, result, rows=1),
        "keys with 4 fractional bits": lambda case, result: case.q < 64 or _works(case, result, key_bits=4),
    }


def _works(case: Case, result: Result, **options: Any) -> bool:
    from seprank.errors import InvalidInput

    try:
        return bool(_listed(deliver(case, **options).inboxes) == result)
    except InvalidInput:  # codes that depend on one another have no certificate
        return False
