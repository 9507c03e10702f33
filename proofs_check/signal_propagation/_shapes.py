"""Random tokens and weights of small, unequal sizes for the identities of appendix A.1."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from proofs_check.plain import signal_draws

IDENTITY = "to 1e-11, relative, in float64"


class Shape(NamedTuple):
    """Sizes, inverse temperature, seed."""

    n: int
    d: int
    dk: int
    dv: int
    tau: float = 1.0
    seed: int = 0


def shapes(level: str, tau: float = 1.0) -> Iterable[Shape]:
    """Four combinations of sizes; on the full level each with three draws."""
    for sizes in ((3, 4, 4, 4), (5, 3, 2, 4), (2, 6, 3, 5), (6, 4, 7, 2)):
        for seed in range(3 if level == "full" else 1):
            yield Shape(*sizes, tau, seed)


@cache
def arguments(shape: Shape) -> tuple[Any, Any, Any, Any, float]:
    """X, WQ, WK, WV and tau."""
    layer = signal_draws.Layer(shape.n, shape.d, shape.dk, shape.dv, sigma=0.5)
    X = signal_draws.tokens(layer, 1, shape.seed)[0]
    Q, K, V = (W[0] for W in signal_draws.weights(layer, 1, shape.seed))
    return X, Q, K, V, shape.tau


def flat(array: np.ndarray, rows: int) -> np.ndarray:
    """A Jacobian of any shape as a matrix with `rows` rows, row-wise order."""
    return array.reshape(rows, -1)
