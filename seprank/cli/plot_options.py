"""What the commands of `seprank plot` share: the output file, the store, and which records of it are shown."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seprank.cli.options import Decorator, add_options
from seprank.cli.output import check_output, emit_bytes
from seprank.errors import InvalidInput

if TYPE_CHECKING:
    from seprank.plots.choose import Choice
    from seprank.study.record import Record

FORMATS = ("png", "svg", "pdf")


def figure_option() -> Decorator:
    """Add ``-o FILE``, passed as `output` to `draw`; a file that cannot be written is refused before any work."""
    return click.option(
        "-o",
        "--output",
        "output",
        required=True,
        type=click.Path(path_type=Path),
        metavar="FILE",
        callback=checked_figure,
        help="File to draw into: .png, .svg or .pdf.",
    )


def store_option() -> Decorator:
    """Add ``--store FILE``, passed as `store` to `stored`."""
    return click.option(
        "--store", required=True, type=click.Path(path_type=Path), metavar="FILE", help="Results store of a sweep."
    )


def choice_options(heads: bool = True) -> Decorator:
    """Add ``--H --N --residual --variant``, passed under these names to `choice`; without `heads` no ``--H``."""
    options = [
        click.option("--H", "H", metavar="H", help="Heads: a number, dx or dx/2.  [default: 1]"),
        click.option("--N", "N", metavar="N", help="Tokens: long, a number, or sides such as 3+5.  [default: long]"),
        click.option("--residual", is_flag=True, help="Networks with skip connections."),
        click.option("--variant", default="plain", show_default=True, metavar="NAME", help="Variant of the network."),
    ]

    return add_options(*(options if heads else options[1:]))


def choice(N: str | None, residual: bool, variant: str, H: str | None = None) -> Choice:
    """The choice that the options of `choice_options` describe."""
    from seprank.plots.choose import Choice

    return Choice(H=H, N=N, residual=residual or None, variant=variant)


def stored(store: Path) -> list[Record]:
    """The records of a store, of which there must be one at least."""
    from seprank.study import records

    found = records(store)
    if not found:
        raise InvalidInput(f"store must hold a finished case to draw, got none in {str(store)!r}")
    return found


def draw(output: Path, name: str, *arguments: Any) -> None:
    """Call ``seprank.plots.<name>.<name>`` and write its figure to `output` in one step, in the format of its ending.

    Raises `InvalidInput` without matplotlib.
    """
    try:
        module = importlib.import_module(f"seprank.plots.{name}")
        from seprank.plots.canvas import image
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "matplotlib":
            raise
        raise InvalidInput(
            "a figure needs matplotlib, got an environment without it: pip install 'seprank[plots]'"
        ) from None
    emit_bytes(image(getattr(module, name)(*arguments), output.suffix[1:].lower()), output)


def checked_figure(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path | None:
    """A file that a figure can be drawn into, or None; anything else is `InvalidInput`, before any work."""
    if value is None:
        return None
    if value.suffix[1:].lower() not in FORMATS:
        raise InvalidInput(f"{param.name} must end in .png, .svg or .pdf, got {str(value)!r}")
    check_output(value)
    return value
