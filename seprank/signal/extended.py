"""Pure attention in extended precision: the residual of every layer, which collapses doubly exponentially."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Any

import flint
import numpy as np

from seprank.errors import TooLarge
from seprank.signal.layer import LayerWeights, gaussian_weights
from seprank.signal.sizes import LayerSizes
from seprank.signal.tokens import GaussianTokens
from seprank.validate import whole_number

MOST_SECONDS = 3600.0
GUARD_DIGITS = 8  # right digits that a residual must have to count as resolved
_SECONDS_PER_PRODUCT, _SECONDS_PER_EXPONENTIAL = 5e-8, 1.5e-6  # at 100 digits, one core

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Layer:
    """The tokens behind layer `layer` (0: the input): decimal logarithms of ||R||_F and ||X||_F, R = X - mean token.

    `ratio` is log ||R|| over that of the layer before, None for the input and where the denominator is 0.
    """

    layer: int
    log10_residual: float
    log10_norm: float
    ratio: float | None


@dataclass(frozen=True)
class Collapse:
    """Residuals of pure attention layer by layer.

    `resolved` is whether `digits` sufficed for all L layers; otherwise the residual behind the last of `layers` is
    below what they resolve, and `digits_needed` is an estimate of what does.
    """

    n: int
    d: int
    dk: int
    L: int
    digits: int
    sigma: float
    rho: float
    tau: float
    seed: int
    layers: tuple[Layer, ...]
    digits_needed: int | None

    @property
    def resolved(self) -> bool:
        """Whether every layer asked for is among `layers`."""
        return len(self.layers) == self.L + 1


def collapse(
    n: int,
    d: int,
    L: int,
    digits: int = 400,
    dk: int | None = None,
    sigma: float = 1.0,
    rho: float = 0.0,
    tau: float = 1.0,
    seed: int = 0,
    progress: Progress | None = None,
) -> Collapse:
    """Residuals of X_{l+1} = softmax(tau X_l WQ WK^T X_l^T / sqrt(dk)) X_l WV for one draw of Gaussian tokens and
    weights (variances 1/d and 1/dk), in ball arithmetic of `digits` decimal digits.

    Every logarithm is proved right to the digits of a float for the weights drawn, which are exact binary fractions.
    The ratio of successive logarithms tends to 3. Stops behind the first layer whose residual `digits` do not resolve.
    The same answer for the same seed. Raises `InvalidInput`, and `TooLarge` before computing what would take over an
    hour. Source: dong2021attention; the law in the Frobenius norm: docs/signal.md.

    >>> found = collapse(n=6, d=8, L=5, digits=200)
    >>> found.resolved, 2.9 < found.layers[-1].ratio < 3.2
    (True, True)
    """
    L, digits = whole_number("L", L), check_digits(digits)
    tokens = GaussianTokens(n, d, rho, sigma)
    sizes = LayerSizes(d, tau=tau) if dk is None else LayerSizes(d, dk=dk, tau=tau)
    seed = whole_number("seed", seed, least=0)
    refuse_if_endless(tokens, sizes, L, digits)
    with flint.ctx.workprec(_bits(digits)):
        layers = _layers(tokens, sizes, L, digits, seed, progress)
    needed = None if len(layers) == L + 1 else _digits_needed(layers, L)
    return Collapse(n, d, sizes.dk, L, digits, tokens.sigma, tokens.rho, sizes.tau, seed, layers, needed)


def check_digits(digits: object) -> int:
    """`digits` as a whole number from 20 to 1000000, or `InvalidInput`."""
    return whole_number("digits", digits, least=20, most=10**6)


def seconds(tokens: GaussianTokens, sizes: LayerSizes, L: int, digits: int) -> float:
    """A rough time on one core; layers past what `digits` can resolve are not reached."""
    n, d, dk = tokens.n, tokens.d, sizes.dk
    reached = min(L, 3 + int(log(max(digits, 3)) / log(3)))
    products = 2 * n * d * dk + n * n * (dk + d) + n * d * d
    step = products * _SECONDS_PER_PRODUCT + n * n * _SECONDS_PER_EXPONENTIAL
    return reached * step * max(1.0, digits / 100) ** 1.25


def refuse_if_endless(tokens: GaussianTokens, sizes: LayerSizes, L: int, digits: int) -> None:
    """Raise `TooLarge` where the work would take over an hour, and `InvalidInput` as `check_digits`."""
    needed = seconds(tokens, sizes, L, check_digits(digits))
    if needed > MOST_SECONDS:
        raise TooLarge(
            f"collapse with n={tokens.n}, d={tokens.d}, L={L}, digits={digits} would take about {needed / 3600:.2g} "
            "hours, above the limit of one; fewer digits, tokens or a smaller width make it fit"
        )


def _layers(
    tokens: GaussianTokens, sizes: LayerSizes, L: int, digits: int, seed: int, progress: Progress | None
) -> tuple[Layer, ...]:
    X = _matrix(tokens.sample(seed)[0])
    found: list[Layer] = []
    for layer in range(L + 1):
        if progress is not None:
            progress(layer, L + 1)
        if layer:
            X = _attention(X, gaussian_weights(sizes, seed + 2**32 * layer), sizes)
        logs = _logarithm(_residual(X)), _logarithm(X)
        if logs[0] is None or logs[1] is None:
            break
        before = found[-1].log10_residual if found else 0.0
        found.append(Layer(layer, logs[0], logs[1], logs[0] / before if before else None))
    return tuple(found)


def _matrix(array: np.ndarray) -> Any:
    return flint.arb_mat([[flint.arb(float(x)) for x in row] for row in array])


def _attention(X: Any, weights: LayerWeights, sizes: LayerSizes) -> Any:
    """One layer; softmax is shifted by nothing, since balls do not overflow."""
    query, key, value = map(_matrix, weights)
    factor = flint.arb(sizes.tau) / flint.arb(sizes.dk).sqrt()
    M = (X * query) * (X * key).transpose() * factor
    n = M.nrows()
    rows = [[M[i, j].exp() for j in range(n)] for i in range(n)]
    totals = [sum(row, flint.arb(0)) for row in rows]
    A = flint.arb_mat([[x / total for x in row] for row, total in zip(rows, totals, strict=True)])
    return A * (X * value)


def _residual(X: Any) -> Any:
    n, d = X.nrows(), X.ncols()
    means = [sum((X[i, j] for i in range(n)), flint.arb(0)) / n for j in range(d)]
    return flint.arb_mat([[X[i, j] - means[j] for j in range(d)] for i in range(n)])


def _logarithm(X: Any) -> float | None:
    """log10 ||X||_F, None where the ball does not have GUARD_DIGITS right digits."""
    square = sum((x * x for x in X.entries()), flint.arb(0))
    if not square > 0 or square.rel_accuracy_bits() < GUARD_DIGITS * log(10, 2):
        return None
    return float((square.log() / (2 * flint.arb(10).log())).mid())


def _digits_needed(layers: tuple[Layer, ...], L: int) -> int:
    """The last residual tripled in its logarithm for every layer that is missing, and a margin."""
    last = min(-1.0, layers[-1].log10_residual) if layers else -1.0
    missing = L - layers[-1].layer if layers else L
    return int(min(1e9, 1.2 * -last * 3.0 ** min(missing, 40) + 50))


def _bits(digits: int) -> int:
    return int(digits * log(10, 2)) + 16
