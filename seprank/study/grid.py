"""Grids of cases: all combinations of some sizes, without those that make no sense."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

from seprank.attention.architecture import Architecture
from seprank.errors import InvalidInput
from seprank.field.primes import DEFAULT_PRIME
from seprank.study.case import Case
from seprank.study.ranges import Text, head_counts, heads_at, partition_at, token_counts, whole_values

MOST_CASES = 1_000_000
_NO_DIVISION = "H does not divide dx"
_ODD = "N is odd"


@dataclass(frozen=True)
class Grid:
    """Cases to measure, how many combinations were skipped for which reason, and how many were there twice."""

    cases: tuple[Case, ...]
    skipped: Mapping[str, int] = field(default_factory=dict)
    repeated: int = 0


def grid(
    L: Text,
    dx: Text,
    H: Text = "1",
    N: Text = "long",
    *,
    residual: bool = False,
    method: str | None = None,
    prime: int = DEFAULT_PRIME,
    seed: int = 0,
) -> Grid:
    """All cases with these sizes, written as in `seprank.study.ranges`; ranges include both ends.

    Combinations in which H does not divide dx, and odd N, are counted and skipped. Raises `InvalidInput`.

    >>> found = grid(L="1:2", dx="2:4", H="1,2,dx")
    >>> len(found.cases), found.skipped, found.repeated
    (14, {'H does not divide dx': 2}, 2)
    """
    sides = whole_values("L", L), whole_values("dx", dx), head_counts(H), token_counts(N)
    wanted = 1
    for values in sides:
        wanted *= len(values)
    if wanted > MOST_CASES:
        raise InvalidInput(f"the grid must have at most {MOST_CASES} cases, got {wanted}")
    skipped: Counter[str] = Counter()
    found: dict[str, Case] = {}
    draw = {"method": method, "prime": prime, "seed": seed}
    for arch, tokens in _combinations(sides, residual, skipped):
        partition = partition_at(arch.dx, tokens)
        if partition is None:
            skipped[_ODD] += 1
            continue
        case = Case(arch, partition, **draw)  # type: ignore[arg-type]
        found.setdefault(case.key, case)
    return Grid(tuple(found.values()), dict(skipped), wanted - sum(skipped.values()) - len(found))


def _combinations(
    sides: tuple[tuple[int, ...], tuple[int, ...], tuple[int | str, ...], tuple[int | str, ...]],
    residual: bool,
    skipped: Counter[str],
) -> Iterator[tuple[Architecture, int | str]]:
    for L, dx, heads, tokens in product(*sides):
        H = heads_at(dx, heads)
        if H is None or dx % H:
            skipped[_NO_DIVISION] += 1
        else:
            yield Architecture(L, dx, H, residual=residual), tokens
