"""The k-hop induction-heads task: follow k times the link "last earlier occurrence, one step to the right".

Positions are counted from 1, as in the paper; 0 stands for "undefined". Source: sanford2024log, Definition 4.1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.errors import InvalidInput
from seprank.parallel.hop_kernels import first_links, registers_pass
from seprank.validate import whole_number

Positions = NDArray[np.int64]

BLANK = -1  # what `hop` gives where nothing is found
MOST_REGISTERS = 1 << 16  # k * alphabet up to which the registers stay in the caches; beyond, pointers are doubled


def find(X: ArrayLike, k: int = 1) -> Positions:
    """``find^k(i)`` for every position i = 1..N of `X`, by pointer doubling; 0 where it is undefined.

    Parameters
    ----------
    X : shape ``(N,)``, whole numbers, N at least 1: any symbols.
    k : number of hops, at least 0; ``find^0(i) = i``.

    Exact. Takes ``O(N log k)`` steps. Raises `InvalidInput` for an empty or otherwise shaped `X`, or a bad `k`.
    Source: sanford2024log, Definition 4.1: ``find^1(i) = max({0} | {j : 2 <= j <= i, X_(j-1) = X_i})``.

    >>> find([0, 1, 2, 0, 1, 3, 2, 0])
    array([0, 0, 0, 2, 3, 0, 4, 5])
    >>> find([0, 1, 2, 0, 1, 3, 2, 0], k=2)
    array([0, 0, 0, 0, 0, 0, 2, 3])
    """
    symbols, alphabet = _dense(X)
    power = _with_zero(first_links(symbols, alphabet))
    found = np.arange(len(power))
    rest = whole_number("k", k, least=0)
    while rest:
        if rest & 1:
            found = power[found]
        rest >>= 1
        if rest:
            power = power[power]
    return found[1:]


def hop(X: ArrayLike, k: int = 1) -> NDArray[np.int64]:
    """``hop_k(X)_i``: the symbol at ``find^k(i)``, and `BLANK` (-1) where that is undefined.

    Parameters
    ----------
    X : shape ``(N,)``, whole numbers from 0 on.
    k : number of hops, at least 0; ``hop_0(X) = X``.

    Exact. One pass with ``k`` times the alphabet of registers where they are few (`MOST_REGISTERS`), else pointer
    doubling. Raises `InvalidInput` for an empty or otherwise shaped `X`, a negative symbol, or a bad `k`.
    Source: sanford2024log, Definition 4.1.

    >>> hop([0, 1, 2, 0, 1, 3, 2, 0]).tolist()
    [-1, -1, -1, 1, 2, -1, 0, 1]
    """
    k = whole_number("k", k, least=0)
    given = _symbols(X)
    if given.min() < 0:
        raise InvalidInput(f"X must hold symbols from 0 on, got {given.min()}")
    if k == 0:
        return given.astype(np.int64)
    if k * (int(given.max()) + 1) <= MOST_REGISTERS:
        answers = np.empty(given.size, np.int64)  # by numpy, which asks for large pages; compiled code does not
        registers_pass(given, k, int(given.max()) + 1, answers)
        return answers
    found = find(given, k)
    return np.where(found > 0, given[found - 1], BLANK)


def trace(X: ArrayLike, i: int, k: int) -> list[int]:
    """The path ``find^0(i), find^1(i), ..., find^k(i)``, as positions from 1; it ends early at the first 0.

    Raises `InvalidInput` unless `i` is a position of `X`.

    >>> trace([0, 1, 2, 0, 1, 3, 2, 0], i=8, k=3)
    [8, 5, 3, 0]
    """
    links = find(X)
    path = [whole_number("i", i, most=len(links))]
    for _ in range(whole_number("k", k, least=0)):
        if path[-1] == 0:
            break
        path.append(int(links[path[-1] - 1]))
    return path


def _symbols(X: ArrayLike) -> NDArray[np.integer]:
    symbols = np.asarray(X)
    if symbols.ndim != 1 or not symbols.size:
        raise InvalidInput(f"X must be one sequence of at least one symbol, got shape {symbols.shape}")
    if symbols.dtype.kind not in "iu" or symbols.dtype == np.uint64:
        raise InvalidInput(f"X must hold whole numbers, got {symbols.dtype}")
    return symbols


def _dense(X: ArrayLike) -> tuple[NDArray[np.integer], int]:
    """Symbols as numbers from 0 on with few gaps, and a bound on them."""
    symbols = _symbols(X)
    low, high = int(symbols.min()), int(symbols.max())
    if low < 0 or high > 4 * symbols.size + 256:
        values, symbols = np.unique(symbols, return_inverse=True)
        high = len(values) - 1
    return symbols, high + 1


def _with_zero(links: Positions) -> Positions:
    return np.concatenate([np.zeros(1, np.int64), links])
