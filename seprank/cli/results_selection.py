"""Options that name a results store and some of its cases, shared by the commands of `seprank results`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from seprank.cli.options import Decorator, add_options

if TYPE_CHECKING:
    from seprank.study import Record


def selection_options() -> Decorator:
    """Add ``--store --L --dx --H --status --key``, passed as `store` and the rest to `selection`."""
    options = [
        click.option("--store", type=click.Path(path_type=Path), required=True, metavar="FILE", help="The store."),
        click.option("--L", "L", metavar="RANGE", help="Only these depths, such as 2 or 1:4."),
        click.option("--dx", "dx", metavar="RANGE", help="Only these widths."),
        click.option("--H", "H", metavar="RANGE", help="Only these numbers of heads, such as 1,dx."),
        click.option("--status", type=click.Choice(["done", "too-large", "error"]), help="Only cases of this status."),
        click.option("--key", metavar="HEX", help="Only cases whose key starts like this."),
    ]

    return add_options(*options)


def selection(store: Path, **chosen: str | None) -> list[Record]:
    """The records of the store that the options of `selection_options` choose."""
    from seprank.study import records
    from seprank.study.select import selected

    return selected(records(store), **chosen)
