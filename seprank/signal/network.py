"""Transformers of the theory in torch: blocks composed of attention, feed-forward, layer norm and branch scales.

Tokens have shape (seeds, batch, n, d), weights (seeds, rows, columns): networks of several seeds pass side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from seprank.errors import InvalidInput
from seprank.signal.network_sizes import NetworkSizes
from seprank.signal.temperature import warm_up
from seprank.validate import whole_number

WEIGHTS = ("query", "key", "value", "first", "second")
STREAM = 7  # ends the seeds of weight draws, so that no other draw of the same seed has the same numbers


class Seen(NamedTuple):
    """What attention looks at: `tokens` of another stream (None: its own), and which of them are `hidden` as padding,
    shape (seeds, batch, n) (None: none)."""

    tokens: Tensor | None = None
    hidden: Tensor | None = None


class Block(torch.nn.Module):
    """One block: Z = X + alpha1 S(X), X' = Z + alpha2 FF(Z), with layer norm in the place that `sizes` names."""

    query: torch.nn.Parameter
    key: torch.nn.Parameter
    value: torch.nn.Parameter
    first: torch.nn.Parameter
    second: torch.nn.Parameter

    alpha1: Tensor
    alpha2: Tensor

    def __init__(self, sizes: NetworkSizes, weights: dict[str, Tensor], scales: Sequence[float] | None = None) -> None:
        super().__init__()
        self.sizes = sizes
        for name, matrices in weights.items():
            self.register_parameter(name, torch.nn.Parameter(matrices))
        for name, alpha in (("alpha1", sizes.alpha1), ("alpha2", sizes.alpha2)):
            each = [alpha] * len(self.query) if scales is None else list(scales)
            column = torch.tensor(each, dtype=self.query.dtype).reshape(-1, 1, 1, 1)
            if sizes.trainable:
                self.register_parameter(name, torch.nn.Parameter(column))
            else:
                self.register_buffer(name, column)

    def forward(self, X: Tensor, tau: float | None = None, seen: Seen | None = None) -> Tensor:
        """The output of the block on tokens `X`; `tau` left out is that of the sizes, `seen` the tokens themselves."""
        return self.add_feed(self.add_attention(X, tau, seen))

    def add_attention(self, X: Tensor, tau: float | None = None, seen: Seen | None = None) -> Tensor:
        """Z = X + alpha1 S(X)."""
        Z = X + self.alpha1 * self.attend(self.entering(X), tau, seen)
        return layer_norm(Z) if self.sizes.norm == "post" else Z

    def add_feed(self, Z: Tensor) -> Tensor:
        """X' = Z + alpha2 FF(Z)."""
        Y = Z + self.alpha2 * self.feed(self.entering(Z))
        return layer_norm(Y) if self.sizes.norm == "post" else Y

    def entering(self, X: Tensor) -> Tensor:
        """What enters a branch: `X`, with layer norm where the norm is "pre"."""
        return layer_norm(X) if self.sizes.norm == "pre" else X

    def attend(self, X: Tensor, tau: float | None = None, seen: Seen | None = None) -> Tensor:
        """S = A X WV, the heads side by side.

        Keys and values are taken of tokens less their mean, which changes neither S nor a gradient, since rows of A sum
        to 1 and softmax ignores shifts of a row; but near collapse query gradients keep their digits.
        """
        source = X if seen is None or seen.tokens is None else seen.tokens
        centre = source.detach().mean(dim=-2, keepdim=True)
        R = source - centre
        # At temperature 0 logits carry no gradient to the tokens, only (in units of tau) to WQ and WK.
        asking, asked = (X, R) if self.sizes.attention == "softmax" else (X.detach(), R.detach())
        A = self.weights_of(self._products(asking, asked, tau, seen))
        return (A @ self._heads(R, self.value) + self._heads(centre, self.value)).transpose(-2, -3).flatten(-2)

    def logits(self, X: Tensor, tau: float | None = None) -> Tensor:
        """tau X WQ WK^T X^T / sqrt(dk), shape (seeds, batch, H, n, n); -inf where a mask forbids."""
        return self._products(X, X, tau, None)

    def _products(self, X: Tensor, source: Tensor, tau: float | None, seen: Seen | None) -> Tensor:
        """Scaled products of the queries of `X` with the keys of `source`, masked."""
        factor = (self.sizes.tau if tau is None else tau) / sqrt(self.sizes.dk)
        M = (factor * self._heads(X, self.query)) @ self._heads(source, self.key).mT
        if seen is not None and seen.hidden is not None:
            M = M.masked_fill(seen.hidden[:, :, None, None], -torch.inf)
        return M.masked_fill(_later(M), -torch.inf) if self.sizes.causal else M

    def weights_of(self, M: Tensor) -> Tensor:
        """The attention matrix of logits `M`."""
        if self.sizes.attention == "softmax":
            return torch.softmax(M, dim=-1)
        # The derivative of softmax at logits 0, added as a term of value 0.
        uniform = torch.softmax(torch.zeros_like(M).masked_fill(M == -torch.inf, -torch.inf), dim=-1)
        M = M.masked_fill(M == -torch.inf, 0.0)
        slope = uniform * (M - (uniform * M).sum(dim=-1, keepdim=True))
        return uniform + (slope - slope.detach())

    def feed(self, Z: Tensor) -> Tensor:
        """FF(Z) = act(Z W1) W2."""
        H = project(Z, self.first)
        return project(H.relu() if self.sizes.activation == "relu" else H, self.second)

    def _heads(self, X: Tensor, W: Tensor) -> Tensor:
        """X W cut into heads, shape (seeds, batch, H, n, columns/H)."""
        return project(X, W).unflatten(-1, (self.sizes.H, -1)).transpose(-2, -3)


class Network(torch.nn.Module):
    """Networks of the given `sizes`, one for each of `seeds`, with independent Gaussian weights in float64.

    `scales` gives each of them a branch scale of its own, for both branches, in place of that of the sizes. The weights
    of a seed are drawn in numpy and do not depend on the other seeds. Raises `InvalidInput`.

    >>> network = Network(NetworkSizes(L=2, d=8, norm="post"), seeds=[0, 1])
    >>> network(torch.ones(2, 1, 4, 8, dtype=torch.float64).cumsum(-1)).shape
    torch.Size([2, 1, 4, 8])
    """

    title = "layer"

    def __init__(self, sizes: NetworkSizes, seeds: Sequence[int], scales: Sequence[float] | None = None) -> None:
        super().__init__()
        self.sizes = sizes
        self.seeds = [whole_number("seed", seed, least=0) for seed in seeds]
        if scales is not None and len(scales) != len(self.seeds):
            raise InvalidInput(f"scales must hold one number for each of {len(self.seeds)} seeds, got {len(scales)}")
        self.blocks = torch.nn.ModuleList(
            Block(sizes, drawn(sizes, self.seeds, layer), scales) for layer in range(sizes.L)
        )

    def forward(self, X: Tensor, step: int | None = None, seen: Seen | None = None) -> Tensor:
        """The output for tokens `X` of shape (seeds, batch, n, d), at training step `step` (None: after warm-up)."""
        tau = self.temperature(step)
        for block in self.blocks:
            X = block(X, tau, seen)
        return X

    def temperature(self, step: int | None) -> float:
        """The inverse temperature at training step `step`."""
        if step is None or not self.sizes.tau_steps:
            return self.sizes.tau
        return warm_up(step, self.sizes.tau, self.sizes.tau_steps)


def drawn(sizes: NetworkSizes, seeds: Sequence[int], layer: int) -> dict[str, Tensor]:
    """The weights of one block for every seed, each (seeds, rows, columns)."""
    found: dict[str, list[np.ndarray]] = {name: [] for name in WEIGHTS}
    for seed in seeds:
        draw = np.random.default_rng([seed, layer, STREAM])
        for name, (rows, columns, deviation) in sizes.shapes.items():
            found[name].append(deviation * draw.standard_normal((rows, columns)))
    return {name: torch.from_numpy(np.stack(matrices)) for name, matrices in found.items()}


def project(X: Tensor, W: Tensor) -> Tensor:
    """X W for tokens (seeds, batch, n, rows) and weights (seeds, rows, columns), as one product a seed."""
    return (X.flatten(1, 2) @ W).unflatten(1, X.shape[1:3])


def layer_norm(X: Tensor) -> Tensor:
    """Every token less its mean, over its standard deviation: no scale, no shift, nothing added to the variance."""
    return torch.nn.functional.layer_norm(X, X.shape[-1:], eps=0.0)


def _later(M: Tensor) -> Tensor:
    """Where a token would see a later one: (n, n)."""
    return torch.ones(M.shape[-2:], dtype=torch.bool, device=M.device).triu(1)
