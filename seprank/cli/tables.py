"""Rows as a table for the terminal."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Sequence

from seprank.tabular import Row, cell, column_names, is_numeric

PIPED_WIDTH = 100
WIDEST_PIPED = 400
NARROWEST = 40


def to_table(rows: Sequence[Row], title: str | None = None, for_terminal: bool | None = None) -> str:
    """`rows` as a table of text.

    In a terminal (`for_terminal`, by default whether standard output is one) it has the terminal's width, bold
    headings and cells that wrap. Elsewhere it has no colour and is as wide as it needs to be, from 100 to 400
    columns. No cell is ever cut short.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    if for_terminal is None:
        for_terminal = sys.stdout is not None and sys.stdout.isatty()
    names = column_names(rows)
    cells = [[cell(row.get(name)) for name in names] for row in rows]
    plain = not (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
    table = Table(title=None if title is None else Text(title), title_justify="left", title_style="")
    table.box = box.ASCII2 if plain else box.SIMPLE_HEAD
    for index, name in enumerate(names):
        numeric = bool(cells) and is_numeric([line[index] for line in cells])
        table.add_column(Text(name), overflow="fold", justify="right" if numeric else "left")
    for line in cells:
        table.add_row(*map(Text, line))
    file = io.StringIO()
    console = Console(file=file, width=WIDEST_PIPED, force_terminal=for_terminal, highlight=False, legacy_windows=False)
    console.width = _width(int(console.measure(table).maximum), for_terminal)
    console.print(table)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()).strip("\n") + "\n"


def _width(natural: int, for_terminal: bool) -> int:
    if for_terminal:
        return max(NARROWEST, shutil.get_terminal_size((PIPED_WIDTH, 24)).columns)
    return min(WIDEST_PIPED, max(PIPED_WIDTH, natural))
