"""Options of the commands that draw figures of shaped transformers."""

from __future__ import annotations

from typing import Any

import click

from seprank.cli.options import Decorator, WholeNumber, add_options


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

    return add_options(
        *(
            click.option(
                f"--{name}",
                name,
                type=kind,
                default=defaults.get(name, 0),
                show_default=True,
                metavar=metavar,
                help=text,
            )
            for name, (kind, metavar, text) in kinds.items()
            if name in defaults or name == "seed"
        )
    )
