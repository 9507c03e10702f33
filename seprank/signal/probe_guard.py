"""Leave a model as it was: buffers, random numbers, and the switches of PyTorch that a probe sets."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import numpy as np
import torch
from torch import Tensor, nn


@contextmanager
def unchanged(model: nn.Module) -> Iterator[None]:
    """Put back the buffers of `model`, and the states of the random generators of Python, NumPy and PyTorch."""
    devices = sorted({p.device.index or 0 for p in model.parameters() if p.device.type == "cuda"})
    held = [(module, dict(module._buffers)) for module in model.modules() if module._buffers]
    copies = [
        (buffer, buffer.detach().clone()) for _, buffers in held for buffer in buffers.values() if buffer is not None
    ]
    python, numpy = random.getstate(), np.random.get_state()  # noqa: NPY002
    with torch.random.fork_rng(devices=devices):
        try:
            yield
        finally:
            random.setstate(python)
            np.random.set_state(numpy)  # noqa: NPY002
            for module, buffers in held:
                module._buffers.clear()
                module._buffers.update(buffers)
            _put_back(copies)


def _put_back(copies: list[tuple[Tensor, Tensor]]) -> None:
    with torch.no_grad():
        for buffer, copy in copies:
            if not torch.equal(buffer, copy):
                buffer.copy_(copy)


@contextmanager
def recorded_gradients() -> Iterator[None]:
    """Record gradients whatever surrounds the call, and keep PyTorch's fused encoder, which skips hooks, out of it."""
    with ExitStack() as stack:
        stack.enter_context(torch.inference_mode(False))
        stack.enter_context(torch.enable_grad())
        before = torch.backends.mha.get_fastpath_enabled()
        stack.callback(torch.backends.mha.set_fastpath_enabled, before)
        torch.backends.mha.set_fastpath_enabled(False)
        yield
