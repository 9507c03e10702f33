"""Shaped transformers: covariance SDEs of the proportional limit, their integrators, finite networks beside them.

The public names are loaded on first use, so that importing this room costs nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seprank.shaped.advice import ShapedAdvice, shaped_advice
    from seprank.shaped.attention_module import ShapedAttention
    from seprank.shaped.block_module import ShapedBlock, ShapedReLU
    from seprank.shaped.compare import Comparison, law_distances
    from seprank.shaped.full_gradients import gradients
    from seprank.shaped.full_variants import Variant, variant
    from seprank.shaped.schedule import at_step
    from seprank.shaped.setup import Law, Setup, causal_mask, equicorrelated

_HOME = {
    "Comparison": "compare",
    "Law": "setup",
    "Setup": "setup",
    "ShapedAdvice": "advice",
    "ShapedAttention": "attention_module",
    "ShapedBlock": "block_module",
    "ShapedReLU": "block_module",
    "Variant": "full_variants",
    "at_step": "schedule",
    "causal_mask": "setup",
    "equicorrelated": "setup",
    "gradients": "full_gradients",
    "law_distances": "compare",
    "shaped_advice": "advice",
    "variant": "full_variants",
}

__all__ = [
    "Comparison",
    "Law",
    "Setup",
    "ShapedAdvice",
    "ShapedAttention",
    "ShapedBlock",
    "ShapedReLU",
    "Variant",
    "at_step",
    "causal_mask",
    "equicorrelated",
    "gradients",
    "law_distances",
    "shaped_advice",
    "variant",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(f"seprank.shaped.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'seprank.shaped' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
