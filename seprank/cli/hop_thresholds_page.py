"""What `seprank hop thresholds` prints: a table, or a JSON document."""

from __future__ import annotations

from typing import Any

from seprank.cli.tables import to_table
from seprank.parallel.measured import FRESH
from seprank.parallel.thresholds import CAVEAT, Threshold, ThresholdTable

SOURCES = {
    "authors": "the authors' table",
    "without dropout": "the authors' models evaluated without dropout",
    "own runs": "your runs, evaluated without dropout",
}


def rows(found: ThresholdTable) -> list[dict[str, object]]:
    """One row for each k: the smallest depth, both rules, and the errors in per cent."""
    return [
        {
            "k": row.k,
            "smallest depth": found_depth(row, found),
            "floor rule": row.floor_rule,
            "ceiling rule": row.ceiling_rule,
            **{
                f"% wrong, L={depth}": f"{100 * row.errors[depth]:.1f}" for depth in found.depths if depth in row.errors
            },
        }
        for row in found.rows
    ]


def found_depth(row: Threshold, found: ThresholdTable) -> object:
    """The smallest depth, or that it lies beyond the table."""
    return f"> {max(found.depths)}" if row.smallest is None else row.smallest


def page(found: ThresholdTable, source: str, for_terminal: bool | None) -> str:
    """The table with what it certifies."""
    kind = "fresh strings" if found.samples == FRESH else f"{found.samples} training strings"
    reach = ", ".join(f"depth {depth}: {k}" for depth, k in found.reach.items())
    lines = [
        f"smallest depth with an error below {found.level:g}, {SOURCES[source]}: {found.heads} heads, {kind}",
        "",
        to_table(rows(found), for_terminal=for_terminal).rstrip("\n"),
        "",
        f"largest k with all of 1..k below the level: {reach}",
        f"floor rule floor(log2 k) + 2:   {_share(found.floor_agrees)}",
        f"ceiling rule ceil(log2 k) + 2:  {_share(found.ceiling_agrees)}",
        "an estimate of trained models: an exact construction's depth does not bind them; 1 to 2 points are noise",
    ]
    return "\n".join(lines + ([f"caveat: {CAVEAT}"] if source == "authors" else []))


def _share(agrees: tuple[int, int]) -> str:
    return f"agrees for {agrees[0]} of the {agrees[1]} k whose rule is a depth of the table"


def document(found: ThresholdTable, source: str) -> dict[str, Any]:
    """The same as plain values."""
    return {
        "schema": "seprank.hop.thresholds/1",
        "source": source,
        "dropout_on": source == "authors",
        "heads": found.heads,
        "samples": None if found.samples == FRESH else found.samples,
        "level": found.level,
        "depths": list(found.depths),
        "thresholds": [
            {
                "k": row.k,
                "smallest_depth": row.smallest,
                "floor_rule": row.floor_rule,
                "ceiling_rule": row.ceiling_rule,
                "errors": {str(depth): error for depth, error in row.errors.items()},
            }
            for row in found.rows
        ],
        "reach": {str(depth): k for depth, k in found.reach.items()},
        "floor_agrees": list(found.floor_agrees),
        "ceiling_agrees": list(found.ceiling_agrees),
        "caveat": CAVEAT if source == "authors" else None,
    }
