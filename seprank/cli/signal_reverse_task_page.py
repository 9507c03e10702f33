"""The result of `seprank signal reverse-task` as text: table or JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from seprank.cli.numbers import short_float
from seprank.cli.output import to_json
from seprank.signal.reverse_task import ReverseResult, Trained

LEARNED, NOT_LEARNED = 0.95, 0.3  # shares of right digits; chance is 0.1


def text(result: ReverseResult, fmt: str, for_terminal: bool | None) -> str:
    """The result in the format asked for."""
    if fmt == "json":
        return to_json(document(result))
    from seprank.cli.tables import to_table

    table = to_table([_row(network) for network in result.networks], for_terminal=for_terminal)
    return "\n".join([_heading(result), "", table, *conclusion(result)]) + "\n"


def document(result: ReverseResult) -> dict[str, Any]:
    """The result as plain data: the schema ``seprank.signal.reverse-task/1``."""
    return {
        "schema": "seprank.signal.reverse-task/1",
        "task": asdict(result.task),
        "networks": [asdict(network) for network in result.networks],
        "notes": [note._asdict() for note in result.notes],
        "conclusion": conclusion(result),
    }


def conclusion(result: ReverseResult) -> list[str]:
    """One sentence for each branch scale."""
    return [_sentence(alpha, result.accuracies(alpha)) for alpha in dict.fromkeys(result.task.alphas)]


def _sentence(alpha: str, accuracies: list[float]) -> str:
    low, high = min(accuracies), max(accuracies)
    shown = f"{low:.2f}" if len(accuracies) == 1 else f"{low:.2f} to {high:.2f}"
    if low > LEARNED:
        words = f"learned, above {LEARNED}"
    elif high < NOT_LEARNED:
        words = f"not learned, below {NOT_LEARNED}"
    else:
        words = "between the two"
    return f"alpha = {alpha}: {words} (share of right digits {shown}, chance 0.10)."


def _heading(result: ReverseResult) -> str:
    task = result.task
    return (
        f"{task.L} POST-LN blocks, d = {task.d}, strings of {task.length} digits; Adam, {task.steps} steps of "
        f"{task.batch}, rate {task.rate:g}"
    )


def _row(network: Trained) -> dict[str, object]:
    return {
        "alpha": network.alpha,
        "seed": network.seed,
        "cosine at start": f"{network.start.cosine:.4f}",
        "query/value gradient at start": short_float(network.start.ratio, 2),
        "right digits at the end": f"{network.accuracy:.3f}",
    }
