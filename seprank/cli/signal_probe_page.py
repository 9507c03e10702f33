"""The result of `seprank signal probe` as text: table, JSON, CSV."""

from __future__ import annotations

import re
from typing import Any

from seprank.cli.output import to_csv, to_json
from seprank.signal.probe_table import Probe, shown

MAY_BE_CONSTANT = {
    "name": "name {}",
    "n": "n = {}",
    "d": "d = {}",
    "uniform": "uniform entropy {}",
    "mask": "mask {}",
    "logits": "logits from {}",
}


def text(found: Probe, fmt: str, for_terminal: bool | None) -> str:
    """The layers in the format asked for."""
    if fmt == "json":
        return to_json(document(found))
    if fmt == "csv":
        return to_csv(found.as_dicts())
    from seprank.cli.tables import to_table

    rows, same = _without_constants(_numbered([shown(row) for row in found]))
    heading = [found.heading, *(["in every layer: " + ", ".join(same)] if same else [])]
    table = to_table(rows, for_terminal=for_terminal)
    return "\n".join([*heading, "", table.rstrip("\n"), "", found.conclusion]) + "\n"


def _numbered(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Rows whose names differ in one number only, with this number beside the name that has a star in its place."""
    forms = {re.sub(r"[0-9]+", "*", str(row["name"])) for row in rows}
    form = forms.pop()
    if forms or form.count("*") != 1:
        return rows
    return [
        {"layer": row["layer"], "*": re.sub(r"[^0-9]", "", str(row["name"]))} | row | {"name": form} for row in rows
    ]


def _without_constants(rows: list[dict[str, object]]) -> tuple[list[dict[str, object]], list[str]]:
    """Rows without the columns that hold one value throughout, and these columns in words: narrow tables stay whole."""
    same = [name for name in MAY_BE_CONSTANT if len({row[name] for row in rows}) == 1]
    kept = [{name: value for name, value in row.items() if name not in same} for row in rows]
    return kept, [MAY_BE_CONSTANT[name].format(rows[0][name]) for name in same if rows[0][name] is not None]


def document(found: Probe) -> dict[str, Any]:
    """The layers as plain data: the schema ``seprank.signal.probe/1``."""
    return {
        "schema": "seprank.signal.probe/1",
        "model": found.model,
        "loss": found.loss,
        "loss_kind": found.loss_kind,
        "layers": found.as_dicts(),
        "unreached": list(found.unreached),
        "collapse_layer": found.collapse_layer,
        "conclusion": found.conclusion,
    }
