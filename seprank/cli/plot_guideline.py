"""`seprank plot guideline`: draws `seprank.plots.guideline.guideline`."""

from __future__ import annotations

from pathlib import Path

import click

from seprank.cli.plot_options import draw, figure_option


@click.command()
@click.option(
    "--config",
    "configs",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Place the model of a Hugging Face style config.json; may be repeated.",
)
@click.option("--no-gpt3", is_flag=True, help="Leave out the GPT-3 models.")
@click.option(
    "--fit", "points", type=click.Path(path_type=Path), metavar="FILE", help="Draw the fit of these transition points."
)
@figure_option()
def command(configs: tuple[Path, ...], no_gpt3: bool, points: Path | None, output: Path) -> None:
    """Optimal size against depth with its error band, and real models placed on it.

    \b
    seprank plot guideline -o guideline.png
    seprank plot guideline --config config.json --no-gpt3 -o guideline.pdf
    """
    from seprank.cli.plan_cases import config_case, fitted
    from seprank.planning.gpt3 import gpt3_plans
    from seprank.planning.transition_fit import PAPER_FIT

    fit = PAPER_FIT if points is None else fitted(points).fit
    plans = {} if no_gpt3 else gpt3_plans(fit)
    for path in configs:
        case = config_case(path, None, fit)
        plans[case.name.removesuffix(".json").removesuffix("/config")] = case.plan
    draw(output, "guideline", plans, fit)
