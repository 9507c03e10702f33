"""Checks of arguments that several rooms share. Each raises `InvalidInput` with one line."""

import math
import operator
from collections.abc import Sequence

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


def real_number(
    name: str, value: object, least: float = -math.inf, most: float = math.inf, positive: bool = False
) -> float:
    """`value` as a finite float of at least `least` and at most `most`, above 0 where `positive`.

    Booleans, strings, complex numbers, NaN and infinities are refused.
    """
    kind = "a positive number" if positive else "a number"
    limits = [f"at least {least:g}"] if least > -math.inf else []
    limits += [f"at most {most:g}"] if most < math.inf else []
    rule = " ".join([f"{name} must be {kind}", *([" and ".join(limits)] if limits else [])]) + f", got {value!r}"
    if isinstance(value, bool | str | bytes | complex):
        raise InvalidInput(rule)
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(rule) from None
    if not math.isfinite(number) or not least <= number <= most or (positive and number <= 0):
        raise InvalidInput(rule)
    return number


def one_of(name: str, value: object, choices: Sequence[str]) -> str:
    """`value` if it is one of `choices`."""
    if value not in choices:
        raise InvalidInput(f"{name} must be one of {', '.join(choices)}, got {value!r}")
    return str(value)
