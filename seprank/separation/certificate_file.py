"""Reading a certificate: is the file one at all, with every field and nothing else, each of its type?"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from seprank.errors import InvalidInput
from seprank.separation.certificate import GENERATOR, SCHEMA

MOST_BYTES = 2**28
_FIELDS = {
    "": "schema architecture partition entry prime draw method templates rank pieces digest",
    "architecture": "L dx H da residual",
    "partition": "NA NB",
    "draw": "generator seed",
}
_PIECE = "k rank rows columns"


def read_certificate(path: str | Path) -> dict[str, Any]:
    """The document in the file. Raises `InvalidInput` when it is no certificate of the known schema."""
    document = _parsed(path)
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        found = document.get("schema") if isinstance(document, dict) else type(document).__name__
        raise InvalidInput(f"certificate must have schema {SCHEMA!r}, got {_short(found)} in {path}")
    refuse_malformed(document)
    return document


def refuse_malformed(document: dict[str, Any]) -> None:
    """Raise `InvalidInput` unless every field is there and of its type, and no other field is."""
    for place, names in _FIELDS.items():
        _object(document if place == "" else document[place], place, names)
    sizes = {f"architecture.{name}": document["architecture"][name] for name in ("L", "dx", "H", "da")}
    sizes |= {f"partition.{name}": document["partition"][name] for name in ("NA", "NB")}
    for name, value in sizes.items():
        _whole(value, name, 1)
    _need(isinstance(document["architecture"]["residual"], bool), "architecture.residual", "true or false")
    _need(document["draw"]["generator"] == GENERATOR, "draw.generator", repr(GENERATOR), document["draw"]["generator"])
    _whole(document["draw"]["seed"], "draw.seed", 0, 2**64 - 1)
    _whole(document["prime"], "prime", 2)
    _whole(document["rank"], "rank", 0)
    _whole(document["entry"], "entry", 1, 1)
    _need(isinstance(document["digest"], str), "digest", "a string")
    _method(document["method"], document["templates"])
    _need(isinstance(document["pieces"], list), "pieces", "a list")
    for number, piece in enumerate(document["pieces"]):
        _piece(piece, f"pieces[{number}]", document["method"])


def _parsed(path: str | Path) -> Any:
    try:
        with open(path, "rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise InvalidInput(f"certificate must be a file of at most {MOST_BYTES} bytes, got {path}")
        return json.loads(content, object_pairs_hook=_without_repeats)
    except OSError as error:
        raise InvalidInput(f"certificate must be a readable file, got {path}: {error.strerror}") from None
    except InvalidInput:
        raise
    except (ValueError, RecursionError):
        raise InvalidInput(f"certificate must be JSON, got {path}") from None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InvalidInput("certificate must have each field once, got one twice")
    return found


def _method(method: object, templates: object) -> None:
    _need(method in ("blocks", "full", "grid"), "method", "blocks, full or grid", method)
    if method == "grid":
        _whole(templates, "templates", 1)
    else:
        _need(templates is None, "templates", "null unless the method is grid", templates)


def _piece(piece: Any, name: str, method: str) -> None:
    _object(piece, name, _PIECE)
    _whole(piece["rank"], f"{name}.rank", 0)
    if method == "blocks":
        _whole(piece["k"], f"{name}.k", 0)
    else:
        _need(piece["k"] is None, f"{name}.k", "null unless the method is blocks", piece["k"])
    for side in ("rows", "columns"):
        _need(isinstance(piece[side], list), f"{name}.{side}", "a list")
        for index in piece[side]:
            _whole(index, f"{name}.{side}", 0, 2**62)


def _object(value: object, place: str, names: str) -> None:
    _need(isinstance(value, dict), place, "an object")
    assert isinstance(value, dict)
    prefix = f"{place}." if place else ""
    wanted = names.split()
    for name in wanted:
        _need(name in value, prefix + name, "there")
    for name in _others(value, wanted):
        raise InvalidInput(f"certificate must have no other fields, got {_short(prefix + name)}")


def _others(value: Iterable[str], wanted: list[str]) -> list[str]:
    return [name for name in value if name not in wanted]


def _whole(value: object, name: str, least: int, most: int | None = None) -> None:
    rule = f"a whole number at least {least}" if most is None else f"a whole number from {least} to {most}"
    good = isinstance(value, int) and not isinstance(value, bool) and value >= least
    _need(good and (most is None or value <= most), name, rule, value)  # type: ignore[operator]


def _need(good: bool, name: str, rule: str, value: object = None) -> None:
    if not good:
        got = "" if value is None else f", got {_short(value)}"
        raise InvalidInput(f"certificate field {name} must be {rule}{got}")


def _short(value: object) -> str:
    if isinstance(value, dict | list):
        return "a list" if isinstance(value, list) else "an object"
    if isinstance(value, int) and abs(value) > 10**40:
        return "a longer number"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]} ..."
