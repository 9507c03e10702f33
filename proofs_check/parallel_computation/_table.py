"""The authors' counts read by hand, and the two rules for the smallest depth."""

from __future__ import annotations

from functools import cache
from pathlib import Path

Cells = dict[tuple[int, int, int, int], tuple[int, int]]  # depth, heads, samples, k -> wrong, scored


@cache
def cells(name: str) -> Cells:
    """A file of the package, line by line."""
    import seprank

    folder = Path(str(seprank.__file__)).parent / "parallel" / "data"
    found = {}
    for line in (folder / name).read_text(encoding="utf-8").splitlines():
        if line[0].isdigit():
            numbers = [int(word) for word in line.split(",")]
            found[tuple(numbers[:4])] = (numbers[4], numbers[5])
    return found  # type: ignore[return-value]


def smallest_depth(found: Cells, heads: int, k: int, per_cent: int) -> int | None:
    """The least depth whose error is below the level, models of fresh samples."""
    depths = sorted(depth for depth, h, samples, hops in found if (h, samples, hops) == (heads, -1, k))
    good = [d for d in depths if 100 * found[d, heads, -1, k][0] < per_cent * found[d, heads, -1, k][1]]
    return good[0] if good else None


def floor_rule(k: int) -> int:
    """floor(log2 k) + 2."""
    return k.bit_length() + 1


def ceiling_rule(k: int) -> int:
    """ceil(log2 k) + 2."""
    return (k - 1).bit_length() + 2
