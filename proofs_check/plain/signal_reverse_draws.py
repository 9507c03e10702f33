"""The task of reversing a string of digits: batches, positions, initial weights of a POST-LN encoder."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from proofs_check.plain.signal_deep_draws import Block, Deep, blocks

DIGITS, WIDTH, BATCH = 10, 16, 64
RATE, BETAS, TINY = 0.01, (0.9, 0.999), 1e-8  # Adam


class Task(NamedTuple):
    """Blocks, branch scale, training steps, seed, length of the strings."""

    L: int
    alpha: float
    steps: int
    seed: int
    length: int = 20

    @property
    def deep(self) -> Deep:
        return Deep(self.L, "post", self.alpha, self.length, WIDTH)


class Start(NamedTuple):
    """Embedding (DIGITS, WIDTH), read-out (WIDTH, DIGITS), blocks with a leading axis of 1."""

    embedding: np.ndarray
    readout: np.ndarray
    blocks: list[Block]


def start(task: Task) -> Start:
    """Embedding of variance 1, He weights before ReLU, Xavier elsewhere."""
    draw = np.random.default_rng([task.seed, 11])
    embedding = draw.standard_normal((DIGITS, WIDTH))
    readout = draw.standard_normal((WIDTH, DIGITS)) * (2 / (WIDTH + DIGITS)) ** 0.5
    return Start(embedding, readout, blocks(task.deep, 1, task.seed))


def positions(task: Task) -> np.ndarray:
    """Sinusoidal positions (length, WIDTH)."""
    angles = np.arange(task.length)[:, None] / 10000 ** (np.arange(0, WIDTH, 2) / WIDTH)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(task.length, WIDTH)


def batch(task: Task, step: int, size: int = BATCH) -> np.ndarray:
    """Digits (size, length); the target is the same string from its end."""
    return np.random.default_rng([task.seed, 12, step]).integers(0, DIGITS, (size, task.length))
