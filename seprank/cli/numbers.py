"""Numbers as the commands print them."""

from __future__ import annotations

import math
from typing import Any

import mpmath

from seprank.cli.output import Number


def json_real(value: Any) -> float | Number:
    """An mpmath number for JSON: a float, or beyond the range of floats a literal such as ``6.6e477``."""
    number = float(value) if abs(value) < 1e300 else math.inf
    return number if math.isfinite(number) else Number(_scientific(value, 17))


def short_real(value: Any, digits: int = 12) -> str:
    """An mpmath number with `digits` significant digits for people.

    >>> short_real(mpmath.mpf(33024)), short_real(mpmath.mpf(10) ** 20)
    ('33024', '1e20')
    """
    if value == 0 or 1e-4 <= abs(value) < 1e13:
        text: str = mpmath.nstr(value, digits, min_fixed=-math.inf, max_fixed=math.inf)
        return text[:-2] if text.endswith(".0") else text
    return _scientific(value, digits)


def short_float(value: float, digits: int = 6) -> str:
    """A finite float with `digits` significant digits for people, written as by `short_real`.

    >>> short_float(0.1 + 0.2), short_float(1 / 3e9, 3), short_float(256.0)
    ('0.3', '3.33e-10', '256')
    """
    return short_real(mpmath.mpf(value), digits)


def _scientific(value: Any, digits: int) -> str:
    text: str = mpmath.nstr(value, digits, min_fixed=math.inf, max_fixed=-math.inf)
    mantissa, _, exponent = text.partition("e")
    mantissa = mantissa[:-2] if mantissa.endswith(".0") else mantissa
    return f"{mantissa}e{int(exponent or 0)}"
