"""What `seprank hop train` prints: the errors of the trained model for every k, as a table, JSON or CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seprank.cli.output import to_csv, to_json
from seprank.cli.tables import to_table
from seprank.parallel.thresholds import ceiling_rule, floor_rule

if TYPE_CHECKING:
    from seprank.parallel.training import HopTraining


def text(run: HopTraining, fmt: str, for_terminal: bool | None) -> str:
    """The result in the format asked for."""
    if fmt == "json":
        return to_json(document(run))
    rows = _rows(run)
    return to_csv(rows) if fmt == "csv" else _page(run, rows, for_terminal)


def _rows(run: HopTraining) -> list[dict[str, Any]]:
    on = run.errors(dropout=True) if run.task.dropout else []
    rows: list[dict[str, Any]] = []
    for place, row in enumerate(run.errors()):
        rules = {"floor rule": floor_rule(row.k), "ceiling rule": ceiling_rule(row.k)} if row.k else {}
        found = {"k": row.k, "wrong": row.wrong, "scored": row.scored, "% wrong": f"{100 * row.error:.2f}"}
        more = {"% wrong, dropout on": f"{100 * on[place].error:.2f}"} if on else {}
        rows.append(found | more | rules)
    return rows


def _page(run: HopTraining, rows: list[dict[str, Any]], for_terminal: bool | None) -> str:
    from seprank.parallel.training import STRINGS, THREADS

    task = run.task
    lines = [
        f"depth {task.depth}, width {task.dx}, {task.H} head(s), N = {task.N}, seed {task.seed}",
        f"alphabet {task.alphabet}; {run.step} steps of {task.batch} strings, last loss {run.notes[-1].loss:.3g}",
        "",
        to_table(rows, for_terminal=for_terminal).rstrip("\n"),
        "",
        f"errors in evaluation mode (dropout off) on {STRINGS} fresh strings for each k, where hop_k is defined; "
        f"torch on {THREADS} thread",
        "rules: the depth of exact constructions, floor(log2 k) + 2 and ceil(log2 k) + 2",
        "an estimate for one seed: a model that errs may still learn with more steps",
    ]
    return "\n".join(lines)


def document(run: HopTraining) -> dict[str, Any]:
    """The result as plain values."""
    on = run.errors(dropout=True) if run.task.dropout else None
    return {
        "schema": "seprank.hop.train/1",
        **run.task.plain(),
        "steps": run.step,
        "mode": "eval",
        "errors": [{"k": row.k, "wrong": row.wrong, "scored": row.scored, "error": row.error} for row in run.errors()],
        "errors_dropout_on": None if on is None else [row.error for row in on],
        "notes": [
            {"step": note.step, "loss": note.loss, "wrong": list(note.wrong), "scored": list(note.scored)}
            for note in run.notes
        ],
    }
