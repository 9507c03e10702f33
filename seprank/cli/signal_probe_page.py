"""The result of `seprank signal probe` as text: table, JSON, CSV."""

from __future__ import annotations

from typing import Any

from seprank.cli.output import to_csv, to_json
from seprank.signal.probe_table import Probe, shown


def text(found: Probe, fmt: str, for_terminal: bool | None) -> str:
    """The layers in the format asked for."""
    if fmt == "json":
        return to_json(document(found))
    if fmt == "csv":
        return to_csv(found.as_dicts())
    from seprank.cli.tables import to_table

    table = to_table([shown(row) for row in found], for_terminal=for_terminal)
    return "\n".join([found.heading, "", table.rstrip("\n"), "", found.conclusion]) + "\n"


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
