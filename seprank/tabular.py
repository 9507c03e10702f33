"""Rows of named values as a LaTeX table and as an HTML table: what pages, files and notebooks show."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence

Row = Mapping[str, object]

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


def column_names(rows: Sequence[Row]) -> list[str]:
    """The keys of all rows, in the order of their first appearance."""
    return list(dict.fromkeys(key for row in rows for key in row))


def cell(value: object) -> str:
    """`value` as the text of one cell: None is empty, Booleans are ``true`` and ``false``."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def is_numeric(column: Sequence[str]) -> bool:
    """Whether a column holds numbers or nothing, and a number at least once; such columns are set to the right."""
    return all(re.fullmatch(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?|", text) for text in column) and any(column)


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
    columns = "".join("r" if is_numeric(column) else "l" for column in zip(*cells, strict=True))
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


def to_html(rows: Sequence[Row], caption: str) -> str:
    """`rows` as an HTML table with a caption, all text escaped; columns of numbers are set to the right.

    >>> print(to_html([{"k": 0, "bound": "<3"}], caption="Ranks"))
    <table><caption>Ranks</caption>
    <tr><th>k</th><th>bound</th></tr>
    <tr><td style="text-align: right">0</td><td style="text-align: left">&lt;3</td></tr>
    </table>
    """
    names = column_names(rows)
    cells = [[cell(row.get(name)) for name in names] for row in rows]
    sides = ["right" if is_numeric(column) else "left" for column in zip(*cells, strict=True)]
    lines = [f"<table><caption>{html.escape(caption)}</caption>"]
    lines += ["<tr>" + "".join(f"<th>{html.escape(name)}</th>" for name in names) + "</tr>"]
    for line in cells:
        data = (
            f'<td style="text-align: {side}">{html.escape(text)}</td>' for side, text in zip(sides, line, strict=True)
        )
        lines.append(f"<tr>{''.join(data)}</tr>")
    return "\n".join([*lines, "</table>"])
