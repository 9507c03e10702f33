"""Reading a certificate: is the file one at all, with every field and nothing else, each of its type?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from seprank.errors import InvalidInput
from seprank.separation.certificate_fields import need, need_architecture, need_object, need_whole, need_wholes, short
from seprank.separation.certificate_schema import DERIVATIVE_SCHEMA, GENERATOR, SCHEMA
from seprank.separation.derivative_check_fields import refuse_malformed_derivative

MOST_BYTES = 2**28


def read_certificate(path: str | Path) -> dict[str, Any]:
    """The document in the file. Raises `InvalidInput` when it is no certificate of a known schema."""
    document = _parsed(path)
    schema = document.get("schema") if isinstance(document, dict) else type(document).__name__
    if not isinstance(document, dict) or schema not in (SCHEMA, DERIVATIVE_SCHEMA):
        raise InvalidInput(
            f"certificate must have schema {SCHEMA!r} or {DERIVATIVE_SCHEMA!r}, got {short(schema)} in {path}"
        )
    refuse_malformed(document)
    return document


def refuse_malformed(document: dict[str, Any]) -> None:
    """Raise `InvalidInput` unless every field of its schema is there and of its type, and no other field is."""
    if document["schema"] == DERIVATIVE_SCHEMA:
        refuse_malformed_derivative(document)
        return
    need_object(document, "", "schema architecture partition entry prime draw method templates rank pieces digest")
    need_architecture(document["architecture"])
    need_object(document["partition"], "partition", "NA NB")
    for name in ("NA", "NB"):
        need_whole(document["partition"][name], f"partition.{name}", 1)
    need_object(document["draw"], "draw", "generator seed")
    need(document["draw"]["generator"] == GENERATOR, "draw.generator", repr(GENERATOR), document["draw"]["generator"])
    need_whole(document["draw"]["seed"], "draw.seed", 0, 2**64 - 1)
    need_whole(document["prime"], "prime", 2)
    need_whole(document["rank"], "rank", 0)
    need_whole(document["entry"], "entry", 1, 1)
    need(isinstance(document["digest"], str), "digest", "a string")
    _method(document["method"], document["templates"])
    need(isinstance(document["pieces"], list), "pieces", "a list")
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
    need(method in ("blocks", "full", "grid"), "method", "blocks, full or grid", method)
    if method == "grid":
        need_whole(templates, "templates", 1)
    else:
        need(templates is None, "templates", "null unless the method is grid", templates)


def _piece(piece: Any, name: str, method: str) -> None:
    need_object(piece, name, "k rank rows columns")
    need_whole(piece["rank"], f"{name}.rank", 0)
    if method == "blocks":
        need_whole(piece["k"], f"{name}.k", 0)
    else:
        need(piece["k"] is None, f"{name}.k", "null unless the method is blocks", piece["k"])
    for side in ("rows", "columns"):
        need_wholes(piece[side], f"{name}.{side}", 0, 2**62)
