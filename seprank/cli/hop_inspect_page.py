"""What `seprank hop inspect` prints: one row for every head."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from seprank.cli.tables import to_table

if TYPE_CHECKING:
    from seprank.parallel.inspection import HeadLook
    from seprank.parallel.training import HopTraining


def rows(heads: Sequence[HeadLook]) -> list[dict[str, object]]:
    """One row a head: what it looks at, and the share of weight on every target."""
    return [
        {
            "layer": look.layer,
            "head": look.head,
            "looks at": look.looks_at,
            **{name: f"{share:.2f}" for name, share in look.shares.items()},
        }
        for look in heads
    ]


def page(run: HopTraining, k: int, strings: int, heads: Sequence[HeadLook], for_terminal: bool | None) -> str:
    """The table with what it is."""
    from seprank.parallel.inspection import CLEAR

    task = run.task
    lines = [
        f"depth {task.depth}, width {task.dx}, {task.H} head(s), N = {task.N}, {run.step} steps; asked for hop_{k}",
        "",
        to_table(rows(heads), for_terminal=for_terminal).rstrip("\n"),
        "",
        f"share of a row's attention on each target: means over {strings} string(s), evaluation mode (dropout off)",
        f"equal weights would give {heads[0].uniform:.2f}; 'spread': no target has a share of {CLEAR:g}",
        "targets may coincide, so that a row may add up to more than 1",
    ]
    return "\n".join(lines)


def document(run: HopTraining, k: int, strings: int, seed: int, heads: Sequence[HeadLook]) -> dict[str, Any]:
    """The same as plain values, with the cosines of the authors."""
    return {
        "schema": "seprank.hop.inspect/1",
        "task": run.task.plain(),
        "steps": run.step,
        "k": k,
        "strings": strings,
        "seed": seed,
        "mode": "eval",
        "uniform": heads[0].uniform,
        "heads": [
            {
                "layer": look.layer,
                "head": look.head,
                "looks_at": look.looks_at,
                "shares": look.shares,
                "cosines": look.cosines,
            }
            for look in heads
        ],
    }
