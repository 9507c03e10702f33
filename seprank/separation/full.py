"""The matrix of values of a network at given assignments, modulo a prime, and its rank."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.errors import TooLarge
from seprank.field.elimination import Pivots, pivots
from seprank.field.primes import check_prime
from seprank.separation.network import Network, network_values, side_tokens

Residues = NDArray[np.int64]
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
    return pivots(full_matrix(network, tokens_A, tokens_B, prime, memory=memory, progress=progress), prime)


def strips(rows: int, columns: int) -> list[slice]:
    """The rows, cut so that a strip of that many columns is quickly evaluated."""
    step = max(1, _STRIP // max(1, columns))
    return [slice(start, min(start + step, rows)) for start in range(0, rows, step)]


def check_memory(what: str, shape: tuple[int, int], memory: int) -> None:
    """Raises `TooLarge` when an int64 matrix of that shape needs more than `memory` bytes."""
    need = 8 * shape[0] * shape[1]
    if need > memory:
        raise TooLarge(
            f"{what} of shape {shape} needs {need} bytes, above the limit of {memory}: raise memory or sample fewer"
        )
