"""Which records of a store one figure shows: those of one number of heads, one kind of input, one variant."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from seprank.errors import InvalidInput
from seprank.study.record import Record

Heads = int | Literal["dx"]
Tokens = int | Literal["long"]


@dataclass(frozen=True)
class Choice:
    """What to show; None leaves it to the records.

    `H` is a number of heads or "dx" (as many heads as the width), `N` a number of tokens, half of them (rounded down)
    on side A, or "long" (dx on each side), `residual` whether with skip connections.
    """

    H: Heads | None = None
    N: Tokens | None = None
    residual: bool | None = None
    variant: str = "plain"


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
    kept = _only(kept, lambda record: record.residual == residual, f"residual = {residual}", "residual", _residual)
    words = ["with skip connections"] if residual else []
    if heads:
        H = choice.H if choice.H is not None else _usual((record.H for record in kept), 1)
        kept = _only(kept, lambda record: record.H == (record.dx if H == "dx" else H), f"H = {H}", "H", _heads)
        words.append(f"H = {H}")
    N = choice.N if choice.N is not None else _usual(map(_kind, kept), "long")
    kept = _only(kept, lambda record: _has_tokens(record, N), _tokens(N), "N", _shown_tokens)
    words.append(_tokens(N))
    best: dict[tuple[int, int, int], Record] = {}
    for record in kept:
        place = (record.L, record.dx, record.H)
        if place not in best or _worth(record) > _worth(best[place]):
            best[place] = record
    return Chosen(tuple(best[place] for place in sorted(best)), ", ".join(words), len(kept), len(records))


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


def _is_long(record: Record) -> bool:
    return record.NA == record.NB == record.dx


def _kind(record: Record) -> Tokens | tuple[int, int]:
    return "long" if _is_long(record) else (record.NA, record.NB)


def _usual(kinds: Iterable[Any], preferred: Any) -> Any:
    """The most frequent kind; the preferred one where it is as frequent as any."""
    count = Counter(kinds)
    return max(count, key=lambda kind: (count[kind], kind == preferred))


def _has_tokens(record: Record, N: Tokens | tuple[int, int]) -> bool:
    if N == "long":
        return _is_long(record)
    return (record.NA, record.NB) == (N if isinstance(N, tuple) else (N // 2, N - N // 2))


def _tokens(N: Tokens | tuple[int, int]) -> str:
    if N == "long":
        return "long input (NA = NB = dx)"
    NA, NB = N if isinstance(N, tuple) else (N // 2, N - N // 2)
    return f"N = {NA + NB} tokens" if NA == NB else f"NA = {NA}, NB = {NB} tokens"


def _only(
    records: list[Record],
    wanted: Callable[[Record], bool],
    words: str,
    name: str,
    shown: Callable[[Record], str],
) -> list[Record]:
    kept = [record for record in records if wanted(record)]
    if not kept:
        there = sorted({shown(record) for record in records}, key=lambda text: (len(text), text))
        more = ", ..." if len(there) > 12 else ""
        raise InvalidInput(f"store must hold records with {words}, got {name} = {', '.join(there[:12])}{more}")
    return kept


def _residual(record: Record) -> str:
    return str(record.residual)


def _heads(record: Record) -> str:
    return str(record.H)


def _shown_tokens(record: Record) -> str:
    if _is_long(record):
        return "long"
    return f"{record.NA + record.NB}" if 0 <= record.NB - record.NA <= 1 else f"{record.NA}+{record.NB}"
