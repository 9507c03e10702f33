"""The options of `seprank sweep` from a TOML file, as defaults for the command line."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import click

from seprank.errors import InvalidInput

_NOT_IN_FILES = {"file", "dry_run", "fmt", "output"}


def read_options(ctx: click.Context, param: click.Parameter, path: Path | None) -> Path | None:
    """Make what the file says the defaults of the options; lists stand for text with commas. Raises `InvalidInput`."""
    if path is None:
        return None
    known = {option.name for option in ctx.command.params} - _NOT_IN_FILES
    for name, value in _parsed(path).items():
        if name not in known:
            raise InvalidInput(
                f"{path} must hold options of sweep ({', '.join(sorted(map(str, known)))}), got {name!r}"
            )
        ctx.default_map = {**(ctx.default_map or {}), name: _plain(name, value, path)}
    return path


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidInput(f"file must be a readable TOML file, got {str(path)!r}: {error.strerror}") from None
    except ValueError as error:
        raise InvalidInput(f"file must be TOML, got {str(path)!r}: {error}") from None


def _plain(name: str, value: Any, path: Path) -> Any:
    if isinstance(value, list):
        return ",".join(str(_plain(name, item, path)) for item in value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        if name in ("residual", "retry") and isinstance(value, bool):
            return value
        raise InvalidInput(f"{name} in {path} must be text, a number or a list of them, got {value!r}")
    return value if isinstance(value, int) else str(value)
