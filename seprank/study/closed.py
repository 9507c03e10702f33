"""The closed forms of a case as plain data."""

from __future__ import annotations

from typing import Any

import mpmath

from seprank.closed_forms.magnitude import Real
from seprank.closed_forms.report import Bound, BoundReport
from seprank.separation.result import whole_value

_LARGEST = 1e300


def closed_forms(report: BoundReport) -> dict[str, Any]:
    """The fields of a `Record` that a report fills."""
    gram = whole_value(report["gram"])
    found = {"regime": report.regime, "gram_bound": gram, "bounds": [_bound(bound) for bound in report]}
    lower, upper = report.best_lower, report.best_upper
    lower_value = None if lower is None else lower.value
    upper_value = None if upper is None else whole_value(upper)
    return found | _best("best_lower", lower, lower_value) | _best("best_upper", upper, upper_value)


def _best(name: str, bound: Bound | None, value: int | None) -> dict[str, Any]:
    if bound is None:
        return {name: None, f"{name}_log3": None, f"{name}_value": None}
    number = _real(bound.log3)
    return {name: bound.id, f"{name}_log3": number if isinstance(number, float) else None, f"{name}_value": value}


def _bound(bound: Bound) -> dict[str, Any]:
    return {
        "id": bound.id,
        "kind": bound.kind,
        "log3": _real(bound.log3),
        "value": None if bound.value is None else str(bound.value),
        "valid": bound.valid,
        "scope": bound.scope,
        "source": bound.source,
    }


def _real(value: Real) -> float | str:
    """A float, or beyond the range of floats the digits."""
    return float(value) if abs(value) < _LARGEST else str(mpmath.nstr(value, 17))
