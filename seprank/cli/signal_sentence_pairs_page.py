"""The result of `seprank signal sentence-pairs` as text: table or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from seprank.cli.numbers import short_float
from seprank.cli.output import to_json
from seprank.signal.sentence_files import Pair
from seprank.signal.sentence_pairs import LayerState, PairTask, Trained, trained_layers
from seprank.signal.training import Note

SHOWN = 12  # notes in the table


def text(trained: Trained, task: PairTask, pairs: Sequence[Pair], fmt: str, for_terminal: bool | None) -> str:
    """The training in the format asked for."""
    states = trained_layers(trained, pairs)
    if fmt == "json":
        return to_json(document(trained, task, pairs, states))
    from seprank.cli.tables import to_table

    notes = to_table([_note(note) for note in _some(trained.training.notes)], for_terminal=for_terminal)
    layers = to_table([_layer(number, state) for number, state in enumerate(states, 1)], for_terminal=for_terminal)
    return "\n".join([_heading(trained, task, pairs), "", notes, layers.rstrip("\n")]) + "\n"


def document(trained: Trained, task: PairTask, pairs: Sequence[Pair], states: Sequence[LayerState]) -> dict[str, Any]:
    """The training as plain data: the schema ``seprank.signal.sentence-pairs/1``."""
    return {
        "schema": "seprank.signal.sentence-pairs/1",
        "task": asdict(task),
        "pairs": len(pairs),
        "vocabularies": {"source": len(trained.source.words), "target": len(trained.target.words)},
        "notes": [
            {"step": note.step, "loss": note.loss[0], "accuracy": note.accuracy[0]} for note in trained.training.notes
        ],
        "layers": [{"layer": number, **state._asdict()} for number, state in enumerate(states, 1)],
    }


def _some(notes: Sequence[Note]) -> list[Note]:
    last, count = len(notes) - 1, min(len(notes), SHOWN)
    return [notes[round(index * last / max(1, count - 1))] for index in range(count)]


def _heading(trained: Trained, task: PairTask, pairs: Sequence[Pair]) -> str:
    sizes = task.sizes
    kind = "trained" if sizes.trainable else "fixed"
    return (
        f"{len(pairs)} pairs, {len(trained.source.words)} and {len(trained.target.words)} words; L = {sizes.L}, "
        f"d = {sizes.d}, H = {sizes.H}; layer norm {sizes.norm}, {kind} scales from {sizes.alpha1:.4g}, "
        f"tau = {sizes.tau:g}; {task.optimiser}, rate {task.rate:g}, {task.steps} steps of {task.batch}"
    )


def _note(note: Note) -> dict[str, object]:
    return {"step": note.step, "loss": f"{note.loss[0]:.4f}", "right words": f"{note.accuracy[0]:.3f}"}


def _layer(number: int, state: LayerState) -> dict[str, object]:
    return {
        "encoder layer": number,
        "alpha1": f"{state.alpha1:.4f}",
        "alpha2": f"{state.alpha2:.4f}",
        "cosine": "none" if state.cosine is None else f"{state.cosine:.4f}",
        "squared norm of a word": short_float(state.norm, 4),
    }
