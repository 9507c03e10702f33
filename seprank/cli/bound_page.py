"""The result of `seprank bound` as text: table, JSON, CSV, LaTeX, for one case or several."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from seprank.cli.numbers import json_real, short_real
from seprank.cli.output import to_csv, to_json
from seprank.closed_forms.report import Bound, BoundReport, Exact

if TYPE_CHECKING:
    from seprank.attention.config import ConfigReading

PIPED_WIDTH = 100
FREE_WEIGHTS = "proved for free weights; this model ties or removes some"
VALID = {True: "yes", False: "no", None: "unknown"}


@dataclass(frozen=True)
class BoundPage:
    """A report, and the config file that its sizes were read from, if any, with a short name of the file."""

    report: BoundReport
    reading: ConfigReading | None
    label: str = ""

    def scope(self, bound: Bound) -> str:
        """The scope, with the remark on tied weights where lower bounds need it."""
        return bound.scope if self.free or bound.kind == "upper" else f"{bound.scope}; {FREE_WEIGHTS}"

    @property
    def free(self) -> bool:
        """Whether the model's weights are free, as the lower bounds need."""
        return self.reading is None or self.reading.lower_bounds_proved_for_free_weights

    @property
    def exact(self) -> Exact | None:
        """The exact value; None for tied weights, of which only the upper bounds speak."""
        return self.report.exact if self.free else None

    @property
    def sizes(self) -> str:
        arch = self.report.architecture
        skip = ", with skip connections" if arch.residual else ""
        return f"L = {arch.L}, dx = {arch.dx}, H = {arch.H}, da = {arch.da}{skip}"

    @property
    def tokens(self) -> str:
        partition = self.report.partition
        return "long input (NA, NB >= dx)" if partition is None else f"NA = {partition.NA}, NB = {partition.NB}"


def one(page: BoundPage, fmt: str, for_terminal: bool | None) -> str:
    """One case in the format asked for."""
    if fmt == "json":
        return to_json(document(page))
    if fmt == "csv":
        return to_csv(list(_rows(page, plain=True)))
    from seprank.cli.tables import to_table
    from seprank.tabular import to_latex

    if fmt == "latex":
        caption = f"Bounds on the separation rank: {page.sizes}; {page.tokens}."
        return to_latex(list(_rows(page)), caption)
    rows = [{name: value for name, value in row.items() if name != "scope"} for row in _rows(page)]
    table = to_table(rows, for_terminal=for_terminal)
    parts = [*_heading(page), "", table.rstrip("\n"), "", *_conclusion(page), "", *_scopes(page, for_terminal)]
    return "\n".join(parts) + "\n"


def document(page: BoundPage) -> dict[str, Any]:
    """One case as plain data: the schema ``seprank.bound/1``."""
    report = page.report
    best_lower, best_upper, exact = report.best_lower, report.best_upper, page.exact
    partition = report.partition
    found: dict[str, Any] = {
        "schema": "seprank.bound/1",
        "architecture": report.architecture.as_dict(),
        "partition": {"NA": partition.NA if partition else None, "NB": partition.NB if partition else None},
        "regime": report.regime,
        "threshold": json_real(report.threshold),
        "bounds": [_bound(page, bound) for bound in report],
        "best_lower": best_lower.id if best_lower else None,
        "best_upper": best_upper.id if best_upper else None,
        "exact": None
        if exact is None
        else {"value": _digits(exact.value), "log3": json_real(exact.log3), "evidence": exact.evidence},
    }
    if page.reading is not None:
        reading = page.reading
        found["config"] = {
            "file": page.label,
            "name": reading.name,
            "stack": reading.stack or None,
            "read": {name: {"key": key, "value": value} for name, (key, value) in reading.read.items()},
            "ignored": [{"key": key, "reason": reason} for key, reason in reading.ignored],
            "remarks": list(reading.remarks),
            "lower_bounds_proved_for_free_weights": reading.lower_bounds_proved_for_free_weights,
        }
    return found


def _bound(page: BoundPage, bound: Bound) -> dict[str, Any]:
    return {
        "id": bound.id,
        "kind": bound.kind,
        "log3": json_real(bound.log3),
        "value": _digits(bound.value),
        "valid": bound.valid,
        "scope": page.scope(bound),
        "source": bound.source,
    }


def _digits(value: int | None) -> str | None:
    return None if value is None else str(value)


def in_order(report: BoundReport) -> list[Bound]:
    """Lower bounds from the best down, then upper bounds from the best up."""
    lower = sorted((bound for bound in report if bound.kind == "lower"), key=lambda bound: -bound.log3)
    upper = sorted((bound for bound in report if bound.kind == "upper"), key=lambda bound: bound.log3)
    return [*lower, *upper]


def _rows(page: BoundPage, plain: bool = False) -> Iterable[dict[str, object]]:
    report = page.report
    best = {bound.id for bound in (report.best_lower, report.best_upper) if bound is not None}
    for bound in in_order(report):
        row: dict[str, object] = {
            "bound": bound.id,
            "kind": bound.kind,
            "best": "*" if bound.id in best else "",
            "log3": short_real(bound.log3, 17 if plain else 12),
            "value": _digits(bound.value) or "",
            "valid": VALID[bound.valid],
            "scope": page.scope(bound),
        }
        yield row | ({"source": bound.source} if plain else {})


def _heading(page: BoundPage) -> list[str]:
    report = page.report
    lines = [f"{page.sizes}; {page.tokens}"]
    sign = {"depth-efficient": "<", "boundary": "=", "depth-inefficient": ">"}[report.regime]
    lines.append(
        f"regime: {report.regime}, L = {report.architecture.L} {sign} log3 dx = {short_real(report.threshold, 6)}"
    )
    if page.reading is not None:
        reading = page.reading
        read = ", ".join(f"{name} = {value} ({key})" for name, (key, value) in reading.read.items())
        lines.append(f"read from {page.label} ({reading.name}): {read}")
        if reading.ignored:
            lines.append("ignored: " + ", ".join(f"{key} ({reason})" for key, reason in reading.ignored))
        lines += [f"note: {remark}" for remark in reading.remarks]
    return lines


def _scopes(page: BoundPage, for_terminal: bool | None) -> list[str]:
    """Where each bound holds; in lines of its own, since sentences would crush the numbers in the table."""
    if for_terminal is None:
        for_terminal = sys.stdout is not None and sys.stdout.isatty()
    width = shutil.get_terminal_size((PIPED_WIDTH, 24)).columns if for_terminal else PIPED_WIDTH
    bounds = in_order(page.report)
    indent = max(len(bound.id) for bound in bounds) + 4
    lines = ["scope:"]
    for bound in bounds:
        lines += textwrap.wrap(
            f"  {bound.id:<{indent - 2}}{page.scope(bound)}",
            max(width, 2 * indent),
            subsequent_indent=" " * indent,
            break_on_hyphens=False,
        )
    return lines


def _conclusion(page: BoundPage) -> list[str]:
    report = page.report
    if page.exact is not None:
        value = _digits(page.exact.value) or f"3^{short_real(page.exact.log3)}"
        lines = [f"exact separation rank: {value}", f"evidence: {page.exact.evidence}"]
    else:
        lower, upper = report.best_lower, report.best_upper
        low = f"{short_real(lower.log3, 6)} ({lower.id})" if lower else "0"
        high = f"{short_real(upper.log3, 6)} ({upper.id})" if upper else "unknown"
        lines = [f"exact separation rank: not known; log3 lies between {low} and {high}"]
    if not page.free:
        lines.append(f"lower bounds: {FREE_WEIGHTS}")
    return [*lines, "* best valid bound; value: lower bounds rounded up, upper bounds down, where at most 60 digits"]


def several(pages: list[BoundPage], fmt: str, for_terminal: bool | None) -> str:
    """A comparison of several cases, one row each."""
    if fmt == "json":
        return to_json({"schema": "seprank.bound-comparison/1", "models": [document(page) for page in pages]})
    rows = [_summary(page) for page in pages]
    if fmt == "csv":
        return to_csv(rows)
    from seprank.cli.tables import to_table
    from seprank.tabular import to_latex

    if fmt == "latex":
        return to_latex(rows, f"Bounds on the separation rank: {pages[0].tokens}.")
    notes = [
        f"{page.reading.name}: {remark}"
        for page in pages
        if page.reading is not None
        for remark in page.reading.remarks
    ]
    table = to_table(rows, title=pages[0].tokens, for_terminal=for_terminal)
    return "\n".join([table.rstrip("\n"), "", *notes]).rstrip("\n") + "\n"


def _summary(page: BoundPage) -> dict[str, object]:
    report, arch = page.report, page.report.architecture
    lower, upper, exact = report.best_lower, report.best_upper, page.exact
    return {
        "file": page.label,
        "L": arch.L,
        "dx": arch.dx,
        "H": arch.H,
        "da": arch.da,
        "regime": report.regime,
        "log3 dx": short_real(report.threshold, 6),
        "best lower": lower.id if lower else "",
        "log3 lower": short_real(lower.log3, 9) if lower else "",
        "best upper": upper.id if upper else "",
        "log3 upper": short_real(upper.log3, 9) if upper else "",
        "exact": (_digits(exact.value) or "known") if exact else "",
        "weights": "free" if page.free else "tied",
    }
