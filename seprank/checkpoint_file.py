"""The file of a training run: plain tensors and numbers, written in one step."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import torch

from seprank.atomic_file import replace_file
from seprank.errors import InvalidInput


def write_checkpoint(path: Path, document: dict[str, Any]) -> None:
    """Write `document` to `path`, which is replaced as a whole or left as it was. Raises `InvalidInput`."""
    content = io.BytesIO()
    torch.save(document, content)
    try:
        replace_file(path, content.getvalue())
    except OSError as error:
        raise InvalidInput(
            f"checkpoint must be a file that can be written, got {str(path)!r}: {error.strerror}"
        ) from None
