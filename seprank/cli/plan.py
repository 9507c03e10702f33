"""`seprank plan`: optimal depth and width for a budget, and whether a model is too shallow or too deep."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from seprank.cli.options import WholeNumber, output_options
from seprank.cli.output import emit
from seprank.cli.plan_cases import (
    ParameterCount,
    PlanCase,
    budget_case,
    config_case,
    fitted,
    gpt3_cases,
    sized_case,
)
from seprank.errors import InvalidInput

if TYPE_CHECKING:
    from seprank.planning.transition_fit import TransitionFit


@click.command()
@click.option("--params", type=ParameterCount(), metavar="N", help="Parameters without embeddings: 175e9 or 175B.")
@click.option("--L", "L", type=WholeNumber(), metavar="L", help="Depth of a model; needs --dx.")
@click.option("--dx", "dx", type=WholeNumber(), metavar="DX", help="Width of a model; needs --L.")
@click.option(
    "--config",
    "configs",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Read the model from a Hugging Face style config.json; several make a comparison.",
)
@click.option("--stack", type=click.Choice(["encoder", "decoder"]), help="Which stack of the config to read.")
@click.option("--table", type=click.Choice(["gpt3"]), help="The models of a printed table.")
@click.option(
    "--fit",
    "points",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Fit the transition points of a CSV file (columns depth, width, error) and plan by that fit.",
)
@output_options("table", "json")
def command(
    params: int | float | None,
    L: int | None,
    dx: int | None,
    configs: tuple[Path, ...],
    stack: str | None,
    table: str | None,
    points: Path | None,
    fmt: str,
    output: Path | None,
) -> None:
    """Optimal depth and width for a number of parameters, by the fit of Levine et al. 2020, section 5.

    The fit is empirical: trained networks of depths 6 to 48 with 2 heads and a vocabulary of 2000. Whatever lies
    beyond these depths is marked as extrapolated. Sizes count 12 L dx^2, the parameters without embeddings.

    \b
    seprank plan --params 175e9
    seprank plan --L 96 --dx 12288
    seprank plan --config config.json
    seprank plan --table gpt3
    seprank plan --fit points.csv
    """
    asked = _asked(params, L, dx, configs, table)
    if stack is not None and not configs:
        raise InvalidInput(f"stack goes with --config, got --stack {stack} without it")
    if asked is None and points is None:
        raise InvalidInput("params, L and dx, config, table or fit must be given, got none of them")

    from seprank.cli import plan_fit_page, plan_page
    from seprank.planning.transition_fit import PAPER_FIT

    line = None if points is None else fitted(points)
    terminal = None if output is None else False
    if asked is None and line is not None:
        emit(plan_fit_page.text(line, fmt, terminal), output)
        return
    fit = PAPER_FIT if line is None else line.fit
    cases = _cases(params, L, dx, configs, stack, fit)
    several = asked == "table" or len(cases) > 1
    emit(plan_page.several(cases, fmt, terminal) if several else plan_page.one(cases[0], fmt), output)


def _asked(
    params: int | float | None, L: int | None, dx: int | None, configs: tuple[Path, ...], table: str | None
) -> str | None:
    """What the plan is for: "params", "sizes", "config", "table" or None; more than one is refused."""
    if (L is None) != (dx is None):
        raise InvalidInput(f"L and dx must be given together, got {f'dx={dx}' if L is None else f'L={L}'} alone")
    given = {"params": params is not None, "sizes": L is not None, "config": bool(configs), "table": table is not None}
    names = [name for name, there in given.items() if there]
    if len(names) > 1:
        words = " and ".join({"sizes": "L and dx"}.get(name, name) for name in names)
        raise InvalidInput(f"one of params, L and dx, config, table must be given, got {words}")
    return names[0] if names else None


def _cases(
    params: int | float | None,
    L: int | None,
    dx: int | None,
    configs: tuple[Path, ...],
    stack: str | None,
    fit: TransitionFit,
) -> list[PlanCase]:
    if params is not None:
        return [budget_case(params, fit)]
    if L is not None and dx is not None:
        return [sized_case(L, dx, fit)]
    return [config_case(path, stack, fit) for path in configs] if configs else gpt3_cases(fit)
