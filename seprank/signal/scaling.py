"""The scale of a residual branch: a number, or a rule in the depth."""

from __future__ import annotations

import re
from math import sqrt

from seprank.errors import InvalidInput
from seprank.validate import real_number, whole_number


def branch_scale(name: str, alpha: object, L: int) -> float:
    """The factor `alpha` of a residual branch in a network of depth `L`: a number from 0 on, or the rule "1/sqrt(L)".

    Rules are "1/sqrt(L)", "1/L" and a number before them as in "0.5/sqrt(L)". Raises `InvalidInput`, naming `name`.
    Source: noci2022signal, section 3.2.

    >>> branch_scale("alpha", "1/sqrt(L)", 16), branch_scale("alpha", "0.5", 16), branch_scale("alpha", 1, 16)
    (0.25, 0.5, 1.0)
    """
    L = whole_number("L", L)
    if not isinstance(alpha, str):
        return _number(name, alpha, alpha)
    rule = re.fullmatch(r"\s*([^/\s]+)\s*(/\s*sqrt\(L\)|/\s*L)?\s*", alpha)
    if rule is None:
        raise InvalidInput(_message(name, alpha))
    try:
        factor = float(rule[1])
    except ValueError:
        raise InvalidInput(_message(name, alpha)) from None
    divisor = 1.0 if rule[2] is None else sqrt(L) if "sqrt" in rule[2] else float(L)
    return _number(name, factor, alpha) / divisor


def _number(name: str, value: object, given: object) -> float:
    try:
        return real_number(name, value, least=0.0, most=1e6)
    except InvalidInput:
        raise InvalidInput(_message(name, given)) from None


def _message(name: str, given: object) -> str:
    return f"{name} must be a number from 0 to 1e6 or a rule such as '1/sqrt(L)', got {given!r}"
