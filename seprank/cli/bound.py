"""`seprank bound`: every known bound for one architecture, or one line each for several config files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.cli.options import (
    architecture_from,
    architecture_options,
    output_options,
    partition_from,
    partition_options,
    threads_option,
)
from seprank.cli.output import emit
from seprank.errors import InvalidInput, OutOfScope

if TYPE_CHECKING:
    from seprank.attention.config import ConfigReading


@click.command()
@architecture_options(required=False)
@click.option(
    "--config",
    "configs",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Read the sizes from a Hugging Face style config.json; several make a comparison.",
)
@click.option("--stack", type=click.Choice(["encoder", "decoder"]), help="Which stack of the config to read.")
@partition_options()
@output_options("table", "json", "csv", "latex")
@threads_option()
def command(
    L: int | None,
    dx: int | None,
    H: int | None,
    da: int | None,
    residual: bool,
    configs: tuple[Path, ...],
    stack: str | None,
    N: int | None,
    NA: int | None,
    NB: int | None,
    fmt: str,
    output: Path | None,
    threads: int | None,
) -> None:
    """Every known bound on the separation rank, with its scope and whether it holds for this case.

    Lower bounds hold for almost all weights, upper bounds for all. Without --N, --NA and --NB the input is long
    (at least dx tokens on each side). `seprank explain ID` explains a bound. Closed forms use one thread.

    \b
    seprank bound --L 4 --dx 128
    seprank bound --config config.json --N 64
    """
    partition = partition_from(N, NA, NB)
    given = {name: value for name, value in (("L", L), ("dx", dx), ("H", H), ("da", da)) if value is not None}
    if not configs:
        if stack is not None:
            raise InvalidInput(f"stack goes with --config, got --stack {stack} without it")
        if L is None and dx is None:
            raise InvalidInput("L and dx must be given with --L and --dx, or --config FILE in their place, got neither")
        _show([(architecture_from(L, dx, H, da, residual), None, "")], partition, fmt, output)
        return
    if given:
        sizes = ", ".join(f"{name}={value}" for name, value in given.items())
        raise InvalidInput(f"config excludes sizes on the command line, got {sizes} with --config")
    _show([_read(path, stack, residual) for path in configs], partition, fmt, output)


def _read(path: Path, stack: str | None, residual: bool) -> tuple[Architecture, ConfigReading, str]:
    from seprank.attention.config import read_config

    try:
        reading = read_config(path, stack=stack)
    except (InvalidInput, OutOfScope) as error:
        raise type(error)(f"{error} (in {path})" if str(path) not in str(error) else str(error)) from None
    sizes: dict[str, Any] = reading.architecture.as_dict() | {"residual": residual}
    label = f"{path.parent.name}/{path.name}" if path.name == "config.json" and path.parent.name else path.name
    return Architecture(**sizes), reading, label


def _show(
    cases: list[tuple[Architecture, ConfigReading | None, str]],
    partition: Partition | None,
    fmt: str,
    output: Path | None,
) -> None:
    from seprank.cli import bound_page
    from seprank.closed_forms.report import bounds

    pages = [bound_page.BoundPage(bounds(arch, partition), reading, label) for arch, reading, label in cases]
    terminal = None if output is None else False
    text = bound_page.one(pages[0], fmt, terminal) if len(pages) == 1 else bound_page.several(pages, fmt, terminal)
    emit(text, output)
