"""The training loop of networks of the theory: one loss a seed, all seeds side by side, resumable after a kill."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from seprank.checkpoint_file import write_checkpoint
from seprank.errors import InvalidInput
from seprank.signal.checkpoint import load_checkpoint
from seprank.signal.network import Network
from seprank.signal.network_decoder import Decoder


class Loss(NamedTuple):
    """Mean loss and share of right answers of each seed, shape (seeds,)."""

    values: Tensor
    accuracy: Tensor


class Note(NamedTuple):
    """Loss and accuracy of each seed on the batch of one step, before the step is taken."""

    step: int
    loss: list[float]
    accuracy: list[float]


@dataclass
class Training:
    """A model with its optimiser, `schedule` of learning rates, and the notes taken.

    `loss` maps a step to the loss of every seed on the batch of that step, which must depend on the step alone;
    `schedule` maps a step to its learning rate. `task` describes all this in plain values, for the checkpoint.
    """

    model: torch.nn.Module
    optimiser: torch.optim.Optimizer
    loss: Callable[[int], Loss]
    schedule: Callable[[int], float]
    task: dict[str, Any]
    schema: str
    seeds: Sequence[int]
    every: int = 10
    step: int = 0
    notes: list[Note] = field(default_factory=list)

    def run(
        self,
        steps: int,
        checkpoint: Path | None = None,
        progress: Callable[[int, int], None] | None = None,
        save_every: int = 50,
    ) -> None:
        """Train up to `steps`, from the `checkpoint` where there is one; it is written every `save_every` steps and at
        the end, so that a run that was killed goes on as if it had not been.

        Raises `InvalidInput` where a loss leaves the range of floats, with its layer, step and seed.
        """
        if checkpoint is not None:
            self._resume(checkpoint)
        if self.step > steps:
            raise InvalidInput(f"steps must be at least the {self.step} of the checkpoint, got {steps}")
        while self.step < steps:
            self._one_step(noted=self.step % self.every == 0 or self.step == steps - 1)
            if checkpoint is not None and (self.step % save_every == 0 or self.step == steps):
                self._save(checkpoint)
            if progress is not None:
                progress(self.step, steps)

    def _one_step(self, noted: bool) -> None:
        for group in self.optimiser.param_groups:
            group["lr"] = self.schedule(self.step)
        self.optimiser.zero_grad()
        found = self.loss(self.step)
        if not found.values.isfinite().all():
            raise InvalidInput(self._not_finite(found.values))
        if noted:
            self.notes.append(Note(self.step, found.values.tolist(), found.accuracy.tolist()))
        found.values.sum().backward()
        self.optimiser.step()
        self.step += 1

    def _not_finite(self, values: Tensor) -> str:
        """Where the numbers went: the first layer whose output is not finite, or the loss itself."""
        names: list[str] = []
        broken: list[int] = []
        hooks = []
        for module in self.model.modules():
            if isinstance(module, Network | Decoder):
                for number, block in enumerate(module.blocks, 1):
                    hooks.append(block.register_forward_hook(_noting(broken, len(names))))
                    names.append(f"{module.title} {number}")
        with torch.no_grad():
            self.loss(self.step)
        for hook in hooks:
            hook.remove()
        where = names[min(broken)] if broken else "the loss"
        seed = self.seeds[int((~values.isfinite()).nonzero()[0, 0])]
        return f"activations must be finite numbers, got NaN or an infinity in {where} at step {self.step}, seed {seed}"

    def _save(self, path: Path) -> None:
        document = {"schema": self.schema, "task": self.task, "step": self.step}
        document |= {"model": self.model.state_dict(), "optimiser": self.optimiser.state_dict()}
        document["notes"] = [list(note) for note in self.notes]
        write_checkpoint(path, document)

    def _resume(self, path: Path) -> None:
        document = load_checkpoint(path, self.schema, self.task)
        if document is None:
            return
        try:
            self.model.load_state_dict(document["model"])
            self.optimiser.load_state_dict(document["optimiser"])
            self.step, self.notes = int(document["step"]), [Note(*note) for note in document["notes"]]
        except (KeyError, TypeError, ValueError, RuntimeError):
            raise InvalidInput(f"checkpoint must be a file of {self.schema}, got {str(path)!r}") from None


def _noting(broken: list[int], layer: int) -> Callable[..., None]:
    def hook(module: torch.nn.Module, inputs: Any, output: Tensor) -> None:
        if not output.isfinite().all():
            broken.append(layer)

    return hook
