"""Gradient norms of one softmax layer on Gaussian tokens, measured by autograd, beside eq. 17 and 18."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from seprank.signal.depth_rows import Mean
from seprank.signal.depth_statistics import mean
from seprank.signal.gaussian import ExpectedNorms, expected_norms
from seprank.signal.network_sizes import NetworkSizes
from seprank.signal.sizes import LayerSizes
from seprank.signal.tokens import GaussianTokens
from seprank.signal.uniform import Validity, validity
from seprank.validate import whole_number

if TYPE_CHECKING:
    from seprank.signal.depth_measure import Progress

LOSS_STREAM = 8  # ends the seeds of the draws of the loss


@dataclass(frozen=True)
class LayerPoint:
    """Squared gradient norms of WQ, WK, WV under the loss <G, S>, G standard normal: means over draws with standard
    errors, and what is expected for uniform attention, with its validity."""

    tokens: GaussianTokens
    query: Mean
    key: Mean
    value: Mean
    expected: ExpectedNorms
    validity: Validity

    def over_theory(self, name: str) -> float:
        """Measured over expected, for "query", "key" or "value"; infinite where 0 is expected."""
        expected = getattr(self.expected, name)
        return float(getattr(self, name).mean / expected) if expected else float("inf")


def measure_layer(tokens: GaussianTokens, draws: int = 150) -> LayerPoint:
    """One softmax layer with dk = dv = d, `draws` times with tokens, weights and loss of its own.

    The expected squared gradient norm is the expected squared norm of the Jacobian. Estimates with standard errors; the
    samples have heavy tails. Needs torch. Raises `InvalidInput`. Source: noci2022signal, Fig. 12.

    >>> point = measure_layer(GaussianTokens(n=4, d=16, rho=0.3, sigma=0.25), draws=50)
    >>> 0.5 < point.over_theory("value") < 2
    True
    """
    import torch

    from seprank.signal.depth_measure import log10_squared_norm
    from seprank.signal.network import Network
    from seprank.signal.network_threads import one_thread

    seeds = range(whole_number("draws", draws, least=2, most=10**5))
    shape = (1, tokens.n, tokens.d)
    with one_thread():
        block = Network(NetworkSizes(L=1, d=tokens.d), seeds).blocks[0]
        X = torch.from_numpy(np.stack([tokens.sample(seed) for seed in seeds]))
        G = np.stack([np.random.default_rng([seed, 0, LOSS_STREAM]).standard_normal(shape) for seed in seeds])
        loss = (block.attend(X) * torch.from_numpy(G)).sum()  # type: ignore[operator]
        found = torch.autograd.grad(loss, (block.query, block.key, block.value))  # type: ignore[arg-type]
        query, key, value = (mean(10.0 ** log10_squared_norm(gradient)) for gradient in found)
    sizes = LayerSizes(tokens.d)
    return LayerPoint(tokens, query, key, value, expected_norms(tokens, sizes), validity(tokens, sizes))


def measure_layers(
    tokens: Sequence[GaussianTokens], draws: int = 150, progress: Progress | None = None
) -> list[LayerPoint]:
    """`measure_layer` for each of several sizes."""
    found = []
    for index, each in enumerate(tokens, 1):
        found.append(measure_layer(each, draws))
        if progress is not None:
            progress(index, len(tokens))
    return found
