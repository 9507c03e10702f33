"""Weights that start where the theory wants them and then stay, are trained, or fall to 0."""

from __future__ import annotations

import torch
from torch import Tensor

from seprank.errors import InvalidInput
from seprank.validate import real_number, whole_number

MODES = ("fixed", "learn", "recover")


class Weight(torch.nn.Module):
    """A number that is `start` at first. `mode` "fixed": it stays; "learn": it is trained; "recover": it falls linearly
    to 0 over `steps` training steps, as told by `at_step`. Raises `InvalidInput`. Source: noci2023shaped, appendix D.

    >>> weight = Weight("gamma_1", 1.0, "recover", steps=4)
    >>> weight.at_step(1)
    >>> float(weight())
    0.75
    """

    value: Tensor

    def __init__(self, name: str, start: float, mode: str, steps: int) -> None:
        super().__init__()
        if mode not in MODES:
            raise InvalidInput(f"mode must be one of {', '.join(MODES)}, got {mode!r}")
        self.start = real_number(name, start)
        self.mode, self.steps = mode, whole_number("steps", steps)
        value = torch.tensor(self.start)
        if mode == "learn":
            self.value = torch.nn.Parameter(value)
        else:
            self.register_buffer("value", value)

    def forward(self) -> Tensor:
        """The number, a tensor without axes."""
        return self.value

    @torch.no_grad()
    def reset(self) -> None:
        """Back to `start`."""
        self.value.fill_(self.start)

    @torch.no_grad()
    def at_step(self, step: int) -> None:
        """Take the value of training step `step`; nothing happens unless the mode is "recover"."""
        if self.mode == "recover":
            self.value.fill_(self.start * max(0.0, 1.0 - whole_number("step", step, least=0) / self.steps))


def at_step(model: torch.nn.Module, step: int) -> None:
    """Bring every scheduled weight of `model` to training step `step`; call it before each step of the optimiser.

    >>> weight = Weight("gamma_1", 1.0, "recover", steps=2)
    >>> at_step(torch.nn.Sequential(weight), 2)
    >>> float(weight())
    0.0
    """
    for part in model.modules():
        if isinstance(part, Weight):
            part.at_step(step)
