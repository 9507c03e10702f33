"""Masks of attention: which logits take part, and the name of the pattern."""

from __future__ import annotations

import torch
from torch import Tensor

from seprank.signal.probe_statistics import single_or_double


def masked(values: Tensor) -> Tensor:
    """Where logits, or what is added to them, stand for "masked".

    These are minus infinity, values near the least of the dtype, and negative powers of ten from -1e4 on, up to a
    thousandth, which is what programs write in their place; a large logit of another size is none of them.

    >>> masked(torch.tensor([-1e9, -1e4, -34567.0, 3.0, float("-inf")])).tolist()
    [True, True, False, False, True]
    """
    least = torch.finfo(values.dtype).min
    found = values <= 0.5 * least
    large = values <= -9e3
    if not bool((large & ~found).any()):
        return found
    sizes = -single_or_double(values)
    exponents = sizes.where(large, torch.ones_like(sizes)).log10()
    return found | (large & ((exponents - exponents.round()).abs() < 5e-4))


def causal(n: int, m: int, device: torch.device, corner: int = 0) -> Tensor:
    """The Boolean mask (n, m) in which token i sees the keys up to i + `corner`."""
    return torch.ones(n, m, dtype=torch.bool, device=device).tril(corner)


class Pattern:
    """Tells "none", "causal" (also with earlier keys before the tokens) and "other" masks apart, block by block."""

    def __init__(self) -> None:
        self._full = self._causal = True

    def add(self, allowed: Tensor | None, rows: slice, n: int, m: int) -> None:
        """Take in the rows `rows` of a mask (..., n, m), None where all take part."""
        if allowed is None:
            self._causal = False
            return
        self._full = self._full and bool(allowed.all())
        if self._causal:
            lower = causal(n, m, allowed.device, m - n)[rows]
            self._causal = bool((allowed == lower).all())

    @property
    def name(self) -> str:
        """The pattern of what was seen."""
        return "none" if self._full else "causal" if self._causal else "other"
