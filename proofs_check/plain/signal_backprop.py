"""A transformer block in numpy with its derivatives written out by hand: softmax, layer norm, ReLU, scaled branches."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from proofs_check.plain.signal_deep_draws import Block, Deep, Measured, blocks, input_and_loss, pair_cosine

Array = np.ndarray


class Trail(NamedTuple):
    """What the backward pass of one block needs."""

    entering: Array
    attention: tuple[Any, ...]
    norms: tuple[Any, ...]
    hidden: tuple[Any, ...]


def measure(deep: Deep, seeds: int, seed: int) -> Measured:
    """Cosines, variances and squared gradient norms of <G, X_L>, layer by layer."""
    weights = blocks(deep, seeds, seed)
    X, G = input_and_loss(deep, seeds, seed)
    trails = []
    for block in weights:
        X, trail = forward(X, block, deep)
        trails.append(trail)
    gradients = []
    for block, trail in zip(reversed(weights), reversed(trails), strict=True):
        G, gradient = backward(G, block, trail, deep)
        gradients.append(gradient)
    gradients.reverse()
    return Measured(
        np.stack([pair_cosine(trail.entering) for trail in trails]),
        np.stack([(trail.entering**2).mean(axis=(1, 2)) for trail in trails]),
        np.stack([(gradient.V**2).sum(axis=(1, 2)) for gradient in gradients]),
        np.stack([(gradient.Q**2).sum(axis=(1, 2)) for gradient in gradients]),
        pair_cosine(X),
    )


def forward(X: Array, block: Block, deep: Deep) -> tuple[Array, Trail]:
    """One block on X (batch, n, d)."""
    pre, post = deep.norm == "pre", deep.norm == "post"
    inner, first = _norm(X) if pre else (X, None)
    S, attention = _attend(inner, block)
    Z, second = _norm(X + deep.alpha * S) if post else (X + deep.alpha * S, None)
    entering, third = _norm(Z) if pre else (Z, None)
    H = _into(entering, block.W1)
    R = np.maximum(H, 0.0) if deep.relu else H
    Y = Z + deep.alpha * _into(R, block.W2)
    out, fourth = _norm(Y) if post else (Y, None)
    return out, Trail(inner, attention, (first, second, third, fourth), (entering, H, R))


def backward(G: Array, block: Block, trail: Trail, deep: Deep) -> tuple[Array, Block]:
    """The gradient by the input of a block, and by its weights, from that by its output."""
    first, second, third, fourth = trail.norms
    entering, H, R = trail.hidden
    if fourth is not None:
        G = _norm_back(G, fourth)
    GR = deep.alpha * _into(G, _t(block.W2))
    W2 = deep.alpha * _weights(R, G, block.W2)
    GH = GR * (H > 0) if deep.relu else GR
    W1, GE = _weights(entering, GH, block.W1), _into(GH, _t(block.W1))
    G = G + (GE if third is None else _norm_back(GE, third))
    if second is not None:
        G = _norm_back(G, second)
    inner, (Q, K, V) = _attend_back(deep.alpha * G, block, trail)
    return G + (inner if first is None else _norm_back(inner, first)), Block(Q, K, V, W1, W2)


def _into(X: Array, W: Array) -> Array:
    """X W: one weight for each batch entry, or one for all (leading axis 1), then as one product."""
    if len(W) < len(X):
        return np.asarray((X.reshape(-1, X.shape[-1]) @ W[0]).reshape(*X.shape[:-1], W.shape[-1]))
    return np.asarray(X @ W)


def _weights(X: Array, G: Array, W: Array) -> Array:
    """The gradient by W of X W, in W's shape."""
    if len(W) < len(X):
        return np.asarray(X.reshape(-1, X.shape[-1]).T @ G.reshape(-1, G.shape[-1]))[None]
    return np.asarray(_t(X) @ G)


def _t(X: Array) -> Array:
    return np.swapaxes(X, -1, -2)


def _norm(X: Array) -> tuple[Array, tuple[Array, Array]]:
    centred = X - X.mean(axis=-1, keepdims=True)
    deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True))
    Y = centred / deviation
    return Y, (Y, deviation)


def _norm_back(G: Array, kept: tuple[Array, Array]) -> Array:
    Y, deviation = kept
    return np.asarray((G - G.mean(axis=-1, keepdims=True) - Y * (G * Y).mean(axis=-1, keepdims=True)) / deviation)


def _attend(X: Array, block: Block) -> tuple[Array, tuple[Array, ...]]:
    q, k, v = (_into(X, W) for W in block[:3])
    M = q @ _t(k) / np.sqrt(block.Q.shape[-1])
    E = np.exp(M - M.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return A @ v, (q, k, v, A)


def _attend_back(G: Array, block: Block, trail: Trail) -> tuple[Array, tuple[Array, ...]]:
    X = trail.entering
    q, k, v, A = trail.attention
    GA = G @ _t(v)
    GM = A * (GA - (GA * A).sum(axis=-1, keepdims=True)) / np.sqrt(block.Q.shape[-1])
    gq, gk, gv = GM @ k, _t(GM) @ q, _t(A) @ G
    pairs = list(zip((gq, gk, gv), block[:3], strict=True))
    GX = sum(_into(g, _t(W)) for g, W in pairs)
    return np.asarray(GX), tuple(_weights(X, g, W) for g, W in pairs)
