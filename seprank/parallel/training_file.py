"""The file of a training run: plain tensors and numbers, written in one step, read without running any code."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any

import torch

from seprank.errors import InvalidInput

SCHEMA = "seprank.hop.checkpoint/1"
FIELDS = {"schema", "task", "step", "model", "optimiser", "notes"}


def replace_file(path: Path, content: bytes, name: str) -> None:
    """Write `content` to `path`, which is replaced as a whole or left as it was, also by a kill at any moment.

    Raises `InvalidInput`, which calls the file by `name`.
    """
    target = path.resolve()
    try:
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        handle, part = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.", suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(part, mode)
            os.replace(part, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(part)
            raise
    except OSError as error:
        raise InvalidInput(f"{name} must be a file that can be written, got {str(path)!r}: {error.strerror}") from None


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


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
