"""Checks of arguments that several rooms share. Each raises `InvalidInput` with one line."""

import operator

from seprank.errors import InvalidInput


def whole_number(name: str, value: object, least: int = 1, most: int | None = None) -> int:
    """`value` as an int of at least `least` (and at most `most`); Booleans, floats and strings are refused."""
    limit = f"at least {least}" if most is None else f"from {least} to {most}"
    rule = f"{name} must be a whole number {limit}, got {value!r}"
    if isinstance(value, bool):
        raise InvalidInput(rule)
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InvalidInput(rule) from None
    if number < least or (most is not None and number > most):
        raise InvalidInput(rule)
    return number
