"""Decoder blocks: causal attention, attention to the output of an encoder, feed-forward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from seprank.signal.network import Block, Seen, drawn
from seprank.signal.network_sizes import NetworkSizes

ATTENTION = ("query", "key", "value")


class DecoderBlock(torch.nn.Module):
    """`own` adds causal attention among the tokens, `cross` attention to other tokens and the feed-forward branch."""

    def __init__(self, sizes: NetworkSizes, seeds: Sequence[int], layer: int) -> None:
        super().__init__()
        weights = drawn(sizes, seeds, sizes.L + 2 * layer)
        self.own = Block(replace(sizes, causal=True), {name: weights[name] for name in ATTENTION})
        self.cross = Block(replace(sizes, causal=False), drawn(sizes, seeds, sizes.L + 2 * layer + 1))

    def forward(self, X: Tensor, tau: float | None, seen: Seen) -> Tensor:
        """The output on tokens `X`; `seen` are the tokens of the encoder."""
        Z: Tensor = self.cross(self.own.add_attention(X, tau), tau, seen)
        return Z


class Decoder(torch.nn.Module):
    """`L` decoder blocks, with weights other than those of a `Network` of the same sizes and seeds.

    >>> decoder = Decoder(NetworkSizes(L=2, d=8), seeds=[0])
    >>> X = torch.ones(1, 3, 5, 8, dtype=torch.float64)
    >>> decoder(X, 1.0, Seen(X[:, :, :2])).shape
    torch.Size([1, 3, 5, 8])
    """

    title = "decoder layer"

    def __init__(self, sizes: NetworkSizes, seeds: Sequence[int]) -> None:
        super().__init__()
        self.blocks = torch.nn.ModuleList(DecoderBlock(sizes, seeds, layer) for layer in range(sizes.L))

    def forward(self, X: Tensor, tau: float | None, seen: Seen) -> Tensor:
        """The output for tokens `X` (seeds, batch, n, d) that see those of `seen`."""
        for block in self.blocks:
            X = block(X, tau, seen)
        return X
