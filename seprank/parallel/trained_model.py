"""The model that is trained on the k-hop task: a causal decoder of the GPT-2 kind, small, in torch."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from seprank.parallel.training_task import Batch, HopTask


class Block(torch.nn.Module):
    """``Z = X + attention(norm(X))``, ``X' = Z + MLP(norm(Z))``: pre-norm, GELU, MLP of width 4 dx."""

    def __init__(self, task: HopTask) -> None:
        super().__init__()
        self.H, self.dropout = task.H, task.dropout
        self.norm1, self.norm2 = torch.nn.LayerNorm(task.dx), torch.nn.LayerNorm(task.dx)
        self.qkv = torch.nn.Linear(task.dx, 3 * task.dx)
        self.out = torch.nn.Linear(task.dx, task.dx)
        self.wide = torch.nn.Linear(task.dx, 4 * task.dx)
        self.narrow = torch.nn.Linear(4 * task.dx, task.dx)

    def forward(self, X: Tensor, kept: list[Tensor] | None = None) -> Tensor:
        """The next state of ``(batch, tokens, dx)``; attention weights ``(batch, H, tokens, tokens)`` go to `kept`."""
        query, key, value = self.qkv(self.norm1(X)).unflatten(-1, (3, self.H, -1)).permute(2, 0, 3, 1, 4)
        logits = query @ key.mT / query.shape[-1] ** 0.5
        later = torch.ones(logits.shape[-2:], dtype=torch.bool).triu(1)
        weights = torch.softmax(logits.masked_fill(later, -torch.inf), dim=-1)
        if kept is not None:
            kept.append(weights.detach())
        mixed = (self._drop(weights) @ value).transpose(1, 2).flatten(-2)
        Z = X + self._drop(self.out(mixed))
        after: Tensor = Z + self._drop(self.narrow(functional.gelu(self.wide(self.norm2(Z)))))
        return after

    def _drop(self, values: Tensor) -> Tensor:
        return functional.dropout(values, self.dropout, self.training) if self.dropout else values


class HopModel(torch.nn.Module):
    """Tokens: the number of hops, then N letters. Output at each letter: logits of the letters and of "undefined".

    Learned positions, pre-norm blocks, a final norm and a linear read-out, all in float32; the weights are drawn in
    numpy from the task's seed.
    """

    def __init__(self, task: HopTask) -> None:
        super().__init__()
        self.task = task
        self.tokens = torch.nn.Embedding(task.k + 1 + task.alphabet, task.dx)
        self.positions = torch.nn.Parameter(torch.empty(task.N + 1, task.dx))
        self.blocks = torch.nn.ModuleList(Block(task) for _ in range(task.depth))
        self.norm = torch.nn.LayerNorm(task.dx)
        self.readout = torch.nn.Linear(task.dx, task.alphabet + 1)
        self._draw()

    def _draw(self) -> None:
        """Gaussian weights of variance one over the inputs of a row, biases 0; embeddings of deviation 1/2."""
        draw = np.random.default_rng([self.task.seed, 11])
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if name.endswith("bias"):
                    parameter.zero_()
                elif "norm" not in name:
                    embeds = name in ("tokens.weight", "positions")
                    deviation = 0.5 if embeds else parameter.shape[-1] ** -0.5
                    parameter.copy_(torch.from_numpy(deviation * draw.standard_normal(tuple(parameter.shape))))

    def forward(self, X: Tensor, hops: Tensor, kept: list[Tensor] | None = None) -> Tensor:
        """Logits ``(batch, N, alphabet + 1)`` for letters `X` ``(batch, N)`` and hops ``(batch,)``.

        Attention weights of every layer are appended to `kept` where it is given.
        """
        numbers = torch.cat([hops[:, None], X + (self.task.k + 1)], dim=1)
        Z = self.tokens(numbers) + self.positions
        for block in self.blocks:
            Z = block(Z, kept)
        logits: Tensor = self.readout(self.norm(Z[:, 1:]))
        return logits

    def loss(self, batch: Batch) -> Tensor:
        """Mean cross-entropy over all letters; "undefined" is an answer as the others."""
        X, hops, answers = (torch.from_numpy(part) for part in batch)
        wanted = torch.where(answers < 0, self.task.alphabet, answers)
        return functional.cross_entropy(self(X, hops).flatten(0, 1), wanted.flatten())

    def wrong(self, batch: Batch) -> tuple[int, int]:
        """How many answers are wrong, and how many were scored: those of the positions where hop_k is defined."""
        X, hops, answers = (torch.from_numpy(part) for part in batch)
        with torch.no_grad():
            said = self(X, hops).argmax(-1)
        defined = answers >= 0
        return int(((said != answers) & defined).sum()), int(defined.sum())
