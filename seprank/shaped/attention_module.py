"""Shaped attention as a torch module, in place of a self-attention layer behind layer norm. Needs torch."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from seprank.errors import InvalidInput
from seprank.shaped.schedule import Weight
from seprank.validate import real_number, whole_number


class ShapedAttention(torch.nn.Module):
    """The branch A X WV, head by head, with A = gamma_1 I + softmax(Y / (tau0 sqrt(head_dim))) - gamma_2 J.

    J is uniform over the tokens that a row may look at. The layer of the theory is
    X' = sqrt(1 - gamma^2) X + gamma * ShapedAttention(X), without layer norm (`ShapedBlock` is that and a feed-forward
    layer). Values begin as N(0, 1/n), queries and keys as N(0, n^-3/2): logits then have variance of order 1/n, as the
    temperature tau0 sqrt(n head_dim) gives N(0, 1/n) weights. (A factor 1/n in their variance, as appendix D has it,
    would be too small.) `gamma_1` and `gamma_2` start at the values given, and `mode` says what follows:

    * "fixed": they stay.
    * "learn": they are trained.
    * "recover": they fall linearly to 0 over `steps` training steps, told by `at_step(model, step)`; what is left is
      plain softmax attention.

    `out_projection` adds a trained n x n matrix behind the heads; the limit then has 2 gamma^2 in place of
    gamma^2 (2 - gamma^2). Draws come from torch's generator. Raises `InvalidInput`.
    Source: noci2023shaped, eq. 9 and appendix D; which of gamma_1, gamma_2 goes with which term is our reading.

    >>> attend = ShapedAttention(n=8, heads=2, mode="learn")
    >>> attend(torch.ones(3, 5, 8)).shape
    torch.Size([3, 5, 8])
    """

    def __init__(
        self,
        n: int,
        heads: int = 1,
        head_dim: int | None = None,
        tau0: float = 1.0,
        causal: bool = False,
        gamma_1: float = 1.0,
        gamma_2: float = 1.0,
        mode: str = "fixed",
        steps: int = 4000,
        out_projection: bool = False,
    ) -> None:
        super().__init__()
        self.n, self.heads = whole_number("n", n), whole_number("heads", heads)
        if self.n % self.heads:
            raise InvalidInput(f"heads must divide n, got heads={heads}, n={n}")
        self.head_dim = self.n // self.heads if head_dim is None else whole_number("head_dim", head_dim)
        self.tau0, self.causal = real_number("tau0", tau0, positive=True), causal
        width = self.heads * self.head_dim
        self.query = torch.nn.Parameter(torch.empty(self.n, width))
        self.key = torch.nn.Parameter(torch.empty(self.n, width))
        self.value = torch.nn.Parameter(torch.empty(self.n, self.n))
        self.out = torch.nn.Parameter(torch.empty(self.n, self.n)) if out_projection else None
        self.gamma_1 = Weight("gamma_1", gamma_1, mode, steps)
        self.gamma_2 = Weight("gamma_2", gamma_2, mode, steps)
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Draw all matrices anew and take `gamma_1` and `gamma_2` back to their start."""
        for matrix in (self.query, self.key):
            matrix.normal_(std=self.n**-0.75)
        self.value.normal_(std=self.n**-0.5)
        if self.out is not None:
            self.out.normal_(std=self.n**-0.5)
        self.gamma_1.reset()
        self.gamma_2.reset()

    def forward(self, X: Tensor, mask: Tensor | None = None) -> Tensor:
        """The branch for tokens `X` (..., m, n); `mask` is Boolean (..., m, m), True where a row may look.

        Raises `InvalidInput` for other shapes, and for a row that may look nowhere.
        """
        allowed = self._allowed(X, mask)
        V = self._split(X @ self.value)
        uniform = allowed.to(V.dtype) / allowed.sum(dim=-1, keepdim=True)
        mixed = (self._softmax(X, allowed) - self.gamma_2() * uniform) @ V
        joined = (self.gamma_1() * V + mixed).transpose(-3, -2).flatten(-2)
        return joined if self.out is None else joined @ self.out

    def logits(self, X: Tensor) -> Tensor:
        """What enters softmax, (..., heads, m, m), before the mask."""
        scale = 1.0 / (self.tau0 * math.sqrt(self.head_dim))
        return scale * self._split(X @ self.query) @ self._split(X @ self.key).mT

    def probabilities(self, X: Tensor, mask: Tensor | None = None) -> Tensor:
        """The softmax part of A, (..., heads, m, m)."""
        return self._softmax(X, self._allowed(X, mask))

    def _softmax(self, X: Tensor, allowed: Tensor) -> Tensor:
        return torch.softmax(self.logits(X).masked_fill(~allowed, -torch.inf), dim=-1)

    def _split(self, X: Tensor) -> Tensor:
        """(..., m, heads * size) as (..., heads, m, size)."""
        return X.unflatten(-1, (self.heads, -1)).transpose(-3, -2)

    def _allowed(self, X: Tensor, mask: Tensor | None) -> Tensor:
        """Where a row may look, (..., 1, m, m) with an axis for the heads."""
        if X.dim() < 2 or X.shape[-1] != self.n:
            raise InvalidInput(f"X must have shape (..., m, {self.n}), got {tuple(X.shape)}")
        m = X.shape[-2]
        allowed = torch.ones(m, m, dtype=torch.bool, device=X.device)
        allowed = allowed.tril() if self.causal else allowed
        if mask is None:
            return allowed
        if mask.dtype != torch.bool or mask.dim() < 2 or mask.shape[-2:] != (m, m):
            raise InvalidInput(f"mask must be Boolean of shape (..., {m}, {m}), got {mask.dtype} {tuple(mask.shape)}")
        allowed = allowed & mask
        if not allowed.any(dim=-1).all():
            row = int((~allowed.any(dim=-1)).nonzero()[0, -1]) + 1
            raise InvalidInput(f"mask must allow at least one token in every row, got an empty row {row}")
        return allowed.unsqueeze(-3)

    def extra_repr(self) -> str:
        """Sizes, for printing."""
        return f"n={self.n}, heads={self.heads}, head_dim={self.head_dim}, tau0={self.tau0:g}, causal={self.causal}"
