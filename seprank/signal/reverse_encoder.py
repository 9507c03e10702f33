"""The encoders of the task of reversing a string, in torch, all networks side by side."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from seprank.signal.depth_measure import log10_squared_norm, token_numbers
from seprank.signal.network import Block, Network
from seprank.signal.reverse_task import (
    DIGITS,
    FRESH,
    SCHEMA,
    ReverseTask,
    Start,
    initial_weights,
    plain_task,
    positions,
    strings,
)
from seprank.signal.scaling import branch_scale
from seprank.signal.training import Loss, Training


class Encoder(torch.nn.Module):
    """Embedding and positions, POST-LN blocks, linear read-out; one network for each (alpha, seed) of the task."""

    def __init__(self, task: ReverseTask) -> None:
        super().__init__()
        embedding, readout = initial_weights(task)
        scales = [branch_scale("alpha", alpha, task.L) for alpha, _ in task.networks]
        self.network = Network(task.sizes, [seed for _, seed in task.networks], scales)
        self.embedding = torch.nn.Parameter(torch.from_numpy(embedding))
        self.readout = torch.nn.Parameter(torch.from_numpy(readout))
        self.register_buffer("positions", torch.from_numpy(positions(task.length, task.d)))

    def embed(self, digits: Tensor) -> Tensor:
        """Tokens (networks, batch, length, d) of `digits` (networks, batch, length)."""
        rows = torch.arange(len(digits))[:, None, None]
        return self.embedding[rows, digits] + self.positions  # type: ignore[operator]

    def forward(self, digits: Tensor) -> Tensor:
        """Logits (networks, batch, length, 10)."""
        return self.network(self.embed(digits)) @ self.readout[:, None]

    def loss(self, digits: Tensor) -> Loss:
        """Cross-entropy against the string from its end, and the share of right digits, for every network."""
        logits, wanted = self(digits), digits.flip(-1)
        losses = torch.nn.functional.cross_entropy(logits.reshape(-1, DIGITS), wanted.reshape(-1), reduction="none")
        right = (logits.detach().argmax(-1) == wanted).double()
        return Loss(losses.reshape(len(digits), -1).mean(dim=1), right.mean(dim=(1, 2)))


def training(task: ReverseTask) -> Training:
    """The encoders of a task before the first step, with Adam."""
    model = Encoder(task)
    optimiser = torch.optim.Adam(model.parameters(), lr=task.rate, betas=(0.9, 0.999), eps=1e-8, foreach=True)
    return Training(
        model=model,
        optimiser=optimiser,
        loss=lambda step: model.loss(torch.from_numpy(strings(task, step))),
        schedule=lambda step: task.rate,
        task=plain_task(task),
        schema=SCHEMA,
        seeds=model.network.seeds,
    )


def starts(run: Training, task: ReverseTask) -> list[Start]:
    """Cosine and gradient ratio in the last block on the first batch, before training."""
    model = run.model
    assert isinstance(model, Encoder)
    digits = torch.from_numpy(strings(task, 0))
    last = model.network.blocks[-1]
    assert isinstance(last, Block)
    model.loss(digits).values.sum().backward()
    logs = [log10_squared_norm(weight.grad) for weight in (last.query, last.value) if weight.grad is not None]
    model.zero_grad()
    with torch.no_grad():
        X = model.embed(digits)
        for block in model.network.blocks[:-1]:
            X = block(X)
        gaps = [float(token_numbers(each[:, None], each[:, None]).gap.mean()) for each in X]
    return [Start(1.0 - gap, float(ratio)) for gap, ratio in zip(gaps, 10 ** ((logs[0] - logs[1]) / 2), strict=True)]


def final_accuracies(run: Training, task: ReverseTask) -> list[float]:
    """The share of right digits on fresh strings."""
    model = run.model
    assert isinstance(model, Encoder)
    with torch.no_grad():
        batches = [torch.from_numpy(strings(task, task.steps + extra)) for extra in range(FRESH)]
        found = np.stack([model.loss(batch).accuracy.numpy() for batch in batches])
    return [float(accuracy) for accuracy in found.mean(axis=0)]
