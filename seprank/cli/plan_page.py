"""The result of `seprank plan` as text: table and JSON, for one case or several."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from seprank.cli.output import Number, to_json
from seprank.cli.plan_cases import PlanCase
from seprank.planning.guideline import Plan
from seprank.planning.transition_fit import TransitionFit


def one(case: PlanCase, fmt: str) -> str:
    """One case in the format asked for."""
    if fmt == "json":
        return to_json(document(case))
    plan = case.plan
    budget = f"budget: {short(plan.params)} parameters without embeddings"
    parts = [budget] if plan.L is None else [*_model(case), *_verdict(plan, plan.L)]
    return "\n".join([*parts, *_optimum(plan), "", *fit_lines(plan.fit), *_extrapolation([plan])]) + "\n"


def several(cases: list[PlanCase], fmt: str, for_terminal: bool | None) -> str:
    """A comparison of models, one row each."""
    if fmt == "json":
        return to_json({"schema": "seprank.plan-comparison/1", "models": [document(case) for case in cases]})
    from seprank.cli.tables import to_table

    plans = [case.plan for case in cases]
    notes = [f"{case.name}: {remark}" for case in cases for remark in case.remarks]
    notes += [f"{case.name}: own count {case.own_about}" for case in cases if case.own is None and case.own_about]
    own = {case.own_about for case in cases if case.own is not None}
    lines = [
        to_table(list(_rows(cases)), for_terminal=for_terminal).rstrip("\n"),
        "",
        "params: 12 L dx^2, without embeddings; it decides depth, width and verdict",
        *(f"own count: {about}" for about in sorted(own)),
        *notes,
        *fit_lines(plans[0].fit),
        *_extrapolation(plans),
    ]
    return "\n".join(lines) + "\n"


def document(case: PlanCase) -> dict[str, Any]:
    """One case as plain data: the schema ``seprank.plan/1``."""
    plan = case.plan
    found: dict[str, Any] = {
        "schema": "seprank.plan/1",
        "params": plan.params,
        "depth": plan.depth,
        "width": plan.width,
        "depth_range": list(plan.depth_range),
        "verdict": plan.verdict,
        "extrapolated": plan.extrapolated,
        "curve": {"depth": plan.curve_depth, "width": plan.curve_width},
        "model": None if plan.L is None else _model_document(case, plan.L),
        "fit": fit_document(plan.fit),
    }
    if case.reading is not None:
        reading = case.reading
        read = {name: {"key": key, "value": value} for name, (key, value) in reading.read.items()}
        found["config"] = {"file": case.name, "name": reading.name, "stack": reading.stack or None, "read": read}
    return found


def _model_document(case: PlanCase, L: int) -> dict[str, Any]:
    plan = case.plan
    return {
        "name": case.name or None,
        "L": L,
        "dx": plan.dx,
        "layers_off": plan.layers_off,
        "own_params": case.own,
        "own_params_about": case.own_about or None,
        "transition_params": _number(plan.fit.log_size(L)),
        "transition_relative_error": plan.fit.relative_error(L),
        "remarks": list(case.remarks),
    }


def fit_document(fit: TransitionFit) -> dict[str, Any]:
    """A fit as plain data, a part of the schemas."""
    return {
        "a": fit.a,
        "b": fit.b,
        "error_a": fit.error_a,
        "error_b": fit.error_b,
        "covariance": fit.covariance,
        "depths": [fit.shallowest, fit.deepest],
        "heads": fit.heads,
        "vocabulary": fit.vocabulary,
        "source": fit.source or None,
    }


def fit_lines(fit: TransitionFit) -> list[str]:
    """The fit in words: numbers, source, and what it was measured on."""
    about = [f"{fit.heads} heads"] if fit.heads is not None else []
    about += [f"vocabulary {fit.vocabulary}"] if fit.vocabulary is not None else []
    networks = f" with {' and '.join(about)}" if about else ""
    return [
        f"fit: log dx = a + b L, a = {with_error(fit.a, fit.error_a)}, b = {with_error(fit.b, fit.error_b)}, "
        f"covariance {short(fit.covariance, 3)}",
        f"source: {fit.source or 'not stated'}; measured on depths {fit.shallowest} to {fit.deepest}{networks}",
    ]


def _rows(cases: list[PlanCase]) -> Iterable[dict[str, object]]:
    for case in cases:
        plan = case.plan
        low, high = plan.depth_range
        yield {
            "model": case.name,
            "own count": "" if case.own is None else short(case.own),
            "params": short(plan.params),
            "L": plan.L,
            "dx": plan.dx,
            "optimal L": plan.depth,
            "range": f"{low} to {high}",
            "optimal dx": plan.width,
            "layers off": f"{plan.layers_off:+d}",
            "verdict": plan.verdict,
        }


def _model(case: PlanCase) -> list[str]:
    plan = case.plan
    lines = [f"model: L = {plan.L}, dx = {plan.dx}" + (f", read from {case.name}" if case.name else "")]
    lines.append(f"parameters used: 12 L dx^2 = {plan.params}, without embeddings")
    if case.own_about:
        own = case.own_about if case.own is None else f"{case.own}, {case.own_about}"
        lines.append(f"own count: {own}")
    return [*lines, *case.remarks]


def _verdict(plan: Plan, L: int) -> list[str]:
    off, log_size = abs(L - plan.depth), plan.fit.log_size(L)
    where = f"{off} layer{'s' if off != 1 else ''} {'above' if L > plan.depth else 'below'} the optimum"
    size = size_with_error(log_size, plan.fit.relative_error(L))
    times = scientific(log_size - math.log(plan.params), 2)
    return [
        f"verdict: {plan.verdict}",
        f"by how much: {where if off else 'at the optimum'}; depth {L} is optimal at {size} parameters, "
        f"{times} times this size",
    ]


def _optimum(plan: Plan) -> list[str]:
    low, high = plan.depth_range
    return [
        f"optimal depth: {plan.depth}, {low} to {high} within one standard error of the fit",
        f"optimal width: {plan.width}, which spends the budget at that depth "
        f"(the fit's curve has this size at L = {plan.curve_depth:.2f}, dx = {short(plan.curve_width, 5)})",
    ]


def _extrapolation(plans: list[Plan]) -> list[str]:
    fit = plans[0].fit
    depths = sorted({L for plan in plans for L in (plan.depth, plan.L) if L is not None and not fit.covers(L)})
    if not depths:
        return ["extrapolated: no"]
    verb = "depths {} lie" if len(depths) > 1 else "depth {} lies"
    names = verb.format(", ".join(map(str, depths)))
    return [f"extrapolated: yes, {names} outside the measured {fit.shallowest} to {fit.deepest}"]


def with_error(value: float, error: float) -> str:
    """A value with two digits more than its standard error warrants, so that it can be computed with, and the error.

    >>> with_error(5.039, 0.0301), with_error(0.05551, 0.0013)
    ('5.0390 +- 0.030', '0.05551 +- 0.0013')
    """
    places = 6 if error <= 0 else max(0, 1 - math.floor(math.log10(error)))
    return f"{value:.{places + 1}f} +- {error:.{places}f}"


def size_with_error(log_size: float, relative: float) -> str:
    """A size given by its natural logarithm, with its error in the same power of ten.

    >>> size_with_error(math.log(1.1667e12), 0.1936), size_with_error(1000.0, 1.5)
    ('1.17e12 +- 0.23e12', '1.97e434 (its error is larger)')
    """
    if relative >= 1:
        return f"{scientific(log_size, 3, plain=False)} (its error is larger)"
    digits, _, power = scientific(log_size, 3, plain=False).partition("e")
    exact = math.exp(log_size - int(power) * math.log(10))
    return f"{digits}e{power} +- {exact * relative:.2f}e{power}"


def scientific(log: float, digits: int, plain: bool = True) -> str:
    """The number of natural logarithm `log`, with `digits` digits and beyond the range of floats, too.

    >>> scientific(math.log(6.7), 2), scientific(2000.0, 3)
    ('6.7', '3.88e868')
    """
    power = math.floor(log / math.log(10) + 1e-12)
    mantissa = f"{math.exp(log - power * math.log(10)):.{digits - 1}f}"
    if mantissa.startswith("10"):
        mantissa, power = f"{1:.{digits - 1}f}", power + 1
    if plain and -3 <= power < 6:
        return f"{math.exp(log):.{digits}g}" if power < digits else f"{math.exp(log):.0f}"
    return f"{mantissa}e{power}"


def short(value: float, digits: int = 4) -> str:
    """A number with a few digits: ``1.739e11``, whole up to six digits."""
    if value == 0 or not 1e-3 <= abs(value) < 1e6:
        mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
        return "0" if value == 0 else f"{mantissa.rstrip('0').rstrip('.')}e{int(power)}"
    return f"{value:.{digits}g}" if value < 10**digits else f"{value:.0f}"


def _number(log: float) -> float | Number:
    return math.exp(log) if log < 700 else Number(scientific(log, 15, plain=False))
