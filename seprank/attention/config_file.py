"""From a path to the object of a JSON file: every way in which that can fail is one line of `InvalidInput`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from seprank.errors import InvalidInput

MAX_BYTES = 16 * 2**20


def config_object(source: object) -> tuple[Mapping[str, Any], str]:
    """The object that `source` (a path, or the parsed content) holds, and a name for it (the stem of the file).

    Nothing but JSON is read: no network, no code. A key that a JSON object repeats with another value, NaN,
    infinities, a byte order mark, text that is not UTF-8 and files above 16 MiB are refused.
    Raises `InvalidInput` with one line that names the file.
    """
    if isinstance(source, Mapping):
        return source, "config"
    if not isinstance(source, str | os.PathLike):
        raise InvalidInput(f"config must be a path or a mapping, got {type(source).__name__}")
    path = Path(os.fsdecode(source))
    content = _parsed(path, _text(path, _content(path)))
    if not isinstance(content, dict):
        raise InvalidInput(f"config must hold a JSON object, got {_kind(content)} in {_shown(path)}")
    return content, path.stem


def _content(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise InvalidInput(f"config must be a file, got the folder {_shown(path)}; name the file in it")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise InvalidInput(f"config must be an existing file, got {_shown(path)}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidInput(f"config must be a file that can be read, got {_shown(path)}: {reason}") from None
    if len(content) > MAX_BYTES:
        raise InvalidInput(f"config must be at most {MAX_BYTES >> 20} MiB, got more in {_shown(path)}")
    return content


def _text(path: Path, content: bytes) -> str:
    if content.startswith(b"\xef\xbb\xbf"):
        raise InvalidInput(f"config must be JSON without a byte order mark, got one in {_shown(path)}")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"config must be UTF-8 text, got byte 0x{content[error.start]:02x} at offset {error.start} "
            f"in {_shown(path)}"
        ) from None


def _parsed(path: Path, text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except InvalidInput as error:
        raise InvalidInput(f"{error} in {_shown(path)}") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno} column {error.colno}"
        raise InvalidInput(f"config must be JSON, got {_shown(path)}: {error.msg} at {where}") from None
    except RecursionError:
        raise InvalidInput(f"config must be JSON, got {_shown(path)}: nested too deeply") from None
    except ValueError:
        # Python converts no more than some thousand digits; such a number is no size of anything.
        raise InvalidInput(f"config must be JSON, got {_shown(path)}: a number with too many digits") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result and (type(result[key]), result[key]) != (type(value), value):
            raise InvalidInput(f"config must state each key once, got {key!r} twice with different values")
        result[key] = value
    return result


def _no_constant(constant: str) -> Any:
    raise InvalidInput(f"config must hold finite numbers only, got {constant}")


def _kind(value: object) -> str:
    kinds = {list: "a list", str: "a string", type(None): "null", bool: "a Boolean"}
    return kinds.get(type(value), "a number")


def _shown(path: Path) -> str:
    return repr(str(path))
