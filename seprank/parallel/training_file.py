"""Reading the file of a training run, without running any code in it."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import torch

from seprank.errors import InvalidInput

SCHEMA = "seprank.hop.checkpoint/1"
FIELDS = {"schema", "task", "step", "model", "optimiser", "notes"}


def read_checkpoint(path: str | PathLike[str]) -> dict[str, Any]:
    """What a training run kept: ``schema, task, step, model, optimiser, notes``; nothing in the file is executed.

    Raises `InvalidInput` for a file that is none, is torn, or is of another kind.
    """
    name = str(path)
    try:
        document = torch.load(Path(path), weights_only=True)
    except OSError as error:
        raise InvalidInput(f"checkpoint must be a file of {SCHEMA}, got {name!r}: {error.strerror}") from None
    except Exception:  # torch raises many kinds for a torn or foreign file
        raise InvalidInput(f"checkpoint must be a file of {SCHEMA}, got {name!r}: torn or of another kind") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA or set(document) != FIELDS:
        raise InvalidInput(f"checkpoint must be a file of {SCHEMA}, got {name!r} without its fields")
    return document
