"""Literal grid tensors: the network at every way to put template vectors on the positions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.attention.layer import forward_mod
from seprank.attention.weights import Weights, whole_residues
from seprank.errors import InvalidInput, TooLarge
from seprank.field.elimination import Pivots, pivots
from seprank.field.primes import check_prime
from seprank.validate import whole_number

Residues = NDArray[np.int64]
Function = Callable[[Residues], NDArray[Any]]

LIMIT = 1_000_000
_BATCH = 8192


def output_entry(weights: Weights, prime: int, position: int = 0, entry: int = 0) -> Function:
    """Entry `entry` of the output at `position`, by eq. 3 on explicit tokens.

    The callable takes tokens ``(batch, N, dx)`` and returns residues ``(batch,)``.
    """
    entry = whole_number("entry", entry, least=0, most=weights.architecture.dx - 1)
    return lambda tokens: forward_mod(weights, tokens, prime)[:, position, entry]


def grid_tensor(
    network: Weights | Function,
    templates: ArrayLike,
    N: int,
    prime: int,
    *,
    position: int = 0,
    entry: int = 0,
    limit: int = LIMIT,
) -> Residues:
    """The tensor of shape ``(M,) * N`` with entry ``[m_1, ..., m_N]`` equal to ``y(v^{m_1}, ..., v^{m_N})``.

    Parameters
    ----------
    network : weights, evaluated by eq. 3 at the output `position` (from 0) and `entry`; or a callable that
        takes tokens ``(batch, N, dx)`` and returns whole numbers ``(batch,)``, read modulo `prime`.
    templates : ``v^1..v^M``, whole numbers of shape ``(M, dx)``.
    limit : the most entries ``M ** N`` that are computed.

    Raises `InvalidInput` for arguments that break a rule, `TooLarge` above `limit`.
    Source: levine2020depth, appendix B.1.

    >>> one = [[[[1]]]]
    >>> grid_tensor(Weights.from_arrays(one, one, one, one), [[1], [2]], N=2, prime=101).tolist()
    [[2, 5], [10, 16]]
    """
    prime = check_prime(prime)
    N = whole_number("N", N)
    position = whole_number("position", position, least=0, most=N - 1)
    vectors = _templates(templates, prime)
    M = vectors.shape[0]
    if limit < M**N:
        raise TooLarge(f"the grid has M**N = {M}**{N} = {M**N} entries, above the limit of {limit}")
    function = output_entry(network, prime, position, entry) if isinstance(network, Weights) else network
    flat = np.empty(M**N, np.int64)
    for start in range(0, flat.size, _BATCH):
        numbers = np.arange(start, min(start + _BATCH, flat.size))
        chosen = np.stack(np.unravel_index(numbers, (M,) * N), axis=-1)
        flat[numbers] = _values(function, vectors[chosen], prime)
    return flat.reshape((M,) * N)


def matricization(tensor: ArrayLike, A: Iterable[int]) -> NDArray[Any]:
    """`tensor` as a matrix: rows run over the indices at the positions `A`, columns over those of the others.

    `A` holds distinct positions from 0 to ``N-1``, at least one and not all; rows follow the order given.
    Raises `InvalidInput` when it does not.

    >>> matricization(np.arange(8).reshape(2, 2, 2), A=[2]).tolist()
    [[0, 2, 4, 6], [1, 3, 5, 7]]
    """
    array = np.asarray(tensor)
    rows = [whole_number("A", position, least=0, most=array.ndim - 1) for position in A]
    if len(set(rows)) != len(rows) or not 0 < len(rows) < array.ndim:
        raise InvalidInput(f"A must hold distinct positions, at least one and not all of {array.ndim}, got {rows}")
    columns = [position for position in range(array.ndim) if position not in rows]
    height = int(np.prod([array.shape[position] for position in rows]))
    return array.transpose(rows + columns).reshape(height, -1)


def grid_rank(
    network: Weights | Function,
    templates: ArrayLike,
    N: int,
    A: Iterable[int],
    prime: int,
    *,
    position: int = 0,
    entry: int = 0,
    limit: int = LIMIT,
) -> Pivots:
    """Rank and pivots of the matricized grid tensor: a lower bound on the separation rank (Claim 1).

    Rows are assignments of the positions `A`, numbered in row-major order, columns those of the others.
    The bound is reached with enough templates. Arguments and errors as in `grid_tensor` and `matricization`.
    Source: levine2020depth, Claim 1.

    >>> one = [[[[1]]]]
    >>> grid_rank(Weights.from_arrays(one, one, one, one), [[1], [2], [3]], N=2, A=[0], prime=101).rank
    2
    """
    tensor = grid_tensor(network, templates, N, prime, position=position, entry=entry, limit=limit)
    return pivots(matricization(tensor, A), prime)


def _templates(templates: ArrayLike, prime: int) -> Residues:
    vectors = np.asarray(templates)
    if vectors.ndim != 2 or 0 in vectors.shape:
        raise InvalidInput(f"templates must have shape (M, dx) with M, dx at least 1, got {vectors.shape}")
    return whole_residues("templates", vectors, prime)


def _values(function: Function, tokens: Residues, prime: int) -> Residues:
    values = np.asarray(function(tokens))
    if values.shape != tokens.shape[:1]:
        raise InvalidInput(f"network must return an array of shape {tokens.shape[:1]}, got {values.shape}")
    return whole_residues("values of the network", values, prime)
