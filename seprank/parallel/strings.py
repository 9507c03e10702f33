"""Strings to try the k-hop task on; each is a function of its seed, on every machine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from seprank.errors import InvalidInput
from seprank.field.draw import residues
from seprank.validate import whole_number

Symbols = NDArray[np.int64]

_DRAWS = 2147483647  # a prime far above every alphabet: a draw modulo it, scaled down, is uniform to within 1e-5


def uniform_string(N: int, alphabet: int, seed: int = 0) -> Symbols:
    """`N` independent symbols ``0..alphabet-1``, shape ``(N,)``.

    Raises `InvalidInput` for sizes below 1, an alphabet above 10000, or a bad seed.

    >>> uniform_string(8, 3).shape
    (8,)
    """
    return _below(whole_number("alphabet", alphabet, most=10_000), whole_number("N", N), seed, "symbols")


def string_without_repeats(N: int, alphabet: int, seed: int = 0) -> Symbols:
    """`N` symbols, no two neighbours equal: the first uniform, each further one uniform over the others.

    This is the distribution that the authors of the paper train on. Raises `InvalidInput` for an alphabet below 2.

    >>> word = string_without_repeats(50, 4)
    >>> bool((word[1:] != word[:-1]).any())
    True
    """
    alphabet = whole_number("alphabet", alphabet, least=2, most=10_000)
    first = _below(alphabet, 1, seed, "first")
    steps = 1 + _below(alphabet - 1, whole_number("N", N) - 1, seed, "steps")
    return np.concatenate([first, first + np.cumsum(steps)]) % alphabet


def layered_string(permutations: Sequence[Sequence[int]], x: int) -> tuple[Symbols, int]:
    """The layered string of k permutations of ``0..n-1`` that starts a chase at `x`, and its answer.

    Symbol ``x`` of layer t is the number ``t n + x``. Block t = 1..k lists the pairs ``(t, x), (t-1, pi_t(x))``, the
    last token is ``(k, x)``; so ``N = 2 n k + 1``, and hop_k of the last position is
    ``(0, pi_1(pi_2(... pi_k(x))))``, the number returned. Raises `InvalidInput` for anything but permutations of one
    set, or an `x` outside of it. Source: docs/parallel.md, layered strings.

    >>> layered_string([[1, 0], [0, 1]], x=0)
    (array([2, 1, 3, 0, 4, 2, 5, 3, 4]), 1)
    """
    rows = [[int(value) for value in row] for row in permutations]
    if not rows or not rows[0] or any(sorted(row) != list(range(len(rows[0]))) for row in rows):
        raise InvalidInput(f"permutations must be permutations of 0..n-1, one n for all, got {rows!r}")
    n, k = len(rows[0]), len(rows)
    x = whole_number("x", x, least=0, most=n - 1)
    tokens: list[int] = []
    for t, row in enumerate(rows, start=1):
        for y in range(n):
            tokens += [t * n + y, (t - 1) * n + row[y]]
    answer = x
    for row in reversed(rows):
        answer = row[answer]
    return np.array([*tokens, k * n + x]), answer


def random_layered_string(n: int, k: int, seed: int = 0) -> tuple[Symbols, int]:
    """`layered_string` of `k` random permutations of `n` and a random start.

    >>> word, answer = random_layered_string(3, 2)
    >>> len(word)
    13
    """
    n, k = whole_number("n", n), whole_number("k", k)
    keys = residues(seed, "permutations", (k, n), _DRAWS)
    permutations = np.argsort(keys, axis=1, kind="stable").tolist()
    return layered_string(permutations, int(_below(n, 1, seed, "start")[0]))


def cycles_string(cycles: Sequence[Sequence[int]]) -> tuple[Symbols, int, int]:
    """A union of cycles on n vertices, n even, as a string; with the k of its question and the start dart's symbol.

    The darts of the cycles follow one another, which is a permutation of 2 n darts; the layered string of n / 2 copies
    of it asks where a dart is after n / 2 steps. hop_k of the last position is the starting dart if and only if that
    dart's cycle has a length dividing n / 2, as each of two cycles of n / 2 vertices has and one of n has not.
    ``N = 8 k**2 + 1`` with k = n / 2. Raises `InvalidInput` for cycles of fewer than 3 vertices, a vertex met twice,
    or an odd number of vertices. Source: docs/parallel.md, cycles to hops.

    >>> word, k, start = cycles_string([[0, 1, 2], [3, 4, 5]])
    >>> k, len(word)
    (3, 73)
    """
    vertices = [vertex for cycle in cycles for vertex in cycle]
    n = len(vertices)
    if len(set(vertices)) != n or any(len(cycle) < 3 for cycle in cycles) or not n or n % 2:
        raise InvalidInput(
            "cycles must have at least 3 vertices each, all different, and an even number in all, "
            f"got {[list(cycle) for cycle in cycles]}"
        )
    darts = [
        (cycle[place], cycle[(place + step) % len(cycle)])
        for cycle in cycles
        for place in range(len(cycle))
        for step in (1, -1)
    ]
    number = {dart: place for place, dart in enumerate(darts)}
    following = {}
    for cycle in cycles:
        m = len(cycle)
        for place in range(m):
            for step in (1, -1):
                near, far = cycle[(place + step) % m], cycle[(place + 2 * step) % m]
                following[number[cycle[place], near]] = number[near, far]
    permutation = [following[dart] for dart in range(2 * n)]
    word, _ = layered_string([permutation] * (n // 2), 0)
    return word, n // 2, 0


def _below(bound: int, count: int, seed: int, name: str) -> Symbols:
    return residues(seed, f"{name}/{bound}", (count,), _DRAWS) * bound // _DRAWS
