"""Options that several commands share, and what they build: an `Architecture`, a `Partition`."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.cli.output import check_output
from seprank.errors import InvalidInput
from seprank.validate import whole_number

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class WholeNumber(click.ParamType):
    """A whole number in decimal digits, of any length, at least `least`.

    Raises `InvalidInput` with the line of `whole_number`, so that commands and library say the same.
    """

    name = "whole number"

    def __init__(self, least: int = 1) -> None:
        self.least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """`value` as an int."""
        name = "value" if param is None or param.name is None else param.name
        if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]+", value):
            try:
                value = int(value)
            except ValueError:
                raise InvalidInput(f"{name} has {len(value)} digits, more than Python is set to read") from None
        return whole_number(name, value, least=self.least)


def architecture_options(required: bool = True, residual: bool = True) -> Decorator:
    """Add ``--L --dx --H --da --residual``, passed as `L`, `dx`, `H`, `da`, `residual` to `architecture_from`.

    With ``required=False``, `L` and `dx` may be left out, for commands that can read a config file instead. `H` is
    None when it is not given, so that such a command can tell. With ``residual=False`` there is no ``--residual``, for
    commands whose networks have skip connections in any case.
    """
    skip = [click.option("--residual", is_flag=True, help="Layers add their input (skip connections).")]
    return add_options(
        click.option("--L", "L", type=WholeNumber(), metavar="L", required=required, help="Depth: number of layers."),
        click.option("--dx", "dx", type=WholeNumber(), metavar="DX", required=required, help="Width."),
        click.option("--H", "H", type=WholeNumber(), metavar="H", help="Number of heads.  [default: 1]"),
        click.option("--da", "da", type=WholeNumber(), metavar="DA", help="Head size.  [default: dx / H]"),
        *(skip if residual else []),
    )


def architecture_from(
    L: int | None, dx: int | None, H: int | None = None, da: int | None = None, residual: bool = False
) -> Architecture:
    """The architecture that the options of `architecture_options` describe.

    >>> architecture_from(L=2, dx=8, H=2)
    Architecture(L=2, dx=8, H=2, da=4, residual=False)
    """
    for name, value in (("L", L), ("dx", dx)):
        if value is None:
            raise InvalidInput(f"{name} must be given with --{name}, got no such option")
    return Architecture(L=L, dx=dx, H=1 if H is None else H, da=da, residual=residual)  # type: ignore[arg-type]


def partition_options() -> Decorator:
    """Add ``--N --NA --NB``, passed as `N`, `NA`, `NB` to `partition_from`."""
    return add_options(
        click.option("--N", "N", type=WholeNumber(2), metavar="N", help="Positions, even: half on each side."),
        click.option("--NA", "NA", type=WholeNumber(), metavar="NA", help="Positions on side A; needs --NB."),
        click.option("--NB", "NB", type=WholeNumber(), metavar="NB", help="Positions on side B; needs --NA."),
    )


def partition_from(N: int | None, NA: int | None, NB: int | None) -> Partition | None:
    """The partition that the options of `partition_options` describe; None where none of them is given.

    >>> partition_from(6, None, None)
    Partition(NA=3, NB=3)
    """
    sides = " ".join(f"{name}={value}" for name, value in (("NA", NA), ("NB", NB)) if value is not None)
    if N is not None and sides:
        raise InvalidInput(f"N excludes NA and NB, got N={N} with {sides}")
    if N is not None:
        return Partition.balanced(N)
    if NA is None and NB is None:
        return None
    if NA is None or NB is None:
        raise InvalidInput(f"NA and NB must be given together, got {sides} alone")
    return Partition(NA, NB)


def output_options(*formats: str) -> Decorator:
    """Add ``--format`` (one of `formats`, the first by default; passed as `fmt`) and ``--output`` (passed as `output`).

    An output path that cannot be written to is refused at once, before anything is computed.
    """
    return add_options(
        click.option(
            "--format", "fmt", type=click.Choice(formats), default=formats[0], show_default=True, help="Output format."
        ),
        click.option(
            "--output",
            "output",
            type=click.Path(path_type=Path),
            metavar="FILE",
            callback=_checked_output,
            help="Write to FILE instead of standard output, in one step.",
        ),
    )


def config_options() -> Decorator:
    """Add ``--config --stack``: the file that sizes are read from in place of ``--L`` and ``--dx``."""
    return add_options(
        click.option(
            "--config",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Read the sizes from a Hugging Face style config.json, in place of --L and --dx.",
        ),
        click.option("--stack", type=click.Choice(["encoder", "decoder"]), help="Which stack of the config to read."),
    )


def threads_option() -> Decorator:
    """Add ``--threads K``, passed as `threads`; None stands for the number of usable cores."""
    return add_options(
        click.option("--threads", "threads", type=WholeNumber(), metavar="K", help="Threads.  [default: usable cores]")
    )


def _checked_output(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path | None:
    check_output(value)
    return value


def add_options(*options: Decorator) -> Decorator:
    """One decorator that adds `options`, shown by the help in this order."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate
