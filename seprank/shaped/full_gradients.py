"""Gradients through the depth of a finite network at initialisation (Fig. 2), by torch. Needs torch."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from seprank.errors import InvalidInput, TooLarge
from seprank.shaped.finite_start import first_tokens, network_shape
from seprank.shaped.full_network import BATCH_BYTES, path_draws, tokens_by_layer, weight_bytes
from seprank.shaped.full_variants import Variant
from seprank.shaped.setup import Setup
from seprank.shaped.torch_threads import one_thread

LOSS_STREAM = 23  # ends the seeds of the draws of the loss
MOST_BYTES = 2**32


class LayerGradients(NamedTuple):
    """`squares[p, l]` is the squared norm of dL/dX_l in path p for l = 0..depth; `gradients[p]` is dL/dX_0 (m, n)."""

    squares: NDArray[Any]
    gradients: NDArray[Any]


def gradients(setup: Setup, variant: Variant = Variant()) -> LayerGradients:  # noqa: B008  frozen
    """Gradients of the random linear loss L = <G, X_depth>, G normal with squared norm 1 on average, for every path.

    Exact up to rounding for the weights drawn, which are those of `full_network.simulate`. Raises `InvalidInput` where
    tokens or gradients leave the range of floats, `TooLarge` where the graph of one path would take over 4 GiB.
    Source: noci2023shaped, Fig. 2; that shaped gradients keep their size is measured there, not proved.

    >>> found = gradients(Setup(m=2, n=30, depth=3, gamma=0.5, tau0=1.0, paths=2))
    >>> found.squares.shape, bool((found.squares[:, 0] < 10 * found.squares[:, 3]).all())
    ((2, 4), True)
    """
    shape = network_shape(setup)
    graph = setup.depth * (weight_bytes(setup) + 8 * setup.m * (20 * setup.n + 4 * shape.hidden))
    if graph > MOST_BYTES:
        raise TooLarge(
            f"the graph of one network would take {graph / 2**30:.3g} GiB, above the limit of {MOST_BYTES / 2**30:g}; "
            "a smaller depth, n or mlp_ratio makes it fit"
        )
    size = max(1, 4 * BATCH_BYTES // graph)
    batches = [range(first, min(first + size, setup.paths)) for first in range(0, setup.paths, size)]
    with one_thread():
        found = [_batch(setup, variant, paths) for paths in batches]
    return LayerGradients(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def _batch(setup: Setup, variant: Variant, paths: range) -> LayerGradients:
    draws = path_draws(setup.seed, paths)
    X = torch.from_numpy(first_tokens(setup)).repeat(len(paths), 1, 1).requires_grad_()
    tokens = [X, *(Z for _, Z in tokens_by_layer(setup, network_shape(setup), variant, draws, X))]
    for layer, Z in enumerate(tokens):
        _refuse_lost(Z, "tokens", layer)
    loss = (tokens[-1] * torch.from_numpy(np.stack([loss_direction(setup, path) for path in paths]))).sum()
    deltas = torch.autograd.grad(loss, tokens)
    for layer, delta in reversed(list(enumerate(deltas))):
        _refuse_lost(delta, "gradients", layer)
    squares = torch.stack([delta.square().sum(dim=(-2, -1)) for delta in deltas], dim=1)
    return LayerGradients(squares.numpy(), deltas[0].numpy())


def loss_direction(setup: Setup, path: int) -> NDArray[Any]:
    """G of a path, (m, n)."""
    draw = np.random.default_rng([setup.seed, path, LOSS_STREAM])
    return draw.standard_normal((setup.m, setup.n)) / np.sqrt(setup.m * setup.n)


def _refuse_lost(Z: torch.Tensor, what: str, layer: int) -> None:
    if not Z.isfinite().all():
        raise InvalidInput(f"{what} leave the range of floats at layer {layer}; fewer layers keep them inside")
