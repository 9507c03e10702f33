"""The k-hop task by its definition, in plain Python, and strings to try it on."""

from __future__ import annotations

import random
from collections.abc import Sequence

Word = tuple[int, ...]
KINDS = ("uniform", "no repeats", "constant", "runs")


def word(kind: str, N: int, alphabet: int, seed: int) -> Word:
    """A string of `N` symbols: independent, without equal neighbours, constant, or in runs of three."""
    draw = random.Random(f"{kind} {N} {alphabet} {seed}")
    if kind == "constant":
        return (draw.randrange(alphabet),) * N
    if kind == "runs":
        letters = [draw.randrange(alphabet) for _ in range(N // 3 + 1)]
        return tuple(letter for letter in letters for _ in range(3))[:N]
    found = [draw.randrange(alphabet)]
    while len(found) < N:
        letter = draw.randrange(alphabet)
        if kind == "uniform" or letter != found[-1]:
            found.append(letter)
    return tuple(found)


def link(X: Sequence[int], i: int) -> int:
    """find^1(i) by search: the largest j from 2 to i with the symbol of i at j - 1, or 0."""
    return max((j for j in range(2, i + 1) if X[j - 2] == X[i - 1]), default=0)


def find(X: Sequence[int], i: int, k: int) -> int:
    """find^k(i), one search after another."""
    for _ in range(k):
        i = link(X, i) if i else 0
    return i


def hops(X: Sequence[int], k: int) -> Word:
    """hop_k at every position, -1 where it is undefined."""
    return tuple(X[j - 1] if (j := find(X, i, k)) else -1 for i in range(1, len(X) + 1))


def last_hop(X: Sequence[int], k: int) -> int:
    """hop_k at the last position."""
    j = find(X, len(X), k)
    return X[j - 1] if j else -1


def fast_hops(X: Sequence[int], k: int) -> Word:
    """hop_k at every position from a dictionary of last occurrences, for long strings."""
    links, after = [0], {}
    for i, letter in enumerate(X, start=1):
        if i > 1:
            after[X[i - 2]] = i
        links.append(after.get(letter, 0))
    answers = []
    for i in range(1, len(X) + 1):
        for _ in range(k):
            i = links[i]
        answers.append(X[i - 1] if i else -1)
    return tuple(answers)


def layered(permutations: Sequence[Sequence[int]], x: int) -> Word:
    """Blocks of pairs (t, y), (t - 1, pi_t(y)), and the token (k, x) at the end; symbol (t, y) is t n + y."""
    n = len(permutations[0])
    tokens = []
    for t, pi in enumerate(permutations, start=1):
        for y in range(n):
            tokens += [t * n + y, (t - 1) * n + pi[y]]
    return (*tokens, len(permutations) * n + x)


def chase(permutations: Sequence[Sequence[int]], x: int) -> int:
    """pi_1(pi_2(... pi_k(x)))."""
    for pi in reversed(permutations):
        x = pi[x]
    return x
