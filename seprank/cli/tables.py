"""Rows as a table for the terminal, and as a LaTeX table."""

from __future__ import annotations

import io
import re
import shutil
import sys
from collections.abc import Sequence

from seprank.cli.output import Row, cell, column_names

PIPED_WIDTH = 100
WIDEST_PIPED = 400
NARROWEST = 40

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≠": r"$\neq$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "∞": r"$\infty$",
    "→": r"$\to$",
    "≈": r"$\approx$",
    "−": "$-$",
    **{sign: "\\" + sign for sign in "&%$#_{}"},
}


def to_latex(rows: Sequence[Row], caption: str) -> str:
    """`rows` as a LaTeX table in the style of booktabs; columns of numbers are set to the right, all text is escaped.

    >>> print(to_latex([{"d_x": 8, "name": "a & b"}], caption="Ranks"), end="")
    \\begin{table}
      \\centering
      \\caption{Ranks}
      \\begin{tabular}{rl}
        \\toprule
        d\\_x & name \\\\
        \\midrule
        8 & a \\& b \\\\
        \\bottomrule
      \\end{tabular}
    \\end{table}
    """
    names = column_names(rows)
    cells = [[cell(row.get(name)) for name in names] for row in rows]
    columns = "".join("r" if _is_numeric(column) else "l" for column in zip(*cells, strict=True))
    lines = [f"    {' & '.join(map(latex_text, line))} \\\\" for line in (names, *cells)]
    return "\n".join(
        [
            "\\begin{table}",
            "  \\centering",
            f"  \\caption{{{latex_text(caption)}}}",
            f"  \\begin{{tabular}}{{{columns or 'l' * len(names)}}}",
            "    \\toprule",
            lines[0],
            "    \\midrule",
            *lines[1:],
            "    \\bottomrule",
            "  \\end{tabular}",
            "\\end{table}",
            "",
        ]
    )


def latex_text(text: str) -> str:
    """`text` with the characters that mean something to LaTeX escaped, on one line."""
    return "".join(_LATEX.get(sign, sign) for sign in " ".join(text.split()))


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
        numeric = bool(cells) and _is_numeric([line[index] for line in cells])
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


def _is_numeric(column: Sequence[str]) -> bool:
    return all(re.fullmatch(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?|", text) for text in column) and any(column)
