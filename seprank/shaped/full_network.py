"""Finite networks with their weight matrices, in torch: the slow road beside the low-dimensional simulation.

Tokens have shape (paths, m, n); the networks of a batch of paths pass side by side. Needs torch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from seprank.errors import TooLarge
from seprank.field.kernels import run_tiles
from seprank.shaped.finite_start import NetworkShape, first_tokens, leaves_floats, network_shape, recorded_layers
from seprank.shaped.full_variants import Variant
from seprank.shaped.setup import Law, Setup
from seprank.shaped.torch_threads import one_thread

STREAM = 22  # ends the seeds of these draws
BATCH_BYTES = 2**26  # of the weights of one layer of the networks that pass side by side
MOST_BYTES = 2**31
MOST_SECONDS = 4 * 3600.0
Progress = Callable[[int, int], None]
Draws = Sequence[np.random.Generator]


def simulate(
    setup: Setup,
    layers: Sequence[int] | None = None,
    progress: Progress | None = None,
    variant: Variant = Variant(),  # noqa: B008  frozen
) -> Law:
    """The law of V in networks of width n, as `finite.simulate` gives it, from real weight matrices in float64.

    `variant` changes the attention and the norm; only the shaped one has the limit of this room, and the others have
    no radius unless `setup` states one. A path depends on (seed, path index) only, up to rounding. Raises
    `InvalidInput` where there is no such network or V leaves the range of floats, naming the layer, and `TooLarge`
    where one network or the result would take over 2 GiB. Source: noci2023shaped, sections 2 to 4.

    >>> law = simulate(Setup(m=2, n=20, depth=2, gamma=0.5, tau0=1.0, paths=3))
    >>> law.covariances.shape, law.stopped.tolist()
    ((3, 3, 2, 2), [False, False, False])
    """
    shape = network_shape(setup)
    marks = recorded_layers(setup.depth, layers)
    size = max(1, BATCH_BYTES // refuse_if_large(setup, len(marks)))
    radius = setup.stopping_radius if variant == Variant() or setup.radius is not None else math.inf
    out, done = np.empty((setup.paths, len(marks), setup.m, setup.m)), [0]

    def batch(first: int) -> tuple[NDArray[Any], float]:
        paths = range(first, min(first + size, setup.paths))
        found = _run(setup, shape, variant, radius, marks, paths, out[paths.start : paths.stop])
        done[0] += len(paths)
        if progress is not None:
            progress(done[0], setup.paths)
        return found

    with one_thread():
        found = run_tiles(batch, range(0, setup.paths, size))
    stopped = np.concatenate([part for part, _ in found])
    return Law(marks / setup.n, out, stopped, 0.0, max(norm for _, norm in found) / setup.validity_scale)


def path_draws(seed: int, paths: Sequence[int]) -> Draws:
    """The source of all weights of each path."""
    return [np.random.Generator(np.random.SFC64([seed, path, STREAM])) for path in paths]


def tokens_by_layer(
    setup: Setup, shape: NetworkShape, variant: Variant, draws: Draws, X: Tensor
) -> Iterator[tuple[int, Tensor]]:
    """The layer and the tokens behind it, from tokens `X` (paths, m, n) on; weights are drawn layer by layer."""
    for layer in range(1, setup.depth + 1):
        if setup.attends:
            X = attention_layer(X, setup, shape, variant, draws)
        if setup.activates:
            X = relu_layer(X, setup, shape, variant, draws)
        yield layer, X


def attention_layer(X: Tensor, setup: Setup, shape: NetworkShape, variant: Variant, draws: Draws) -> Tensor:
    """One attention layer: every head writes n / heads columns."""
    skip, scale = variant.weights(setup.gamma)
    seen, heads = _normed(X, variant), []
    for _ in range(setup.heads):
        A = attention_matrix(seen, setup, variant, draws)
        heads.append(A @ (seen @ normal(draws, setup.n, shape.size)))
    return skip * X + scale / math.sqrt(setup.n) * torch.cat(heads, dim=-1)


def attention_matrix(X: Tensor, setup: Setup, variant: Variant, draws: Draws) -> Tensor:
    """The matrix A of one head, (paths, m, m), with query and key weights drawn from N(0, 1)."""
    width = setup.head_dim or 1
    query, key = X @ normal(draws, setup.n, width), X @ normal(draws, setup.n, width)
    allowed = torch.from_numpy(setup.allowed)
    Y = (query @ key.mT) / (setup.n * variant.temperature(setup))
    A = torch.softmax(Y.masked_fill(~allowed, -torch.inf), dim=-1)
    if variant.centred:
        A = A - allowed.double() / allowed.sum(dim=-1, keepdim=True)
    return A + torch.eye(setup.m, dtype=X.dtype) if variant.identity else A


def relu_layer(X: Tensor, setup: Setup, shape: NetworkShape, variant: Variant, draws: Draws) -> Tensor:
    """One residual layer of shaped ReLU."""
    skip, scale = variant.weights(setup.gamma)
    c = 2.0 / (shape.s_plus**2 + shape.s_minus**2)
    G = math.sqrt(c / setup.n) * (_normed(X, variant) @ normal(draws, setup.n, shape.hidden))
    phi = shape.s_plus * G.clamp(min=0.0) + shape.s_minus * G.clamp(max=0.0)
    return skip * X + scale / math.sqrt(shape.hidden) * (phi @ normal(draws, shape.hidden, setup.n))


def normal(draws: Draws, rows: int, columns: int) -> Tensor:
    """Standard normal weights of every path, (paths, rows, columns)."""
    W = np.empty((len(draws), rows, columns))
    for matrix, draw in zip(W, draws, strict=True):
        draw.standard_normal(out=matrix)
    return torch.from_numpy(W)


def covariance(X: Tensor) -> Tensor:
    """V = X X^T / n, (paths, m, m)."""
    return X @ X.mT / X.shape[-1]


def _normed(X: Tensor, variant: Variant) -> Tensor:
    return X / X.square().mean(dim=-1, keepdim=True).sqrt() if variant.layer_norm else X


@torch.no_grad()
def _run(
    setup: Setup,
    shape: NetworkShape,
    variant: Variant,
    radius: float,
    layers: NDArray[Any],
    paths: range,
    out: NDArray[Any],
) -> tuple[NDArray[Any], float]:
    """Fill `out` for a batch of paths; who stopped, and the largest norm met."""
    X = torch.from_numpy(first_tokens(setup)).expand(len(paths), -1, -1)
    V = torch.from_numpy(setup.start).expand(len(paths), -1, -1)
    running = torch.ones(len(paths), dtype=torch.bool)
    largest, row = setup.start_norm, _record(out, layers, 0, 0, V)
    for layer, new in tokens_by_layer(setup, shape, variant, path_draws(setup.seed, paths), X):
        V = torch.where(running[:, None, None], covariance(new), V)
        norm = torch.linalg.matrix_norm(V)
        lost = ~norm.isfinite() | (V.diagonal(dim1=-2, dim2=-1) == 0.0).any(dim=-1)
        if lost.any():
            raise leaves_floats(layer, paths[int(lost.nonzero()[0])])
        largest, running = max(largest, float(norm.max())), norm < radius
        row = _record(out, layers, row, layer, V)
        if not running.any():
            out[:, row:] = V[:, None].numpy()
            break
    return (~running).numpy(), largest


def _record(out: NDArray[Any], layers: NDArray[Any], row: int, layer: int, V: Tensor) -> int:
    """Write V where `layer` is asked for; the next row."""
    while row < len(layers) and layers[row] == layer:
        out[:, row] = V.numpy()
        row += 1
    return row


def refuse_if_large(setup: Setup, layers: int) -> int:
    """Bytes of the weights of one layer of one network. Raises `TooLarge` above 2 GiB, for these or for the result, and
    above four hours of one core."""
    needed = max(weight_bytes(setup), 8 * setup.paths * layers * setup.m**2)
    if needed > MOST_BYTES:
        raise TooLarge(
            f"the full network would take {needed / 2**30:.3g} GiB for its weights or its covariances, above the limit "
            f"of {MOST_BYTES / 2**30:g}; a smaller n, mlp_ratio, m or fewer paths make it fit, and the low-dimensional "
            "engine needs no weights"
        )
    if (time := seconds(setup)) > MOST_SECONDS:
        raise TooLarge(
            f"{setup.paths} networks of depth={setup.depth}, n={setup.n} would take about {time / 3600:.2g} hours, "
            "above the limit of four; fewer paths or layers or a smaller n make it fit, and the low-dimensional engine "
            "needs no weights"
        )
    return weight_bytes(setup)


def weight_bytes(setup: Setup) -> int:
    """Bytes of the weights of one layer of one network."""
    entries = setup.n * (2 * setup.heads * (setup.head_dim or 1) + setup.n) if setup.attends else 0
    entries += round(2 * setup.mlp_ratio * setup.n**2) if setup.activates else 0
    return 8 * entries


def seconds(setup: Setup) -> float:
    """A rough estimate of the time that `simulate` takes on one core."""
    return 1e-9 * setup.paths * setup.depth * weight_bytes(setup) / 8 * (8.0 + 0.5 * setup.m)
