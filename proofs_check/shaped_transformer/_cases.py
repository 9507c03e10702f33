"""Covariances that wrong variants do not survive: unequal norms, unequal correlations, at least three tokens."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

THREE = np.array([[1.0, 0.2, -0.1], [0.2, 1.5, 0.4], [-0.1, 0.4, 0.8]])
FOUR = np.array([[1.2, 0.3, -0.2, 0.5], [0.3, 0.7, 0.1, 0.2], [-0.2, 0.1, 1.6, -0.4], [0.5, 0.2, -0.4, 0.9]])
STARTS = {2: THREE[:2, :2], 3: THREE, 4: FOUR}


class Step(NamedTuple):
    """Tokens, residual weight, temperature constant, width, query and key columns, draws."""

    m: int
    gamma: float
    tau0: float
    n: int
    nk: int
    draws: int

    def __repr__(self) -> str:
        return f"[m={self.m}, gamma={self.gamma:g}, tau0={self.tau0:g}, n={self.n}, nk={self.nk}]"
