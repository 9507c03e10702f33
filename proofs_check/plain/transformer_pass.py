"""A forward pass over weights drawn by name: ReLU layers with residuals, softmax attention without a mask."""

from __future__ import annotations

from typing import Any

import numpy as np

from seprank.field.draw import words


def _uniform(seed: int, name: str, *shape: int) -> Any:
    raw = words(seed, name, 0, int(np.prod(shape))) >> np.uint64(11)
    return raw.astype(float).reshape(shape) * 2.0**-52 - 1


def drawn_pass(N: int, m: int, L: int, H: int, seed: int = 0, block: int | None = None) -> Any:
    """Outputs ``(N, m H)``; with `block`, wrongly, the mean of the softmax averages of blocks of keys."""
    width = m * H
    X = _uniform(seed, "tokens", N, width)
    for layer in range(L):
        drawn = _uniform(seed, f"attention/{layer}", H, 3, width, m) / width**0.5
        heads = []
        for Q, K, V in drawn:
            weights = np.exp((X @ Q) @ (X @ K).T)
            size = block or N
            parts = [slice(start, start + size) for start in range(0, N, size)]
            means = [weights[:, p] @ (X @ V)[p] / weights[:, p].sum(axis=1)[:, None] for p in parts]
            heads.append(sum(means) / len(parts))
        Z = X + np.concatenate(heads, axis=1)
        first = _uniform(seed, f"mlp/{layer}/0", width, width) / width**0.5
        second = _uniform(seed, f"mlp/{layer}/1", width, width) / width**0.5
        X = Z + (Z @ first).clip(min=0) @ second
    return X
