"""Rules for the fields of a certificate: each one there, of its type, and no other beside it."""

from __future__ import annotations

from typing import Any

from seprank.errors import InvalidInput


def need_object(value: object, place: str, names: str) -> None:
    """Raise `InvalidInput` unless `value` is an object with exactly the fields `names`, separated by spaces."""
    need(isinstance(value, dict), place, "an object")
    assert isinstance(value, dict)
    prefix = f"{place}." if place else ""
    wanted = names.split()
    for name in wanted:
        need(name in value, prefix + name, "there")
    for name in value:
        if name not in wanted:
            raise InvalidInput(f"certificate must have no other fields, got {short(prefix + name)}")


def need_whole(value: object, name: str, least: int, most: int | None = None) -> None:
    """Raise `InvalidInput` unless `value` is a whole number in the range."""
    rule = f"a whole number at least {least}" if most is None else f"a whole number from {least} to {most}"
    good = isinstance(value, int) and not isinstance(value, bool) and value >= least
    need(good and (most is None or value <= most), name, rule, value)  # type: ignore[operator]


def need_wholes(value: Any, name: str, least: int, most: int, count: int | None = None) -> None:
    """Raise `InvalidInput` unless `value` is a list of whole numbers in the range, and of that length."""
    need(isinstance(value, list), name, "a list")
    need(count is None or len(value) == count, name, f"a list of {count} numbers")
    for number in value:
        need_whole(number, name, least, most)


def need_architecture(value: Any) -> None:
    """Raise `InvalidInput` unless `value` has the sizes of a network."""
    need_object(value, "architecture", "L dx H da residual")
    for name in ("L", "dx", "H", "da"):
        need_whole(value[name], f"architecture.{name}", 1)
    need(isinstance(value["residual"], bool), "architecture.residual", "true or false")


def need(good: bool, name: str, rule: str, value: object = None) -> None:
    """Raise `InvalidInput`, naming the field, the rule and the value, unless it is good."""
    if not good:
        got = "" if value is None else f", got {short(value)}"
        raise InvalidInput(f"certificate field {name} must be {rule}{got}")


def short(value: object) -> str:
    """A value as a few words."""
    if isinstance(value, dict | list):
        return "a list" if isinstance(value, list) else "an object"
    if isinstance(value, int) and abs(value) > 10**40:
        return "a longer number"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]} ..."
