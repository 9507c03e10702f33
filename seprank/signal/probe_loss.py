"""The scalar whose gradients a probe takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor

from seprank.errors import InvalidInput

Loss = Callable[[Any], Tensor]
GIVEN, OWN, SCALAR, FORM = "loss given", "loss of the output", "output, a scalar", "random linear form of the output"


def loss_of(output: object, loss: Loss | None = None) -> tuple[Tensor, str]:
    """The loss and what it is: `loss(output)`, or the output's own `loss`, or the output if it is a scalar, or <G, X>
    for its first tensor of floats X and fixed standard normal draws G.

    The square of a gradient norm of <G, X> has the mean (over G) ||dX/dW||_F^2. Unlike the mean of squares of X, <G, X>
    is not constant behind a layer norm. The draws come from a generator of their own. Raises `InvalidInput` for a loss
    that is no scalar of floats, or an output without such tensors. Source: noci2022signal.

    >>> loss_of(torch.tensor(3.0))
    (tensor(3.), 'output, a scalar')
    """
    if loss is not None:
        return _scalar("loss", loss(output)), GIVEN
    own = output.get("loss") if isinstance(output, Mapping) else getattr(output, "loss", None)
    if isinstance(own, Tensor):
        return _scalar("the loss of the output", own), OWN
    tensors = [tensor for tensor in tensors_in(output) if tensor.is_floating_point() and tensor.numel()]
    if not tensors:
        raise InvalidInput(f"model must give a tensor of floats, got {type(output).__name__}; pass loss=")
    first = next((tensor for tensor in tensors if tensor.requires_grad), tensors[0])
    return (first, SCALAR) if first.ndim == 0 else (linear_form(first), FORM)


def linear_form(output: Tensor) -> Tensor:
    """<G, output> in float32 or float64 with G iid standard normal, the same for the same shape on every device."""
    draws = torch.randn(output.shape, generator=torch.Generator().manual_seed(0), dtype=torch.float32)
    wide = output if output.dtype == torch.float64 else output.float()
    return (draws.to(wide) * wide).sum()


def tensors_in(value: object) -> Iterator[Tensor]:
    """The tensors in nested mappings, lists and tuples, in order."""
    if isinstance(value, Tensor):
        yield value
        return
    parts: Iterable[object] = ()
    if isinstance(value, Mapping):
        parts = value.values()
    elif isinstance(value, list | tuple):
        parts = value
    for part in parts:
        yield from tensors_in(part)


def _scalar(name: str, value: object) -> Tensor:
    if not isinstance(value, Tensor) or value.numel() != 1 or not value.is_floating_point():
        shown = f"shape {tuple(value.shape)}, {value.dtype}" if isinstance(value, Tensor) else type(value).__name__
        raise InvalidInput(f"{name} must be a scalar tensor of floats, got {shown}")
    return value.reshape(())
