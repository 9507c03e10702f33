"""Eq. 3 on explicit tokens in python-flint, with skip connections and a causal mask where asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flint

Matrix = Sequence[Sequence[int]]
Layers = list[list[tuple[Any, Any, Any, Any]]]


def layers_modulo(query: Any, key: Any, value: Any, output: Any, prime: int) -> Layers:
    """The four matrices of every layer and head, transposed, over F_p.

    Arrays or nested lists of whole numbers: `query`, `key`, `value` of shape (L, H, da, dx), `output` of shape
    (L, H, dx, da). `prime` must be prime: python-flint ends the process on a composite modulus.
    """

    def transposed(matrix: Any) -> Any:
        rows = [[int(x) % prime for x in row] for row in matrix]
        return flint.nmod_mat(len(rows), len(rows[0]), [x for row in rows for x in row], prime).transpose()

    return [
        [tuple(map(transposed, head)) for head in zip(*layer, strict=True)]
        for layer in zip(query, key, value, output, strict=True)
    ]


def output_entry(
    layers: Layers,
    tokens: Matrix,
    prime: int,
    residual: bool = False,
    causal: bool = False,
    position: int = 0,
    entry: int = 0,
) -> int:
    """Entry `entry` of the output at `position` (both from 0), in 0..prime-1, for tokens of shape (N, dx).

    With `causal`, position i attends to positions j <= i only.
    """
    N = len(tokens)
    X = flint.nmod_mat(N, len(tokens[0]), [int(x) % prime for token in tokens for x in token], prime)
    for layer in layers:
        Y: Any = X if residual else None
        for Q, K, V, O in layer:
            scores = (X * Q) * (X * K).transpose()
            if causal:
                kept = [int(scores[i, j]) if j <= i else 0 for i in range(N) for j in range(N)]
                scores = flint.nmod_mat(N, N, kept, prime)
            head = (scores * (X * V)) * O
            Y = head if Y is None else Y + head
        X = Y
    return int(X[position, entry])
