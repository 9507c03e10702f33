"""Training of a small model on the k-hop task, resumable after a kill, with the same result as without one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from seprank.checkpoint_file import write_checkpoint
from seprank.errors import InvalidInput
from seprank.field.draw import words
from seprank.parallel.measured import FRESH, Measured
from seprank.parallel.trained_model import HopModel
from seprank.parallel.training_file import SCHEMA, read_checkpoint
from seprank.parallel.training_task import HopTask, evaluation_batch, training_batch
from seprank.validate import whole_number

THREADS = 1  # of torch: sums in float32 depend on their number, and these sizes gain nothing from more
STRINGS = 100  # of an evaluation, for each k
Progress = Callable[[int, int], None]


class Note(NamedTuple):
    """After `step` steps: the loss of the last batch (nats), and wrong answers of scored ones for each k = 0..k."""

    step: int
    loss: float
    wrong: tuple[int, ...]
    scored: tuple[int, ...]


@dataclass
class HopTraining:
    """A model with its optimiser and the notes taken so far; made by `start` or `resume`."""

    task: HopTask
    model: HopModel
    optimiser: torch.optim.Optimizer
    step: int = 0
    notes: list[Note] = field(default_factory=list)

    @classmethod
    def start(cls, task: HopTask) -> HopTraining:
        """The model before its first step, with AdamW."""
        with torch_alone():
            model = HopModel(task)
        return cls(task, model, torch.optim.AdamW(model.parameters(), lr=task.rate, weight_decay=0.01))

    @classmethod
    def resume(cls, path: str | PathLike[str], task: HopTask | None = None) -> HopTraining:
        """The run that a checkpoint holds; it must be one of `task` where that is given.

        Raises `InvalidInput` for another file, a file of another configuration, or weights that do not fit it.
        """
        document = read_checkpoint(path)
        try:
            stored = HopTask(**document["task"])
        except (TypeError, InvalidInput):
            raise InvalidInput(f"checkpoint must hold the sizes of a run, got {str(path)!r} without") from None
        for name, value in ({} if task is None else task.plain()).items():
            if stored.plain()[name] != value:
                raise InvalidInput(
                    f"checkpoint must be of the same configuration, got {str(path)!r} with "
                    f"{name} = {stored.plain()[name]} in place of {value}"
                )
        run = cls.start(stored)
        try:
            run.model.load_state_dict(document["model"])
            run.optimiser.load_state_dict(document["optimiser"])
            if not all(parameter.isfinite().all() for parameter in run.model.parameters()):
                raise ValueError
            run.step = whole_number("step", document["step"], least=0)
            run.notes = [
                Note(step, loss, tuple(wrong), tuple(scored)) for step, loss, wrong, scored in document["notes"]
            ]
        except (AttributeError, KeyError, TypeError, ValueError, RuntimeError):
            raise InvalidInput(f"checkpoint must hold weights that fit its sizes, got {str(path)!r}") from None
        return run

    def train(
        self,
        steps: int,
        checkpoint: Path | None = None,
        every: int = 500,
        save_every: int = 100,
        progress: Progress | None = None,
        noted: Callable[[], None] | None = None,
    ) -> None:
        """Train up to `steps`; a note each `every` steps and after the last; a file each `save_every` and at the end.

        `noted` is called after a note. Torch uses `THREADS` threads meanwhile; its number of threads and its random
        state are what they were afterwards. Raises `InvalidInput` for fewer steps than already done, or a loss that
        leaves the range of floats.
        """
        if steps < self.step:
            raise InvalidInput(f"steps must be at least the {self.step} of the checkpoint, got {steps}")
        with torch_alone():
            while self.step < steps:
                loss = self._one_step()
                if self.step % every == 0 or self.step == steps:
                    self.notes.append(Note(self.step, loss, *self._wrong()))
                    if noted is not None:
                        noted()
                if checkpoint is not None and (self.step % save_every == 0 or self.step == steps):
                    self.save(checkpoint)
                if progress is not None:
                    progress(self.step, steps)

    def _one_step(self) -> float:
        for group in self.optimiser.param_groups:
            group["lr"] = self.task.rate * min(1.0, (self.step + 1) / self.task.warmup)
        self._seed_dropout("training", self.step)
        self.model.train()
        loss = self.model.loss(training_batch(self.task, self.step))
        value = loss.item()
        if not loss.isfinite():
            raise InvalidInput(
                f"rate must keep the loss finite, got {self.task.rate:g} with {value} at step {self.step}"
            )
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        self.step += 1
        return value

    def _seed_dropout(self, use: str, step: int) -> None:
        """Dropout's masks are a function of the seed and the step, so that a resumed run draws the same."""
        torch.manual_seed(int(words(self.task.seed, f"hop-dropout-{use}/{step}", 0, 1)[0] >> np.uint64(1)))

    def _wrong(self, dropout: bool = False) -> tuple[tuple[int, ...], tuple[int, ...]]:
        self.model.train(dropout)
        batches = (evaluation_batch(self.task, hops, STRINGS) for hops in range(self.task.k + 1))
        wrong, scored = zip(*map(self.model.wrong, batches), strict=True)
        return wrong, scored

    def errors(self, dropout: bool = False) -> list[Measured]:
        """Errors for k = 0..k on `STRINGS` fresh strings each, in evaluation mode; `dropout` leaves it switched on."""
        with torch_alone():
            self._seed_dropout("evaluation", self.step)
            wrong, scored = self._wrong(dropout)
        rows = zip(range(self.task.k + 1), wrong, scored, strict=True)
        return [Measured(self.task.depth, self.task.H, FRESH, *row) for row in rows]

    def save(self, path: Path) -> None:
        """Write the run to `path` in one step."""
        document = {"schema": SCHEMA, "task": self.task.plain(), "step": self.step}
        document |= {"model": self.model.state_dict(), "optimiser": self.optimiser.state_dict()}
        document["notes"] = [(step, loss, list(wrong), list(scored)) for step, loss, wrong, scored in self.notes]
        write_checkpoint(path, document)


@contextmanager
def torch_alone() -> Iterator[None]:
    """Torch with `THREADS` threads and a random state of its own; both are restored."""
    threads = torch.get_num_threads()
    torch.set_num_threads(THREADS)
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        torch.set_num_threads(threads)
