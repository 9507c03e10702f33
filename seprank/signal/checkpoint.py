"""Reading checkpoints of training, without running any code in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from seprank.errors import InvalidInput


def load_checkpoint(path: Path, schema: str, task: dict[str, Any]) -> dict[str, Any] | None:
    """What `write_checkpoint` wrote, or None where there is no file yet.

    The file must have the `schema` and belong to the same `task`, otherwise `InvalidInput`. Nothing but tensors and
    plain values is read, so that a file from a stranger can do no harm.
    """
    if not path.exists():
        return None
    try:
        document = torch.load(path, weights_only=True)
    except Exception:  # what a file that is no checkpoint holds can make the reader raise anything
        document = None
    if not isinstance(document, dict) or document.get("schema") != schema:
        raise InvalidInput(f"checkpoint must be a file of {schema}, got {str(path)!r}")
    stored = document.get("task", {})
    for name, value in task.items():
        if stored.get(name) != value:
            found = f"{name} = {stored.get(name)!r} in place of {value!r}"
            raise InvalidInput(f"checkpoint must belong to the same task, got {str(path)!r} with {found}")
    return document
