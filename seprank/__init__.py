"""Separation rank of self-attention networks: certified ranks, proved bounds, checked theorems.

The public names are loaded on first use, so that ``import seprank`` costs nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

from seprank._version import __version__

if TYPE_CHECKING:
    from seprank import field
    from seprank.attention.architecture import Architecture
    from seprank.attention.partition import Partition
    from seprank.closed_forms.report import bounds
    from seprank.separation.measure import separation_rank

_HOME = {
    "Architecture": "seprank.attention.architecture",
    "Partition": "seprank.attention.partition",
    "bounds": "seprank.closed_forms.report",
    "separation_rank": "seprank.separation.measure",
}

__all__ = ["Architecture", "Partition", "__version__", "bounds", "field", "separation_rank"]


def __getattr__(name: str) -> Any:
    if name == "field":
        return importlib.import_module("seprank.field")
    if name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'seprank' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
