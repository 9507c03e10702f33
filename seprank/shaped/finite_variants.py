"""Finite networks with any kind of attention, exact in law, without their weights: many networks side by side.

The shaped kind has the faster `seprank.shaped.finite`; this road, in plain numpy, is for plain softmax, the ablations
and Pre-LN, and keeps factors of V, so that correlations are seen to 1e-30 of 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seprank.errors import InvalidInput, OutOfScope, TooLarge
from seprank.shaped.finite_start import covariance_root, leaves_floats, network_shape, recorded_layers
from seprank.shaped.full_variants import Variant
from seprank.shaped.setup import Setup

Array = NDArray[Any]
Progress = Callable[[int, int], None]

STREAM = 24  # ends the seeds of these draws
TILE = 256  # networks side by side; draws are made for whole tiles
MOST_BYTES = 2**31
MOST_SECONDS = 4 * 3600.0


def factors(
    setup: Setup, variant: Variant, layers: Sequence[int] | None = None, progress: Progress | None = None
) -> Array:
    """R with V = R R^T behind `layers` of every network: (paths, k, m, m), never stopped.

    `layers` default to eleven spread evenly. One layer of attention is a noncentral Wishart draw, the shaped ReLU draws
    its hidden units. Exact in law up to rounding; a path depends on (seed, path index) only. The seed, the sizes and
    the block of `setup` count, its radius does not. Raises `OutOfScope` for a mask or several heads, `InvalidInput`
    for n < 2m or V outside the range of floats, `TooLarge` above 2 GiB or four
    hours. Source: noci2023shaped, section 4.1; the chain
    is ours.

    >>> from seprank.shaped.full_variants import VARIANTS
    >>> R = factors(Setup(m=2, n=50, depth=25, gamma=0.5, tau0=1.0, paths=100, block="attention"), VARIANTS["plain"])
    >>> bool(np.median(gaps(R)[:, -1]) < 0.01)
    True
    """
    check(setup, layers)
    marks = recorded_layers(setup.depth, layers)
    found, starts = [], range(0, setup.paths, TILE)
    for index, first in enumerate(starts):
        draw = np.random.Generator(np.random.SFC64([setup.seed, index, STREAM]))
        found.append(_tile(setup, variant, marks, draw, first))
        if progress is not None:
            progress(index + 1, len(starts))
    return np.concatenate(found)[: setup.paths]


def gaps(R: Array) -> Array:
    """1 - rho of the first two tokens of factors (..., m, m), with all digits near collapse.

    >>> f"{gaps(np.array([[1.0, 0.0], [1.0, 1e-10]])):.3g}"
    '5e-21'
    """
    units = R / np.linalg.norm(R, axis=-1, keepdims=True)
    return np.sum((units[..., 0, :] - units[..., 1, :]) ** 2, axis=-1) / 2


def check(setup: Setup, layers: Sequence[int] | None = None) -> None:
    """Raise what `factors` would, before any work."""
    if setup.heads > 1 or setup.mask is not None:
        raise OutOfScope("kinds of attention are simulated with one head and without a mask only")
    if setup.n < 2 * setup.m:
        raise InvalidInput(f"n must be at least 2m = {2 * setup.m} for the Wishart draws, got {setup.n}")
    marks = recorded_layers(setup.depth, layers)
    needed = 8 * (setup.paths + TILE) * len(marks) * setup.m**2
    if setup.activates:
        needed += 16 * TILE * setup.m * network_shape(setup).hidden
    if needed > MOST_BYTES:
        raise TooLarge(f"{setup.paths} paths would take {needed / 2**30:.3g} GiB, above 2; fewer paths fit")
    if (time := seconds(setup)) > MOST_SECONDS:
        raise TooLarge(f"{setup.paths} paths would take about {time / 3600:.2g} hours, above four; fewer paths fit")


def seconds(setup: Setup) -> float:
    """A rough estimate of the time that `factors` takes on one core."""
    hidden = 0.1 * setup.m * network_shape(setup).hidden if setup.activates else 0.0
    return 1e-6 * (setup.paths + TILE) * setup.depth * (1.2 * setup.m**2 + hidden)


@np.errstate(over="ignore", invalid="ignore")
def _tile(setup: Setup, variant: Variant, marks: Array, draw: np.random.Generator, first: int) -> Array:
    R = np.broadcast_to(covariance_root(setup.start), (TILE, setup.m, setup.m))
    out = np.empty((TILE, len(marks), setup.m, setup.m))
    row = 0
    for layer in range(setup.depth + 1):
        if layer > 0:
            R = _layer(R, setup, variant, draw)
            _refuse_lost(R[: setup.paths - first], layer, first)
        if row < len(marks) and marks[row] == layer:
            out[:, row] = R
            row += 1
    return out


def _refuse_lost(R: Array, layer: int, first: int) -> None:
    variances = np.sum(R**2, axis=-1)
    lost = ~(np.isfinite(variances) & (variances > 0)).all(axis=-1)
    if lost.any():
        raise leaves_floats(layer, first + int(lost.argmax()))


def _layer(R: Array, setup: Setup, variant: Variant, draw: np.random.Generator) -> Array:
    if setup.attends:
        seen = _seen(R, variant)
        R = _add(R, attention(seen, setup, variant, draw) @ seen, setup, variant, draw)
    if setup.activates:
        R = _add(R, _hidden(_seen(R, variant), setup, draw), setup, variant, draw)
    return R


def attention(R: Array, setup: Setup, variant: Variant, draw: np.random.Generator) -> Array:
    """The matrix A of every network from factors `R` (paths, m, m) of what it sees."""
    m, width = setup.m, setup.head_dim or 1
    if width >= m:
        inner = _bartlett(len(R), m, width, draw) @ draw.standard_normal((len(R), m, m))
    else:
        inner = draw.standard_normal((len(R), m, width)) @ draw.standard_normal((len(R), width, m))
    Y = R @ inner @ R.mT / variant.temperature(setup)
    weights = np.exp(Y - Y.max(axis=-1, keepdims=True))
    A = weights / weights.sum(axis=-1, keepdims=True) - (1 / m if variant.centred else 0.0)
    return A + np.eye(m) if variant.identity else A


def _hidden(R: Array, setup: Setup, draw: np.random.Generator) -> Array:
    """A factor of the Gram matrix of the hidden units over their number."""
    shape = network_shape(setup)
    G = R @ draw.standard_normal((len(R), setup.m, shape.hidden))
    scale = math.sqrt(2.0 / (shape.s_plus**2 + shape.s_minus**2) / shape.hidden)
    return _triangle(scale * np.where(G > 0, shape.s_plus, shape.s_minus) * G)


def _add(R: Array, L: Array, setup: Setup, variant: Variant, draw: np.random.Generator) -> Array:
    """A factor behind X -> skip X + scale n^-1/2 G with columns of G of law N(0, n L L^T)."""
    skip, scale = variant.weights(setup.gamma)
    scale /= math.sqrt(setup.n)
    near = L @ draw.standard_normal(R.shape)
    far = L @ _bartlett(len(R), setup.m, setup.n - setup.m, draw)
    return _triangle(np.concatenate([skip * R + scale * near, scale * far], axis=-1))


def _bartlett(count: int, m: int, degrees: int, draw: np.random.Generator) -> Array:
    """Lower triangular T, T T^T Wishart of size m."""
    T = np.tril(draw.standard_normal((count, m, m)), -1)
    T[:, range(m), range(m)] = np.sqrt(draw.chisquare(degrees - np.arange(m), (count, m)))
    return T


def _triangle(A: Array) -> Array:
    """Lower triangular L with L L^T = A A^T, by Gram-Schmidt on the rows: no digit of A is lost."""
    rest, m = A.copy(), A.shape[1]
    L = np.zeros((len(A), m, m))
    for i in range(m):
        for j in range(i):
            L[:, i, j] = np.einsum("pk,pk->p", rest[:, j], rest[:, i])
            rest[:, i] -= L[:, i, j, None] * rest[:, j]
        L[:, i, i] = np.sqrt(np.einsum("pk,pk->p", rest[:, i], rest[:, i]))
        rest[:, i] /= np.maximum(L[:, i, i], np.finfo(float).tiny)[:, None]
    return L


def _seen(R: Array, variant: Variant) -> Array:
    """What the branches see: tokens, or tokens of unit norm."""
    return R / np.linalg.norm(R, axis=-1, keepdims=True) if variant.layer_norm else R
