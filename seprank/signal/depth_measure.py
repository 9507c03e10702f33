"""What happens to tokens and gradients layer by layer, for a batch of seeds at once, in torch.

One pass forward keeps what enters every block; the pass back goes block by block, so that memory holds the graph of
one block only, and gives the gradients of every seed at once, since seeds share no weight.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from seprank.errors import InvalidInput
from seprank.signal.network import Block, Network
from seprank.signal.network_sizes import NetworkSizes
from seprank.signal.tokens import GaussianTokens

LOSS_STREAM = 8  # ends the seeds of the draws of the loss
Progress = Callable[[int, int], None]


class Tokens(NamedTuple):
    """What enters attention, per seed: 1 - mean pair cosine, entry variance, squared norm of the stream; and sums over
    the seeds of the squared norms of the n tokens and of the Gram matrix of the centred tokens."""

    gap: np.ndarray
    sigma2: np.ndarray
    norm: np.ndarray
    squares: np.ndarray
    centred_gram: np.ndarray


class Attention(NamedTuple):
    """Per seed: root mean square of the logits and of their deviation from the mean of their row, and the mean of the
    largest attention weight of a row."""

    logit_std: np.ndarray
    logit_spread: np.ndarray
    peak: np.ndarray


class Measured(NamedTuple):
    """`tokens` in layers 1..L and behind the last, `attention` in layers 1..L, and ``log10`` of the squared gradient
    norms, shape (3, L, seeds) in the order query, key, value."""

    tokens: list[Tokens]
    attention: list[Attention]
    gradients: np.ndarray


def measure(
    sizes: NetworkSizes,
    tokens: GaussianTokens,
    seeds: Sequence[int],
    progress: Progress | None = None,
    backward: bool = True,
) -> Measured:
    """Networks of `seeds` on their own draws of `tokens`, under the loss <G, X_L> with G standard normal.

    Over the draws of G the expected squared gradient norm of a weight is the squared Frobenius norm of the Jacobian of
    X_L. Exact up to rounding for the weights drawn; without `backward` no gradient is taken. Raises `InvalidInput`
    where activations or gradients leave the range of floats, naming layer and seed.
    """
    network = Network(sizes, seeds)
    X = torch.from_numpy(np.stack([tokens.sample(seed) for seed in seeds]))
    passed = _Passed((2 if backward else 1) * sizes.L, progress)
    streams, found, attention = [X], [], []
    with torch.no_grad():
        for layer, block in enumerate(network.blocks, 1):
            assert isinstance(block, Block)
            inner = block.entering(streams[-1])
            found.append(token_numbers(inner, streams[-1]))
            attention.append(attention_numbers(block, inner))
            streams.append(_finite(block(streams[-1]), "activations", layer, seeds))
            passed.one()
        found.append(token_numbers(network.blocks[-1].entering(streams[-1]), streams[-1]))  # type: ignore[operator]
    gradients = _back(network, streams, seeds, passed) if backward else np.empty((3, 0, len(seeds)))
    return Measured(found, attention, gradients)


class _Passed:
    """Steps done, told to a progress bar."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self.done, self.total, self.progress = 0, total, progress

    def one(self) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.total)


def _back(network: Network, streams: list[Tensor], seeds: Sequence[int], passed: _Passed) -> np.ndarray:
    """From the loss to the first block: log10 of the squared gradient norms, (3, L, seeds)."""
    shape = streams[0].shape[1:]
    downstream = torch.from_numpy(
        np.stack([np.random.default_rng([seed, 0, LOSS_STREAM]).standard_normal(shape) for seed in seeds])
    )
    found = []
    for layer in range(len(network.blocks), 0, -1):
        block = network.blocks[layer - 1]
        assert isinstance(block, Block)
        X = streams[layer - 1].detach().requires_grad_()
        weights = (block.query, block.key, block.value)
        downstream, *gradients = torch.autograd.grad(block(X), (X, *weights), downstream)
        found.append([log10_squared_norm(_finite(g, "gradients", layer, seeds)) for g in gradients])
        passed.one()
    return np.moveaxis(np.array(found[::-1]), 0, 1)


def token_numbers(X: Tensor, stream: Tensor) -> Tokens:
    """The numbers of tokens `X` that enter attention, (seeds, 1, n, d), and of the `stream` that they come from."""
    X = X[:, 0]
    unit = torch.nn.functional.normalize(X, dim=-1, eps=0.0)
    centred = X - X.mean(dim=-2, keepdim=True)
    spread = unit - unit.mean(dim=-2, keepdim=True)
    return Tokens(
        gap=(spread.square().sum(dim=(-1, -2)) / (X.shape[-2] - 1)).numpy(),
        sigma2=X.square().mean(dim=(-1, -2)).numpy(),
        norm=stream.square().sum(dim=(-1, -2, -3)).numpy(),
        squares=X.square().sum(dim=(0, -1)).numpy(),
        centred_gram=(centred @ centred.mT).sum(dim=0).numpy(),
    )


def attention_numbers(block: Block, X: Tensor) -> Attention:
    """Logits and weights of a block whose attention sees `X`; under a mask, of the pairs that it allows."""
    M = block.logits(X)
    A = block.weights_of(M)
    allowed = M > -torch.inf
    M = M.masked_fill(~allowed, 0.0)
    mean = M.sum(dim=-1, keepdim=True) / allowed.sum(dim=-1, keepdim=True)
    peaks = A.amax(dim=-1)[..., 1:] if block.sizes.causal else A.amax(dim=-1)
    return Attention(
        logit_std=_root_mean_square(M, allowed),
        logit_spread=_root_mean_square((M - mean).masked_fill(~allowed, 0.0), allowed),
        peak=peaks.mean(dim=tuple(range(1, peaks.dim()))).numpy(),
    )


def log10_squared_norm(g: Tensor) -> np.ndarray:
    """log10 ||g||^2 over all axes but the first, -inf for 0; squares below the range of floats are no 0."""
    flat = g.detach().flatten(1)
    largest = flat.abs().amax(dim=1, keepdim=True)
    shares = (flat / largest.clamp_min(torch.finfo(g.dtype).tiny)).square().sum(dim=1)
    return np.asarray((2 * largest[:, 0].log10() + shares.log10()).numpy())


def _root_mean_square(M: Tensor, allowed: Tensor) -> np.ndarray:
    """Over allowed entries, per seed; large entries are scaled before they are squared."""
    flat, count = M.flatten(1), allowed.flatten(1).sum(dim=1)
    largest = flat.abs().amax(dim=1).clamp_min(torch.finfo(M.dtype).tiny)
    return np.asarray((largest * ((flat / largest[:, None]).square().sum(dim=1) / count).sqrt()).numpy())


def _finite(X: Tensor, what: str, layer: int, seeds: Sequence[int]) -> Tensor:
    fine = X.isfinite().flatten(1).all(dim=1)
    if not fine.all():
        seed = seeds[int((~fine).nonzero()[0, 0])]
        raise InvalidInput(f"{what} must be finite numbers, got NaN or an infinity in layer {layer}, seed {seed}")
    return X
