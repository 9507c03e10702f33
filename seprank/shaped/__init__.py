"""Shaped transformers: covariance SDEs of the proportional limit, their integrators, finite networks beside them.

The public names are loaded on first use, so that importing this room costs nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seprank.shaped.setup import Law, Setup, causal_mask, equicorrelated

_HOME = {
    "Law": "setup",
    "Setup": "setup",
    "causal_mask": "setup",
    "equicorrelated": "setup",
}

__all__ = ["Law", "Setup", "causal_mask", "equicorrelated"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(f"seprank.shaped.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'seprank.shaped' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
