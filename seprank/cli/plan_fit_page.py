"""A fit of transition points as text: table and JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from seprank.cli.output import to_json
from seprank.cli.plan_page import fit_document, fit_lines, short
from seprank.planning.least_squares import LineFit, TransitionPoint


def text(line: LineFit, fmt: str, for_terminal: bool | None) -> str:
    """The fitted line, its measures and its points in the format asked for."""
    if fmt == "json":
        return to_json(document(line))
    from seprank.cli.tables import to_table

    r2 = "not defined, all widths are equal" if line.r2 is None else f"{line.r2:.4f}"
    table = to_table(list(_rows(line)), for_terminal=for_terminal).rstrip("\n")
    lines = [
        *fit_lines(line.fit),
        f"correlation of a and b: {line.correlation:.3f}",
        f"chi-square: {short(line.chi2)} with {line.df} degrees of freedom, reduced {short(line.chi2_reduced)}",
        f"R^2: {r2} (weights 1 / error^2, about the weighted mean)",
        *(f"note: {remark}" for remark in remarks(line)),
    ]
    return "\n".join([table, "", *lines]) + "\n"


def document(line: LineFit) -> dict[str, Any]:
    """The schema ``seprank.plan-fit/1``."""
    return {
        "schema": "seprank.plan-fit/1",
        "fit": fit_document(line.fit),
        "correlation": line.correlation,
        "chi2": line.chi2,
        "df": line.df,
        "chi2_reduced": line.chi2_reduced,
        "r2": line.r2,
        "points": [
            {"depth": point.depth, "width": point.width, "error": point.error, "pull": pull(line, point)}
            for point in line.points
        ],
        "remarks": list(remarks(line)),
    }


def remarks(line: LineFit) -> Iterable[str]:
    """What a user should know before planning by this fit."""
    if line.chi2 > line.df + 3 * math.sqrt(2 * line.df):
        yield "the points scatter more than their errors say, so the errors of the fit are too small"
    if line.fit.b <= line.fit.error_b:
        yield "b is not above its standard error, so no depth follows from a size"


def pull(line: LineFit, point: TransitionPoint) -> float:
    """How many errors the point lies above the line."""
    return (math.log(point.width) - line.fit.log_width(point.depth)) * point.width / point.error


def _rows(line: LineFit) -> Iterable[dict[str, object]]:
    for point in line.points:
        yield {
            "depth": point.depth,
            "width": short(point.width),
            "error": short(point.error),
            "fitted width": short(line.fit.width(point.depth)),
            "pull": f"{pull(line, point):.2f}",
        }
