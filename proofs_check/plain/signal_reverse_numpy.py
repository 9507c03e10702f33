"""Training on the task of reversing a string with derivatives and Adam written out by hand in numpy."""

from __future__ import annotations

import numpy as np

from proofs_check.plain.signal_backprop import backward, forward
from proofs_check.plain.signal_deep_draws import Block
from proofs_check.plain.signal_reverse_draws import BETAS, DIGITS, RATE, TINY, Start, Task, batch, positions, start

Array = np.ndarray


def final_accuracy(task: Task) -> float:
    """Share of right digits on 10 fresh batches after training."""
    weights = start(task)
    moments = [(np.zeros_like(p), np.zeros_like(p)) for p in _flat(weights)]
    for step in range(task.steps):
        gradients = _gradients(task, weights, batch(task, step))
        for p, g, (m, v) in zip(_flat(weights), gradients, moments, strict=True):
            m += (1 - BETAS[0]) * (g - m)
            v += (1 - BETAS[1]) * (g * g - v)
            p -= RATE * (m / (1 - BETAS[0] ** (step + 1))) / (np.sqrt(v / (1 - BETAS[1] ** (step + 1))) + TINY)
    right = []
    for extra in range(10):
        strings = batch(task, task.steps + extra)
        X = weights.embedding[strings] + positions(task)
        for block in weights.blocks:
            X, _ = forward(X, block, task.deep)
        right.append(((X @ weights.readout).argmax(axis=-1) == strings[:, ::-1]).mean())
    return float(np.mean(right))


def _flat(weights: Start) -> list[Array]:
    return [weights.embedding, weights.readout, *(W for block in weights.blocks for W in block)]


def _gradients(task: Task, weights: Start, strings: Array) -> list[Array]:
    """Gradients of the mean cross-entropy, in the order of `_flat`."""
    X = weights.embedding[strings] + positions(task)
    trails = []
    for block in weights.blocks:
        X, trail = forward(X, block, task.deep)
        trails.append(trail)
    logits = X @ weights.readout
    E = np.exp(logits - logits.max(axis=-1, keepdims=True))
    G = (E / E.sum(axis=-1, keepdims=True) - np.eye(DIGITS)[strings[:, ::-1]]) / strings.size
    readout = np.einsum("bnd,bnk->dk", X, G)
    G = G @ weights.readout.T
    found: list[Block] = []
    for block, trail in zip(reversed(weights.blocks), reversed(trails), strict=True):
        G, gradient = backward(G, block, trail, task.deep)
        found.append(gradient)
    embedding = np.zeros_like(weights.embedding)
    np.add.at(embedding, strings, G)
    return [embedding, readout, *(W for gradient in reversed(found) for W in gradient)]
