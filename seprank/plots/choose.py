"""Which records of a store one figure shows: those of one number of heads, one kind of input, one variant."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from seprank.attention.partition import Partition
from seprank.errors import InvalidInput
from seprank.study.ranges import head_counts, heads_at, partition_at, token_counts
from seprank.study.record import Record


@dataclass(frozen=True)
class Choice:
    """What to show; None leaves it to the records. `H` and `N` are single values as `seprank sweep` takes them.

    `H` is a number of heads, "dx" (as many heads as the width) or "dx/2" and the like; `N` is "long" (dx tokens on each
    side), an even number of tokens or two sides such as "3+5"; `residual` whether with skip connections. Raises
    `InvalidInput` where `H` or `N` is no such value.

    >>> Choice(H="4", N="3+5")
    Choice(H=4, N='3+5', residual=None, variant='plain')
    """

    H: int | str | None = None
    N: int | str | None = None
    residual: bool | None = None
    variant: str = "plain"

    def __post_init__(self) -> None:
        for name, reader in (("H", head_counts), ("N", token_counts)):
            value = getattr(self, name)
            if value is not None:
                found = reader(value)
                if len(found) != 1 or (name == "N" and isinstance(found[0], int) and found[0] % 2):
                    rule = (
                        "one number, dx or dx/2" if name == "H" else "one even number, long, or two sides such as 3+5"
                    )
                    raise InvalidInput(f"{name} must be {rule}, got {value!r}")
                object.__setattr__(self, name, found[0])


@dataclass(frozen=True)
class Chosen:
    """The records of a choice, at most one for each (L, dx, H), with the choice in words and how many there are in all.

    `same` counts the records that fit the choice, repetitions included, `total` those it was made from.
    """

    records: tuple[Record, ...]
    words: str
    same: int
    total: int

    @property
    def note(self) -> str:
        """A sentence on the choice for the caption."""
        others = self.total - self.same
        return f"Shown: {self.words}." + (f" Other records in the store: {others}." if others else "")

    def out_of(self, records: Sequence[Record]) -> Chosen:
        """The same choice, said to be made from `records`."""
        return dataclasses.replace(self, total=len(records))


def chosen(records: Sequence[Record], choice: Choice, heads: bool = True) -> Chosen:
    """The records that `choice` names, the best of each (L, dx, H): the largest rank, else the closed forms.

    What the choice leaves open is settled by the records: no skip connections where there are such records, else the
    number of heads and the kind of input that most of them have (one head and long input if as many as any). With
    `heads` False every number of heads is kept. Raises `InvalidInput` where nothing is left.
    """
    kept = [record for record in records if record.variant == choice.variant and _has_numbers(record)]
    if not kept:
        raise InvalidInput(
            f"store must hold a rank or a bound of the variant {choice.variant!r} to draw, "
            f"got none in {len(records)} records"
        )
    residual = choice.residual if choice.residual is not None else min(record.residual for record in kept)
    kept = _only(kept, lambda record: record.residual == residual, f"residual = {residual}", "residual")
    words = [] if choice.variant == "plain" else [f"variant {choice.variant}"]
    words += ["with skip connections"] if residual else []
    if heads:
        H = choice.H if choice.H is not None else _usual((record.H for record in kept), 1)
        kept = _only(kept, lambda record: record.H == heads_at(record.dx, H), f"H = {H}", "H")
        words.append(f"H = {H}")
    N = choice.N if choice.N is not None else _usual(map(_tokens, kept), "long")
    kept = _only(kept, lambda record: _sides(record) == partition_at(record.dx, N), _words(N), "N", _tokens)
    words.append(_words(N))
    return Chosen(_best(kept), ", ".join(words), len(kept), len(records))


def _best(records: Iterable[Record]) -> tuple[Record, ...]:
    """The best record of each (L, dx, H): of several draws the largest rank counts, being a lower bound each."""
    best: dict[tuple[int, int, int], Record] = {}
    for record in records:
        place = (record.L, record.dx, record.H)
        if place not in best or _worth(record) > _worth(best[place]):
            best[place] = record
    return tuple(best[place] for place in sorted(best))


def log3(value: int) -> float:
    """The logarithm to base 3 of a whole number of any length."""
    return math.log(value) / math.log(3)


def power_text(value: int | None, log: float | None) -> str:
    """A number for a figure: up to six digits as it is, else as a power of 3; "" where there is none.

    >>> power_text(989, None), power_text(3**40, None), power_text(None, 12345.6)
    ('989', '$3^{\\\\mathrm{40}}$', '$3^{\\\\mathrm{1.2e4}}$')
    """
    if value is not None and value < 10**6:
        return str(value)
    log = log3(value) if value is not None else log
    if log is None:
        return ""
    digits, _, power = f"{log:.1e}".partition("e")
    exponent = f"{log:.3g}" if log < 1000 else f"{digits}e{int(power)}"
    return f"$3^{{\\mathrm{{{exponent}}}}}$"


def _has_numbers(record: Record) -> bool:
    return record.rank is not None or record.best_upper_log3 is not None


def _worth(record: Record) -> tuple[int, bool]:
    return (record.rank or 0, bool(record.certified_exact))


def _sides(record: Record) -> Partition:
    return Partition(record.NA, record.NB)


def _tokens(record: Record) -> int | str:
    """The input of a record as a choice states it."""
    if record.NA == record.NB:
        return "long" if record.NA == record.dx else 2 * record.NA
    return f"{record.NA}+{record.NB}"


def _words(N: int | str) -> str:
    if N == "long":
        return "long input (NA = NB = dx)"
    sides = str(N).partition("+")
    return f"NA = {sides[0]}, NB = {sides[2]} tokens" if sides[2] else f"N = {N} tokens"


def _usual(kinds: Iterable[Any], preferred: Any) -> Any:
    """The most frequent kind; the preferred one where it is as frequent as any."""
    count = Counter(kinds)
    return max(count, key=lambda kind: (count[kind], kind == preferred))


def _only(
    records: list[Record],
    wanted: Callable[[Record], bool],
    words: str,
    name: str,
    shown: Callable[[Record], object] | None = None,
) -> list[Record]:
    """The wanted records; where there is none, an error that lists what is there."""
    kept = [record for record in records if wanted(record)]
    if not kept:
        found = {str(shown(record) if shown else getattr(record, name)) for record in records}
        there = sorted(found, key=lambda text: (len(text), text))
        more = ", ..." if len(there) > 12 else ""
        raise InvalidInput(f"store must hold records with {words}, got {name} = {', '.join(there[:12])}{more}")
    return kept
