"""The softmax layer on batches of draws in numpy, and gradients of a random linear loss in torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from proofs_check.plain.signal_autodiff import layer, one_thread
from proofs_check.plain.signal_draws import Layer, tokens, weights


def attention(X: np.ndarray, Q: np.ndarray, K: np.ndarray, tau: float = 1.0) -> np.ndarray:
    """softmax(tau X Q K^T X^T / sqrt(dk)) for a batch (count, n, n)."""
    M = tau * np.einsum("cik,cjk->cij", X @ Q, X @ K) / Q.shape[-1] ** 0.5
    E = np.exp(M - M.max(axis=-1, keepdims=True))
    return np.asarray(E / E.sum(axis=-1, keepdims=True))


def linear_loss_gradients(sizes: Layer, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Squared gradient norms of <G, S> by WV and WQ for `count` draws of tokens, weights and a standard normal G.

    Their means over G are the squared norms of the Jacobians.
    """
    X, matrices = tokens(sizes, count, seed), weights(sizes, count, seed)
    G = np.random.default_rng([seed, 5]).standard_normal((count, sizes.n, sizes.dv))
    with one_thread() as torch:
        Q, K, V = (torch.from_numpy(W).requires_grad_() for W in matrices)
        loss = (torch.from_numpy(G) * layer(torch.from_numpy(X), Q, K, V, sizes.tau)).sum()
        loss.backward()
        return _squares(V.grad), _squares(Q.grad)


def _squares(gradient: Any) -> np.ndarray:
    return np.asarray((gradient**2).sum(dim=(1, 2)).numpy())
