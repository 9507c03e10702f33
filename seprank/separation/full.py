"""The matrix of values of a network at given assignments, modulo a prime, and its rank."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.errors import TooLarge
from seprank.field.elimination import Pivots, eliminate
from seprank.field.primes import check_prime
from seprank.field.roads import exact_dtypes
from seprank.separation.network import Network, network_values, prepared_values, side_tokens

Residues = NDArray[np.int64]
Floats = NDArray[np.floating[Any]]
Progress = Callable[[int, int], None]

MEMORY = 4 * 2**30
_STRIP = 2**20  # entries evaluated in one call: about 10 MB, and a fraction of a second


def full_matrix(
    network: Network,
    tokens_A: ArrayLike,
    tokens_B: ArrayLike,
    prime: int,
    *,
    memory: int = MEMORY,
    progress: Progress | None = None,
) -> Residues:
    """``F[a, b]``, the value at side A assignment ``a`` and side B assignment ``b``, in ``0..prime-1``.

    `tokens_A` has shape ``(RA, NA, dx)`` and `tokens_B` ``(RB, NB, dx)``. `progress` is called as
    ``progress(done, total)`` with counts of entries. Raises `TooLarge` when the matrix needs more than `memory`
    bytes, `InvalidInput` for a bad prime or for what a network may not return.

    >>> full_matrix(lambda A, B: A[:, 0, :1] - B[:, 0, 0], [[[1]], [[2]]], [[[2]]], prime=101).tolist()
    [[100], [0]]
    """
    prime = check_prime(prime)
    tokens_A, tokens_B = side_tokens(tokens_A, tokens_B, prime)
    shape = (len(tokens_A), len(tokens_B))
    check_memory("the full matrix", shape, memory)
    matrix = np.empty(shape, np.int64)
    for rows in strips(*shape):
        matrix[rows] = network_values(network, tokens_A[rows], tokens_B, prime)
        if progress is not None:
            progress(rows.stop * shape[1], matrix.size)
    return matrix


def full_rank(
    network: Network,
    tokens_A: ArrayLike,
    tokens_B: ArrayLike,
    prime: int,
    *,
    memory: int = MEMORY,
    progress: Progress | None = None,
) -> Pivots:
    """Rank and pivots of `full_matrix`: a lower bound on the separation rank, for any network.

    The pivot rows and columns name a minor that is not zero modulo `prime`, which anyone can check again. The
    bound holds for almost all weights. Arguments and errors as in `full_matrix`. Source: levine2020depth, Claim 1.

    >>> sums = np.arange(5).reshape(5, 1, 1)
    >>> full_rank(lambda A, B: (A[:, 0, :1] + B[:, 0, 0]) ** 2, sums, sums, prime=101).rank
    3
    """
    return eliminate(balanced_full(network, tokens_A, tokens_B, prime, memory=memory, progress=progress), prime)


def balanced_full(
    network: Network,
    tokens_A: ArrayLike,
    tokens_B: ArrayLike,
    prime: int,
    *,
    memory: int = MEMORY,
    progress: Progress | None = None,
) -> Floats:
    """`full_matrix` as balanced residues in the floating-point numbers that `eliminate` works on.

    It is filled strip by strip, so that no second copy of it exists. Arguments and errors as in `full_matrix`.
    """
    prime = check_prime(prime)
    tokens_A, tokens_B = side_tokens(tokens_A, tokens_B, prime)
    shape, dtype = (len(tokens_A), len(tokens_B)), exact_dtypes(prime)[0]
    check_memory("the full matrix", shape, memory, dtype.itemsize)
    matrix = np.empty(shape, dtype)
    values = prepared_values(network, tokens_A, tokens_B, prime)
    for rows in strips(*shape):
        matrix[rows] = centred(values(rows, shape[1], 1), prime)
        if progress is not None:
            progress(rows.stop * shape[1], matrix.size)
    return matrix


def centred(values: Residues, prime: int) -> Residues:
    """Balanced residues of residues in ``0..prime-1``."""
    return np.where(values > prime // 2, values - prime, values)


def strips(rows: int, columns: int) -> list[slice]:
    """The rows, cut so that a strip of that many columns is quickly evaluated."""
    step = max(1, _STRIP // max(1, columns))
    return [slice(start, min(start + step, rows)) for start in range(0, rows, step)]


def check_memory(what: str, shape: tuple[int, int], memory: int, itemsize: int = 8) -> None:
    """Raises `TooLarge` when a matrix of that shape needs more than `memory` bytes."""
    need = itemsize * shape[0] * shape[1]
    if need > memory:
        raise TooLarge(
            f"{what} of shape {shape} needs {need} bytes, above the limit of {memory}: raise memory or sample fewer"
        )
