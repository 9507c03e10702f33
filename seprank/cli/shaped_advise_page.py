"""The result of `seprank shaped advise` as text: table or JSON."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

from seprank.cli.numbers import short_float
from seprank.cli.output import to_json
from seprank.cli.shaped_simulate_page import plain_setup
from seprank.shaped.advice import LEAST_GAMMA, ODE_NOISE, SAFE_VALIDITY, Choice, ShapedAdvice

if TYPE_CHECKING:
    from seprank.attention.config import ConfigReading

WIDTH = 100
TRAINED_GAMMA = 0.2  # the largest in the grid of noci2023shaped, appendix D
LEGEND = """
gamma: the largest with the 95 % correlation at or below the level. 95 % |rho|: over paths and pairs, stopped paths
counted as 1, with the interval of order statistics. noise: standard deviation of artanh(rho) by the linear noise alone.
validity: 95th percentile of the norm of V over tau0 sqrt(dx). valid: validity at most 0.3 and at most one path in 1000
stopped.
"""


def text(advice: ShapedAdvice, reading: ConfigReading | None, fmt: str, for_terminal: bool | None) -> str:
    """The advice in the format asked for."""
    if fmt == "json":
        return to_json(document(advice, reading))
    from seprank.cli.tables import to_table

    table = to_table([_row(choice) for choice in advice.choices], for_terminal=for_terminal).rstrip("\n")
    paragraphs = [regime(advice), recommendation(advice), LEGEND]
    lines = [line for words in paragraphs for line in textwrap.wrap(" ".join(words.split()), WIDTH)]
    return "\n".join([*_heading(advice, reading), "", table, "", *lines]) + "\n"


def document(advice: ShapedAdvice, reading: ConfigReading | None) -> dict[str, Any]:
    """The advice as plain data: the schema ``seprank.shaped.advise/1``."""
    sizes = {name: value for name, value in plain_setup(advice.base).items() if name not in ("gamma", "tau0", "radius")}
    found: dict[str, Any] = {
        "schema": "seprank.shaped.advise/1",
        "setup": sizes,
        "T": advice.base.T,
        "rho0": advice.rho0,
        "level": advice.level,
        "ode_up_to_gamma": advice.ode_gamma,
        "choices": [_plain(choice) for choice in advice.choices],
        "chosen": None if advice.chosen is None else {"tau0": advice.chosen.tau0, "gamma": advice.chosen.gamma},
        "regime": regime(advice),
        "recommendation": recommendation(advice),
    }
    if reading is not None:
        found["config"] = {
            "name": reading.name,
            "read": {name: {"key": key, "value": value} for name, (key, value) in reading.read.items()},
            "remarks": list(reading.remarks),
        }
    return found


def _plain(choice: Choice) -> dict[str, Any]:
    return {
        "tau0": choice.tau0,
        "gamma": choice.gamma,
        "correlation_95": choice.correlation,
        "interval": [choice.low, choice.high],
        "noise": choice.noise,
        "stopped_fraction": choice.stopped,
        "validity": choice.validity if math.isfinite(choice.validity) else None,
        "valid": choice.valid,
    }


def _row(choice: Choice) -> dict[str, object]:
    return {
        "tau0": f"{choice.tau0:g}",
        "gamma": f"none from {LEAST_GAMMA:g}" if choice.gamma is None else f"{choice.gamma:.3g}",
        "95 % |rho|": f"{choice.correlation:.3f} ({choice.low:.3f} to {choice.high:.3f})",
        "noise": short_float(choice.noise, 2),
        "stopped": short_float(choice.stopped, 2),
        "validity": short_float(choice.validity, 2) if math.isfinite(choice.validity) else "none: over 5 % stop",
        "valid": "yes" if choice.valid else "no",
    }


def _heading(advice: ShapedAdvice, reading: ConfigReading | None) -> list[str]:
    base = advice.base
    mask = "" if base.mask is None else ", causal"
    lines = [
        f"L = {base.depth}, dx = {base.n}, H = {base.heads}, da = {base.head_dim}: T = L / dx = "
        f"{short_float(base.T, 4)}; {base.block} block{mask}, {base.m} tokens, "
        f"rho0 = {advice.rho0:g}, level {advice.level:g}"
    ]
    if reading is not None:
        read = ", ".join(f"{name} = {value} ({key})" for name, (key, value) in reading.read.items())
        lines.append(f"read from a config of {reading.name}: {read}")
    return lines


def regime(advice: ShapedAdvice) -> str:
    """Noise or not, in one sentence."""
    if advice.ode_gamma >= 1.0:
        return (
            f"Regime: ODE. Up to gamma = 1 noise moves artanh(rho) by less than {ODE_NOISE:g}, so that networks of "
            "these sizes hardly differ from one another."
        )
    return (
        f"Regime: up to gamma = {advice.ode_gamma:.2g} noise moves artanh(rho) by less than {ODE_NOISE:g} and an ODE "
        "describes the correlations; above it they vary from network to network, and the SDE is needed."
    )


def recommendation(advice: ShapedAdvice) -> str:
    """The gamma and tau0 to take, in a sentence or two."""
    chosen = advice.chosen
    if chosen is None or chosen.gamma is None:
        return (
            f"Advice: no tau0 here keeps the 95 % correlation at or below {advice.level:g} within the range of the "
            f"limit (validity at most {SAFE_VALIDITY:g}): fewer layers, more width, or a larger tau0."
        )
    words = (
        f"Advice: tau0 = {chosen.tau0:g} or more, with gamma up to {chosen.gamma:.2g}, keeps 95 % of the correlations "
        f"at or below {advice.level:g} at initialisation."
    )
    if chosen.gamma <= TRAINED_GAMMA:
        return words
    return (
        f"{words} Training is another matter: the paper trained with gamma from 0.05 to {TRAINED_GAMMA:g} and saw "
        "larger ones diverge."
    )
