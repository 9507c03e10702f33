"""One softmax attention layer in torch, float64, and its Jacobians by reverse-mode differentiation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

WEIGHTS = {"query": 1, "key": 2, "value": 3, "input": 0}  # places of the arguments of `layer`


@contextmanager
def one_thread() -> Iterator[Any]:
    """The module torch on one thread: sums in one order, and no quarrel with other workers."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield torch
    finally:
        torch.set_num_threads(before)


def layer(X: Any, Q: Any, K: Any, V: Any, tau: float = 1.0) -> Any:
    """S = softmax(tau X Q K^T X^T / sqrt(dk)) X V for tensors; (n, dv)."""
    import torch

    return torch.softmax(tau * (X @ Q) @ (X @ K).mT / Q.shape[-1] ** 0.5, dim=-1) @ X @ V


def jacobian(name: str, X: np.ndarray, Q: np.ndarray, K: np.ndarray, V: np.ndarray, tau: float = 1.0) -> np.ndarray:
    """dS/d(name), rows and columns in row-wise order: (n dv, size of the argument)."""
    with one_thread() as torch:
        arguments = [torch.from_numpy(np.asarray(a, dtype=np.float64)) for a in (X, Q, K, V)]
        found = torch.func.jacrev(lambda X, Q, K, V: layer(X, Q, K, V, tau).reshape(-1), WEIGHTS[name])(*arguments)
        return np.asarray(found.reshape(found.shape[0], -1).numpy())


def squared_norms(
    name: str, X: np.ndarray, Q: np.ndarray, K: np.ndarray, V: np.ndarray, tau: float = 1.0, chunk: int = 200
) -> np.ndarray:
    """||dS/d(name)||_F^2 for a batch: leading axis of every argument; shape (count,)."""
    with one_thread() as torch:
        derivative: Callable[..., Any] = torch.func.vmap(
            torch.func.jacrev(lambda X, Q, K, V: layer(X, Q, K, V, tau), WEIGHTS[name])
        )
        parts = []
        for start in range(0, len(X), chunk):
            block = [torch.from_numpy(np.ascontiguousarray(a[start : start + chunk])) for a in (X, Q, K, V)]
            parts.append((derivative(*block) ** 2).flatten(1).sum(1).numpy())
        return np.concatenate(parts)


def softmax_path(
    X: np.ndarray, Q: np.ndarray, K: np.ndarray, V: np.ndarray, shrink: float = 1e-6, chunk: int = 200
) -> np.ndarray:
    """||(dS/dX - A (x) V^T)||_F^2 / shrink^2 with Q scaled by `shrink`, so that attention is uniform; (count,)."""
    with one_thread() as torch:

        def path(X: Any, Q: Any, K: Any, V: Any) -> Any:
            A = torch.softmax((X @ Q) @ (X @ K).mT / Q.shape[-1] ** 0.5, dim=-1).detach()
            return layer(X, Q, K, V) - A @ X @ V

        derivative = torch.func.vmap(torch.func.jacrev(path))
        parts = []
        for start in range(0, len(X), chunk):
            block = [torch.from_numpy(np.ascontiguousarray(a[start : start + chunk])) for a in (X, shrink * Q, K, V)]
            parts.append((derivative(*block) ** 2).flatten(1).sum(1).numpy() / shrink**2)
        return np.concatenate(parts)


def softmax_jacobian(M: np.ndarray) -> np.ndarray:
    """Derivative of the row-wise softmax of M by M, row-wise order on both sides: (n n, n n)."""
    with one_thread() as torch:
        found = torch.func.jacrev(lambda m: torch.softmax(m, dim=-1))(torch.from_numpy(np.asarray(M, dtype=float)))
        return np.asarray(found.reshape(M.size, M.size).numpy())
