"""Some of the records of a store."""

from __future__ import annotations

from collections.abc import Iterable

from seprank.errors import InvalidInput
from seprank.study.ranges import head_counts, heads_at, whole_values
from seprank.study.record import STATUSES, Record


def selected(
    found: Iterable[Record],
    *,
    L: str | None = None,
    dx: str | None = None,
    H: str | None = None,
    status: str | None = None,
    key: str | None = None,
) -> list[Record]:
    """Those of these sizes (written as in `seprank.study.ranges`), of this status, and with keys that start like this.

    Raises `InvalidInput` for text that breaks a rule.
    """
    depths = None if L is None else set(whole_values("L", L))
    widths = None if dx is None else set(whole_values("dx", dx))
    heads = None if H is None else head_counts(H)
    if status is not None and status not in STATUSES:
        raise InvalidInput(f"status must be one of {', '.join(STATUSES)}, got {status!r}")
    return [
        record
        for record in found
        if (depths is None or record.L in depths)
        and (widths is None or record.dx in widths)
        and (heads is None or record.H in {heads_at(record.dx, entry) for entry in heads})
        and (status is None or record.status == status)
        and (key is None or record.key.startswith(key.lower()))
    ]
