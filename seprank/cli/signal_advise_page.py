"""The result of `seprank signal advise` as text: table or JSON."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from seprank.cli.numbers import short_float
from seprank.cli.output import to_json
from seprank.signal.advice import Advice, Prediction
from seprank.signal.stream import NORMS, State
from seprank.signal.uniform import Validity

if TYPE_CHECKING:
    from seprank.attention.config import ConfigReading

NAMES = {"none": "none", "post": "post-norm", "pre": "pre-norm"}
WIDTH = 100
SATURATING = 3.0  # standard deviation of the logits


def text(advice: Advice, reading: ConfigReading | None, fmt: str, for_terminal: bool | None) -> str:
    """The advice in the format asked for."""
    if fmt == "json":
        return to_json(document(advice, reading))
    from seprank.cli.tables import to_table

    table = to_table([_row(prediction) for prediction in advice.predictions], for_terminal=for_terminal)
    parts = [*_heading(advice, reading), "", table.rstrip("\n"), "", *_conclusion(advice)]
    return "\n".join(parts) + "\n"


def document(advice: Advice, reading: ConfigReading | None) -> dict[str, Any]:
    """The advice as plain data: the schema ``seprank.signal.advise/1``."""
    found: dict[str, Any] = {
        "schema": "seprank.signal.advise/1",
        "architecture": {name: getattr(advice.architecture, name) for name in ("L", "dx", "H", "da")},
        "tokens": advice.n,
        "rho": advice.rho,
        "sigma": advice.sigma,
        "activation": advice.activation,
        "predictions": [_prediction(prediction) for prediction in advice.predictions],
        "balancing_scale": dict(advice.balancing_scale),
    }
    if reading is not None:
        found["config"] = {
            "name": reading.name,
            "read": {name: {"key": key, "value": value} for name, (key, value) in reading.read.items()},
            "remarks": list(reading.remarks),
        }
    return found


def _prediction(prediction: Prediction) -> dict[str, Any]:
    return {
        "norm": prediction.norm,
        "branches": prediction.branches,
        "alpha": prediction.alpha,
        "first": _state(prediction.first) | {"query_over_value": prediction.ratio_first},
        "last": _state(prediction.last) | {"query_over_value": prediction.ratio_last} | _validity(prediction.validity),
        "end": _state(prediction.end),
        "collapse_layer": prediction.collapse_layer,
        "restoring_temperature": prediction.temperature,
        "restored": None if prediction.restored is None else _validity(prediction.restored),
    }


def _state(state: State) -> dict[str, Any]:
    return {"rho": state.rho, "one_minus_rho": state.gap, "sigma2": state.sigma2, "stream": state.stream}


def _validity(validity: Validity) -> dict[str, Any]:
    return {
        "logit_std": validity.logit_std,
        "correction": validity.correction,
        "valid": validity.valid,
        "reason": validity.reason,
    }


def _row(prediction: Prediction) -> dict[str, object]:
    return {
        "layer norm": NAMES[prediction.norm],
        "alpha": prediction.branches,
        "rho, end": _correlation(prediction.end),
        "collapse": "-" if prediction.collapse_layer is None else f"layer {prediction.collapse_layer}",
        "q/v, first": _real(prediction.ratio_first),
        "q/v, last": _real(prediction.ratio_last),
        "logit std": _real(prediction.validity.logit_std),
        "valid": "yes" if prediction.validity.valid else "no",
        "tau": _real(prediction.temperature),
        "logit std at tau": "" if prediction.restored is None else _real(prediction.restored.logit_std),
    }


def _correlation(state: State) -> str:
    return f"{state.rho:.4f}" if state.gap > 5e-4 else f"1 - {state.gap:.1e}"


def _real(value: float | None) -> str:
    return "none" if value is None else short_float(value, 3)


def _heading(advice: Advice, reading: ConfigReading | None) -> list[str]:
    arch = advice.architecture
    lines = [
        f"L = {arch.L}, dx = {arch.dx}, H = {arch.H}, da = {arch.da}; {advice.n} tokens, rho = {advice.rho:g}, "
        f"sigma = {advice.sigma:g}, {advice.activation}"
    ]
    if reading is not None:
        read = ", ".join(f"{name} = {value} ({key})" for name, (key, value) in reading.read.items())
        lines.append(f"read from a config of {reading.name}: {read}")
    return lines


def _conclusion(advice: Advice) -> list[str]:
    paragraphs = [_collapse(advice), _balance(advice), _legend(), _trust(advice)]
    return [line for paragraph in paragraphs for line in textwrap.wrap(paragraph, WIDTH, break_on_hyphens=False)]


def _collapse(advice: Advice) -> str:
    fallen = [
        f"{NAMES[p.norm]} at layer {p.collapse_layer}" if p.norm != "none" else f"no norm at layer {p.collapse_layer}"
        for p in advice.predictions
        if p.branches == "1" and p.collapse_layer is not None
    ]
    scaled = max(p.end.rho for p in advice.predictions if p.branches != "1")
    first = f"Unscaled branches collapse (rho above 0.99): {', '.join(fallen)}." if fallen else "Nothing collapses."
    return f"{first} With alpha = 1/sqrt(L) the correlation at the end is at most {scaled:.3f}.{_saturation(advice)}"


def _saturation(advice: Advice) -> str:
    """The trap of unscaled branches without layer norm: growing logits, not collapse."""
    spread = next(p for p in advice.predictions if p.norm == "none" and p.branches == "1").validity.logit_std
    if spread < SATURATING:
        return ""
    return (
        f" Without layer norm, unscaled branches let logits grow (std {short_float(spread, 2)} in the last layer): "
        "softmax saturates to single tokens before they collapse, and query gradients vanish for that reason."
    )


def _balance(advice: Advice) -> str:
    words = [f"{'no norm' if norm == 'none' else NAMES[norm]} {_scale(advice, norm)}" for norm in NORMS]
    return (
        "Balance by scaling, the largest alpha whose correlation leaves query gradients of the last layer at least as "
        f"large as value gradients: {'; '.join(words)}."
    )


def _scale(advice: Advice, norm: str) -> str:
    alpha = advice.balancing_scale[norm]
    if alpha is None:
        return "none (not even 0)"
    root = alpha * advice.architecture.L**0.5
    return "1" if alpha == 1.0 else f"{alpha:.3g} = {root:.2g}/sqrt(L)"


def _legend() -> str:
    return (
        "q/v: squared gradient norm of queries over values. tau: inverse temperature that brings it to 1 in the last "
        "layer, by formulas that are outside their range there (measured: within 20 % of balance at one layer)."
    )


def _trust(advice: Advice) -> str:
    reasons = {prediction.validity.reason for prediction in advice.predictions if not prediction.validity.valid}
    if not reasons:
        return "valid: every prediction is within the range of uniform attention."
    return (
        "valid: 'no' where softmax is too far from uniform for the formulas (logit std above 0.25, or a leading "
        "correction above 0.15); then read orders of magnitude, and measure with a real network."
    )
