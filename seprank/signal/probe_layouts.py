"""Where queries, keys and values lie in a fused projection, as lists of output rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from seprank.errors import InvalidInput
from seprank.validate import whole_number


@dataclass(frozen=True)
class Rows:
    """Output rows of a fused projection that make the queries, the keys and the values."""

    query: Sequence[int]
    key: Sequence[int]
    value: Sequence[int]


def stacked(out: int, query: int | None = None) -> Rows:
    """All queries, then all keys, then all values: `query` rows of the first (a third by default), the rest halved.

    GPT-2 (`c_attn`), Phi-3 (`qkv_proj`, fewer keys than queries), nn.MultiheadAttention, most vision models. Raises
    `InvalidInput` where the sizes do not fit.

    >>> stacked(4, query=2)
    Rows(query=range(0, 2), key=range(2, 3), value=range(3, 4))
    """
    out = whole_number("out", out)
    query = out // 3 if query is None else query
    rest = out - query
    if query < 1 or rest < 2 or rest % 2:
        raise InvalidInput(
            f"a fused projection must hold queries, keys and values, got {out} rows with {query} queries"
        )
    return Rows(range(query), range(query, query + rest // 2), range(query + rest // 2, out))


def grouped(out: int, heads: int, groups: int | None = None) -> Rows:
    """Group by group: the query heads of the group, its key head, its value head (`groups` = `heads`: head by head).

    GPT-NeoX, BLOOM and Falcon (`query_key_value`). Raises `InvalidInput` where the sizes do not fit.

    >>> grouped(6, heads=2)
    Rows(query=(0, 3), key=(1, 4), value=(2, 5))
    >>> grouped(4, heads=2, groups=1)
    Rows(query=(0, 1), key=(2,), value=(3,))
    """
    out, heads = whole_number("out", out), whole_number("heads", heads)
    groups = heads if groups is None else whole_number("groups", groups)
    members = heads // groups
    if heads % groups or out % (heads + 2 * groups):
        raise InvalidInput(
            f"a fused projection of {heads} heads in {groups} groups must have a multiple of {heads + 2 * groups} "
            f"rows, got {out}"
        )
    size = out // (heads + 2 * groups)
    parts: tuple[list[int], list[int], list[int]] = ([], [], [])
    for row in range(out):
        place = row // size % (members + 2)
        parts[max(0, place - members + 1)].append(row)
    return Rows(*map(tuple, parts))


def codegen(out: int) -> Rows:
    """CodeGen's order: four parts, each with its queries, values and keys."""
    rows = grouped(out, heads=4)
    return Rows(rows.query, rows.value, rows.key)
