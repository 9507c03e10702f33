"""The same deep networks in torch, differentiated by autograd."""

from __future__ import annotations

from typing import Any

import numpy as np

from proofs_check.plain.signal_autodiff import layer, one_thread
from proofs_check.plain.signal_deep_draws import Deep, Measured, blocks, input_and_loss, pair_cosine


def standardised(X: Any) -> Any:
    """Layer norm without scale and shift."""
    import torch

    return torch.nn.functional.layer_norm(X, X.shape[-1:], eps=0.0)


def block(X: Any, weights: tuple[Any, ...], deep: Deep) -> tuple[Any, Any]:
    """One block on X (batch, n, d): its output, and what entered attention."""
    Q, K, V, W1, W2 = weights
    entering = standardised(X) if deep.norm == "pre" else X
    Z = X + deep.alpha * layer(entering, Q, K, V)
    Z = standardised(Z) if deep.norm == "post" else Z
    H = (standardised(Z) if deep.norm == "pre" else Z) @ W1
    Y = Z + deep.alpha * (H.relu() if deep.relu else H) @ W2
    return (standardised(Y) if deep.norm == "post" else Y), entering


def measure(deep: Deep, seeds: int, seed: int) -> Measured:
    """Cosines, variances and squared gradient norms of <G, X_L>, layer by layer."""
    X0, G = input_and_loss(deep, seeds, seed)
    with one_thread() as torch:
        weights = [
            tuple(torch.from_numpy(W).requires_grad_(i in (0, 2)) for i, W in enumerate(drawn))
            for drawn in blocks(deep, seeds, seed)
        ]
        X, entering = torch.from_numpy(X0), []
        for drawn in weights:
            X, inner = block(X, drawn, deep)
            entering.append(inner.detach().numpy())
        (torch.from_numpy(G) * X).sum().backward()
        norms = [[(drawn[i].grad ** 2).sum(dim=(1, 2)).numpy() for drawn in weights] for i in (2, 0)]
        return Measured(
            np.stack([pair_cosine(inner) for inner in entering]),
            np.stack([(inner**2).mean(axis=(1, 2)) for inner in entering]),
            np.stack(norms[0]),
            np.stack(norms[1]),
            pair_cosine(X.detach().numpy()),
        )
