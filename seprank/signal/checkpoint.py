"""Checkpoints of training: plain tensors and numbers, written in one step, read without running any code."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from seprank.errors import InvalidInput


def save_checkpoint(path: Path, document: dict[str, Any]) -> None:
    """Write `document` to `path`, which is replaced as a whole or left as it was. Raises `InvalidInput`."""
    try:
        handle, name = tempfile.mkstemp(dir=path.resolve().parent, prefix=f".{path.name[:100]}.", suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                torch.save(document, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, path.resolve())
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise
    except OSError as error:
        raise InvalidInput(
            f"checkpoint must be a file that can be written, got {str(path)!r}: {error.strerror}"
        ) from None


def load_checkpoint(path: Path, schema: str, task: dict[str, Any]) -> dict[str, Any] | None:
    """What `save_checkpoint` wrote, or None where there is no file yet.

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
