"""The linearized self-attention layer exactly as printed, on explicit tokens.

Every road below computes, for every position ``i``, ``sum_h W^O sum_j <W^Q x^i, W^K x^j> W^V x^j`` with the
four matrices of every head, layer after layer, at all positions. It is the reference for the Gram form in
`seprank.attention.gram` and shares no code with it. Source: levine2020depth, eq. 3 and 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.attention.weights import Weights, whole_residues
from seprank.errors import InvalidInput
from seprank.field.primes import check_prime


def forward_float(weights: Weights, tokens: ArrayLike) -> NDArray[np.float64]:
    """Output ``y`` of shape ``(N, dx)`` at the tokens ``(N, dx)``, in float64: approximate.

    Entries have degree ``3**L`` in the tokens and overflow to infinity (with numpy's warning) when large.
    Raises `InvalidInput` for tokens of another shape.

    >>> one = [[[[1.0]]]]
    >>> forward_float(Weights.from_arrays(one, one, one, one), [[2.0], [1.0]])
    array([[10.],
           [ 5.]])
    """
    x = np.asarray(tokens, dtype=np.float64)
    _check_tokens(x.shape, weights)
    residual = weights.architecture.residual
    for layer in zip(*(array.astype(np.float64) for array in weights), strict=True):
        y = x if residual else np.zeros_like(x)
        for query, key, value, output in zip(*layer, strict=True):
            scores = (x @ query.T) @ (x @ key.T).T
            y = y + (scores @ (x @ value.T)) @ output.T
        x = y
    return x


def forward_integers(weights: Weights, tokens: ArrayLike) -> NDArray[Any]:
    """Output ``y`` of shape ``(N, dx)`` at whole-number tokens ``(N, dx)``, as Python ints: exact, any size.

    Raises `InvalidInput` for tokens of another shape or type, or for floating-point weights.

    >>> one = [[[[10**9]]]]
    >>> forward_integers(Weights.from_arrays(one, one, one, one), [[2], [1]])[0, 0]
    10000000000000000000000000000000000000
    """
    weights.require_integer()
    array = np.asarray(tokens)
    _check_tokens(array.shape, weights)
    x = [[_whole(value) for value in row] for row in array.tolist()]
    residual = weights.architecture.residual
    for layer in zip(*(array.tolist() for array in weights), strict=True):
        heads = list(zip(*layer, strict=True))
        y = [_attend(heads, x_i, x) for x_i in x]
        x = [_add(y_i, x_i) for y_i, x_i in zip(y, x, strict=True)] if residual else y
    return np.array(x, dtype=object)


def forward_mod(weights: Weights, tokens: ArrayLike, prime: int) -> NDArray[np.int64]:
    """Output ``y`` modulo `prime`, of the shape of `tokens`, entries in ``0..prime-1``: exact.

    `tokens` holds whole numbers and has shape ``(..., N, dx)``: one input, or a batch of any shape.
    Raises `InvalidInput` for tokens of another shape or type, floating-point weights, or an unusable prime.

    >>> one = [[[[10**9]]]]
    >>> forward_mod(Weights.from_arrays(one, one, one, one), [[2], [1]], prime=7)
    array([[3],
           [5]])
    """
    prime = check_prime(prime)
    array = np.asarray(tokens)
    _check_tokens(array.shape[-2:], weights)
    x = whole_residues("tokens", array, prime)
    residual = weights.architecture.residual
    for layer in zip(*weights.as_residues(prime), strict=True):
        y = x if residual else np.zeros_like(x)
        for query, key, value, output in zip(*layer, strict=True):
            keys = _product(x, key.T, prime)
            scores = _product(_product(x, query.T, prime), np.swapaxes(keys, -1, -2), prime)
            mixed = _product(scores, _product(x, value.T, prime), prime)
            y = (y + _product(mixed, output.T, prime)) % prime
        x = y
    return x


def _product(a: NDArray[np.int64], b: NDArray[np.int64], prime: int) -> NDArray[np.int64]:
    """``a @ b`` modulo `prime`; a slice is as long as products of residues can be added in int64."""
    chunk = (2**63 - prime) // (prime - 1) ** 2
    total = a[..., :chunk] @ b[..., :chunk, :] % prime
    for start in range(chunk, a.shape[-1], chunk):
        part = slice(start, start + chunk)
        total = (total + a[..., part] @ b[..., part, :]) % prime
    return total


def _attend(heads: list[Any], x_i: list[int], x: list[list[int]]) -> list[int]:
    """Eq. 3 at one position, word for word."""
    y_i = [0] * len(x_i)
    for query, key, value, output in heads:
        for x_j in x:
            score = _inner(_apply(query, x_i), _apply(key, x_j))
            y_i = _add(y_i, [score * entry for entry in _apply(output, _apply(value, x_j))])
    return y_i


def _apply(matrix: list[list[int]], vector: list[int]) -> list[int]:
    return [_inner(row, vector) for row in matrix]


def _inner(a: list[int], b: list[int]) -> int:
    return sum(p * q for p, q in zip(a, b, strict=True))


def _add(a: list[int], b: list[int]) -> list[int]:
    return [p + q for p, q in zip(a, b, strict=True)]


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(f"tokens must be whole numbers, got {value!r}")
    return value


def _check_tokens(shape: tuple[int, ...], weights: Weights) -> None:
    dx = weights.architecture.dx
    if len(shape) != 2 or shape[0] < 1 or shape[1] != dx:
        raise InvalidInput(f"tokens must have shape (N, {dx}) with N at least 1, got {shape}")
