"""The fields of a certificate by derivatives, each of its type; matrices of the sizes that the architecture says."""

from __future__ import annotations

from typing import Any

from seprank.separation.certificate_fields import need, need_architecture, need_object, need_whole, need_wholes

MOST = 2**62  # of a number that names a line, and of the numbers of a grading
BOUNDS = ("gram", "staircase", "isotropic")


def refuse_malformed_derivative(document: dict[str, Any]) -> None:
    """Raise `InvalidInput` unless every field is there and of its type, and no other field is."""
    need_object(document, "", "schema architecture entry prime rank upper weights blocks minors digest")
    need_architecture(document["architecture"])
    need_whole(document["entry"], "entry", 1, 1)
    need_whole(document["prime"], "prime", 2, MOST)
    need_whole(document["rank"], "rank", 0)
    need_whole(document["upper"], "upper", 0)
    need(isinstance(document["digest"], str), "digest", "a string")
    for name, rule in (("weights", _weights), ("blocks", _block), ("minors", _minor)):
        need(isinstance(document[name], list), name, "a list")
        for number, item in enumerate(document[name]):
            rule(item, f"{name}[{number}]", document)


def _weights(item: Any, place: str, document: dict[str, Any]) -> None:
    need_object(item, place, "name signs keys unseen Q K V O")
    need(isinstance(item["name"], str), f"{place}.name", "a string")
    need(isinstance(item["signs"], bool), f"{place}.signs", "true or false")
    L, dx, H, da = (document["architecture"][name] for name in ("L", "dx", "H", "da"))
    need_wholes(item["keys"], f"{place}.keys", 0 if item["signs"] else -MOST, MOST, dx)
    if item["unseen"] is not None:
        need_wholes(item["unseen"], f"{place}.unseen", 0, MOST)
    for kind in ("Q", "K", "V", "O"):
        shape = (L, H, dx, da) if kind == "O" else (L, H, da, dx)
        _array(item[kind], f"{place}.{kind}", shape, document["prime"] - 1)


def _array(value: Any, name: str, shape: tuple[int, ...], most: int) -> None:
    if len(shape) == 1:
        need_wholes(value, name, 0, most, shape[0])
        return
    need(isinstance(value, list) and len(value) == shape[0], name, f"nested lists, {shape[0]} long at this depth")
    for part in value:
        _array(part, name, shape[1:], most)


def _block(item: Any, place: str, document: dict[str, Any]) -> None:
    need_object(item, place, "k rank bound bound_id source")
    for name in ("k", "rank", "bound", "source"):
        need_whole(item[name], f"{place}.{name}", 0)
    need(item["bound_id"] in BOUNDS, f"{place}.bound_id", ", ".join(BOUNDS), item["bound_id"])


def _minor(item: Any, place: str, document: dict[str, Any]) -> None:
    need_object(item, place, "k weights rows columns")
    need_whole(item["k"], f"{place}.k", 0)
    need(isinstance(item["weights"], str), f"{place}.weights", "a string")
    for side in ("rows", "columns"):
        name = f"{place}.{side}"
        need(isinstance(item[side], dict) and len(item[side]) == 1, name, "an object with only or except")
        kind = next(iter(item[side]))
        need(kind in ("only", "except"), name, "an object with only or except", kind)
        need_wholes(item[side][kind], name, 0, MOST)
