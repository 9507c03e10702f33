"""Cases of random networks with uniform attention, drawn once for the checkers that share them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np

from proofs_check.estimate import Estimate
from proofs_check.plain.signal_draws import Layer, mean_and_error, tokens
from proofs_check.plain.signal_uniform_networks import Network, grams, outputs, plain


class Case(NamedTuple):
    """Tokens, network, number of networks drawn."""

    n: int
    network: Network
    draws: int
    seed: int = 71


def linear_cases(level: str) -> Iterable[Case]:
    """Linear branches: alpha from 0.25 to 1, depth 4 to 16."""
    full = level == "full"
    yield Case(4, plain(4, 1.0, 1.0, 16), 20000 if full else 6000)
    yield Case(4, plain(4, 0.7, 0.3, 16), 20000 if full else 4000)
    yield Case(6, plain(8, 0.354, 0.354, 32), 5000 if full else 1000)
    if full:
        yield Case(4, plain(16, 0.5, 0.25, 32), 3000)


@cache
def input_tokens(case: Case) -> np.ndarray:
    """Gaussian tokens of correlation 0.2 with unequal norms."""
    return tokens(Layer(case.n, case.network.d, 1, 1, 0.2), 1, case.seed)[0]


@cache
def drawn_grams(case: Case) -> np.ndarray:
    """X_L X_L^T of every network drawn: (draws, n, n)."""
    return grams(outputs(case.network, input_tokens(case), case.draws, case.seed))


def estimate(samples: np.ndarray) -> Estimate:
    """Mean and standard error over the networks."""
    return Estimate(*mean_and_error(samples))
