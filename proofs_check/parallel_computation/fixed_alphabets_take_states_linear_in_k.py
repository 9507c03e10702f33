"""Minimal numbers of states of recurrences for hop_k over small alphabets.   Source: docs/parallel.md, recurrences."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from math import log2

from proofs_check.plain.hops import last_hop
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.rnn-states",
    title="Over a fixed alphabet one recurrent layer of bounded state solves hop_k for every N",
    statement=r"Registers $T_\ell[c]$, $\ell\le k$, $c\in\Sigma$, in one pass. The minimal number of states is 5, "
    r"6, 9, 10, "
    r"13, 14 for $\sigma=2$, $k=1..6$; 19, 79, 283 for $\sigma=3$; 117 for $\sigma=4$, $k=1$: it does not depend "
    r"on $N$.",
    source="docs/parallel.md, recurrences",
    scope="the numbers named, by minimisation and (sigma = 2, k <= 4; sigma = 3, k <= 2) by counting classes of "
    "prefixes; "
    "sigma = 3, k = 3 and sigma = 4, k = 1 by two ways to minimise",
    expected=Verdict.HOLDS,
    paper="PC",
    note="So Corollary 5.2 needs alphabets that grow, and does not bind in the experiments (4 symbols). sigma = "
    "3: 979, "
    "3340, 11365 for k = 4, 5, 6; sigma = 4: 3009, 64401 for k = 2, 3.",
)

Case = tuple[int, int]
STATES = {
    **{(2, k): states for k, states in enumerate((5, 6, 9, 10, 13, 14), start=1)},
    **{(3, k): states for k, states in enumerate((19, 79, 283), start=1)},
    (4, 1): 117,
}


def cases(level: str) -> Iterable[Case]:
    """(sigma, k)."""
    return [case for case in STATES if level == "full" or case != (3, 3)]


def by_minimising(case: Case) -> Result:
    """The library's register machine, minimised."""
    from seprank.parallel.recurrence import minimal_states

    return minimal_states(case[1], case[0]).minimal


def by_prefixes(case: Case) -> Result:
    """Classes of short prefixes by their answers on short continuations: at least, and here exactly, all states."""
    sigma, k = case
    lengths = {(2, 1): (5, 3), (2, 2): (5, 4), (2, 3): (6, 4), (2, 4): (6, 5), (3, 1): (6, 3)}.get(case)
    if lengths is None:
        return None
    words = [w for n in range(lengths[0] + 1) for w in itertools.product(range(sigma), repeat=n)]
    ends = [w for n in range(1, lengths[1] + 1) for w in itertools.product(range(sigma), repeat=n)]
    return len({tuple(last_hop(w + e, k) for e in ends) for w in words})


def by_distinguishing(case: Case) -> Result:
    """Histories instead of registers: what each symbol's last followers were, then pairs of states that differ."""
    sigma, k = case
    number: dict[Result, int] = {_fresh(sigma, k): 0}
    queue, rows = list(number), []
    for state in queue:
        row = []
        for x in range(sigma):
            new, answer = _read(state, x, k)
            if new not in number:
                number[new] = len(queue)
                queue.append(new)
            row.append((number[new], answer))
        rows.append(row)
    block = [0] * len(rows)
    while True:
        keys = [(block[i], tuple((answer, block[to]) for to, answer in row)) for i, row in enumerate(rows)]
        names = {key: place for place, key in enumerate(sorted(set(keys)))}
        if len(names) == len(set(block)):
            return len(names)
        block = [names[key] for key in keys]


def _fresh(sigma: int, k: int) -> Result:
    return None, tuple((-1,) * k for _ in range(sigma))


def _read(state: Result, x: int, k: int) -> tuple[Result, int]:
    """`state` holds the last symbol and for each symbol hop_0, ..., hop_(k-1) of what follows its last place."""
    last, after = state
    if last is not None:
        own = list(after)
        chain = [x]
        # The position read now follows `last`; its own j-th hop is the (j-1)-th hop behind the last place of x.
        behind = own[x] if x != last else None
        for j in range(1, k):
            chain.append(chain[j - 1] if behind is None else behind[j - 1])
        own[last] = tuple(chain)
        after = tuple(own)
    return (x, after), after[x][k - 1]


def roads() -> Mapping[str, Road]:
    """Numbers of states."""
    return {"minimising registers": by_minimising, "classes of prefixes": by_prefixes, "histories": by_distinguishing}


def holds(case: Case, result: Result) -> bool:
    """The table."""
    return bool(result == STATES[case])


def mutants() -> Mapping[str, Claim]:
    """Other laws."""
    return {
        "2^k states for two symbols": lambda case, result: case[0] != 2 or result == 2 ** case[1],
        "the same number of states for every k": lambda case, result: result == STATES[case[0], 1],
        "4.5 bits a hop whatever the alphabet": lambda case, result: abs(log2(result) / case[1] - 4.5) < 2.5,
    }
