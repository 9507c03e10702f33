"""Options of the commands that draw figures of shaped transformers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from seprank.cli.options import Decorator, WholeNumber


def shaped_figure_options(**defaults: float) -> Decorator:
    """Add those of ``--n --depth --gamma --networks --paths`` that have a default here, and ``--seed``."""
    kinds: dict[str, tuple[Any, str, str]] = {
        "n": (WholeNumber(), "N", "Width."),
        "depth": (WholeNumber(), "D", "Layers."),
        "gamma": (float, "G", "Weight of the branches."),
        "networks": (WholeNumber(2), "K", "Networks of each kind."),
        "paths": (WholeNumber(2), "K", "Paths of the SDE."),
        "seed": (WholeNumber(0), "S", "Seed of all draws."),
    }

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for name, (kind, metavar, text) in reversed(kinds.items()):
            if name in defaults or name == "seed":
                default = defaults.get(name, 0)
                option = click.option(
                    f"--{name}", name, type=kind, default=default, show_default=True, metavar=metavar, help=text
                )
                function = option(function)
        return function

    return decorate
