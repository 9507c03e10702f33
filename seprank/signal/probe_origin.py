"""Where NaN or infinity first appears in a forward pass."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any

import torch
from torch import nn

from seprank.signal.probe_loss import tensors_in


class _Found(Exception):
    pass


def first_not_finite(model: nn.Module, inputs: object, run: Callable[[], object]) -> str:
    """A clause on the first module whose output holds NaN or infinity in the pass `run`; empty if none does.

    Inputs that hold NaN or plus infinity (minus infinity is what masks hold) come before all modules.
    """
    if any(bool((tensor.isnan() | tensor.isposinf()).any()) for tensor in tensors_in(inputs)):
        return "; the inputs hold it already"
    names = [name or type(model).__name__ for name, _ in model.named_modules()]
    found: list[str] = []

    def look(name: str, module: nn.Module, inputs: Any, output: Any) -> None:
        floats = (tensor for tensor in tensors_in(output) if tensor.is_floating_point())
        if not all(bool(tensor.isfinite().all()) for tensor in floats):
            found.append(name)
            raise _Found

    with ExitStack() as stack, suppress(Exception), torch.no_grad():
        for name, module in zip(names, model.modules(), strict=True):
            stack.callback(module.register_forward_hook(partial(look, name)).remove)
        run()
    return f"; it first appears in the output of {found[0]!r}" if found else ""
