"""What `seprank plan` was asked about: a number of parameters, models given by sizes or files, or a printed table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seprank.errors import InvalidInput, OutOfScope
from seprank.planning.guideline import Plan, plan, plan_model
from seprank.planning.transition_fit import LARGEST, TransitionFit

if TYPE_CHECKING:
    from seprank.attention.config import ConfigReading
    from seprank.planning.config_count import OwnCount
    from seprank.planning.least_squares import LineFit

_UNITS = {"": 0, "k": 3, "m": 6, "b": 9, "t": 12}
_NUMBER = re.compile(
    r"(?P<digits>[0-9]{1,40}(\.[0-9]{0,40})?|\.[0-9]{1,40})([eE]\+?(?P<power>[0-9]{1,2}))?(?P<unit>[kKmMbBtT]?)"
)


class ParameterCount(click.ParamType):
    """A number of parameters: ``175e9``, ``175000000000`` or ``175B`` (K, M, B and T for 1e3 to 1e12)."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | float:
        """`value` as an int where it is whole, else as a float."""
        parts = _NUMBER.fullmatch(str(value))
        if not parts:
            raise InvalidInput(f"params must be a number from 1 to {LARGEST:g} such as 175e9 or 1.3B, got {value!r}")
        whole, _, decimals = parts["digits"].partition(".")
        power = int(parts["power"] or 0) + _UNITS[parts["unit"].lower()] - len(decimals)
        number = int(whole + decimals) * Fraction(10) ** power
        return int(number) if number.denominator == 1 else float(number)


@dataclass(frozen=True)
class PlanCase:
    """A plan with where its sizes come from: a name, a count beside ``12 L dx^2``, a config reading, remarks.

    `own` is the count stated by a table or computed from a file, None where there is none; `own_about` says what it is.
    """

    plan: Plan
    name: str = ""
    own: int | None = None
    own_about: str = ""
    reading: ConfigReading | None = None
    remarks: tuple[str, ...] = ()


def sized_case(L: int, dx: int, fit: TransitionFit) -> PlanCase:
    """The case of a model given by its sizes."""
    return PlanCase(plan_model(L, dx, fit))


def budget_case(params: int | float, fit: TransitionFit) -> PlanCase:
    """The case of a number of parameters without a model."""
    return PlanCase(plan(params, fit))


def config_case(path: Path, stack: str | None, fit: TransitionFit) -> PlanCase:
    """The case of a config file, with the count of its own where its layers are known."""
    from seprank.attention.config import read_config
    from seprank.attention.config_file import config_object
    from seprank.planning.config_count import own_count

    try:
        reading = read_config(path, stack=stack)
        own: OwnCount = own_count(reading, config_object(path)[0])
        found = plan_model(reading.architecture.L, reading.architecture.dx, fit)
    except (InvalidInput, OutOfScope) as error:
        raise type(error)(f"{error} (in {path})" if str(path) not in str(error) else str(error)) from None
    label = f"{path.parent.name}/{path.name}" if path.name == "config.json" and path.parent.name else path.name
    return PlanCase(found, label, own.params, own.about, reading)


def gpt3_cases(fit: TransitionFit) -> list[PlanCase]:
    """The eight GPT-3 models, with the sizes of Brown et al. 2020, Table 2.1."""
    from seprank.planning.gpt3 import GPT3

    about = "stated in Table 2.1 of brown2020language, embeddings included"
    return [
        PlanCase(plan_model(m.L, m.dx, fit), m.name, m.params, about, remarks=(m.note,) if m.note else ()) for m in GPT3
    ]


def fitted(path: Path) -> LineFit:
    """The fit of the transition points in a CSV file, named after it."""
    from seprank.planning.least_squares import fit_points
    from seprank.planning.points_file import read_points

    points = read_points(path)
    try:
        return fit_points(points, source=path.name)
    except InvalidInput as error:
        raise InvalidInput(f"{error} in {str(path)!r}") from None
