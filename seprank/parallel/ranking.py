"""Construction C3: constant width, depth ``floor(log2 k) + 2``, two heads in the first two layers: search by rank.

A start token serves as a sink, from whose weight a position reads how often its symbol has come so far, its rank. A
record (symbol, rank) names a position, and the next link is the position behind the one with the rank one less.
Source: docs/parallel.md, C3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from seprank.parallel.construction import (
    Construction,
    circle_gap,
    code_gap,
    columns,
    lead,
    matrix,
    refuse_without_margin,
)
from seprank.parallel.counting import binary_schedule
from seprank.parallel.decoder import Array, Head, Layer, Rows, Step
from seprank.parallel.pointer_doubling import previous_token
from seprank.validate import whole_number

# The first two layers use one layout, the later ones another in the same columns; A and B are records (symbol, rank),
# rank 0 stands for "undefined". Row 0 is the start token.
EARLY, WIDTH = columns(
    [
        ("one", 1),
        ("start", 1),
        ("i", 1),
        ("place", 2),
        ("code", 2),
        ("X", 1),
        ("code before", 2),
        ("rank", 1),
    ]
)
LATE, LATE_WIDTH = columns(
    [
        ("one", 1),
        ("code before", 2),
        ("rank before", 2),
        ("A", 2),
        ("B", 2),
        ("code wanted", 2),
        ("rank wanted", 2),
    ]
)
MOST = max(WIDTH, LATE_WIDTH)


def build_ranking(k: int, N: int, alphabet: int, dtype: str = "float64") -> Construction:
    """C3 for hop_k on strings of length `N`; raises `InvalidInput` for sizes, `OutOfScope` without margin.

    >>> found = build_ranking(k=7, N=30, alphabet=4)
    >>> found.depth_formula, found.width, found.heads
    (4, 13, 2)
    """
    k, N, alphabet = whole_number("k", k), whole_number("N", N), whole_number("alphabet", alphabet)
    gap, wheel = lead(N), N + 1
    pair_gap = math.log(16 * wheel**2)  # the other keys are not ordered by distance
    look_up, alike = gap / circle_gap(wheel), gap / code_gap(alphabet)
    match, by_symbol, by_rank = alike * wheel, pair_gap / code_gap(alphabet), pair_gap / circle_gap(wheel)
    largest = max(look_up, match + gap * N, by_symbol + by_rank)
    refuse_without_margin("C3", largest, k, N, alphabet, dtype)
    digits = binary_schedule(k)
    back = previous_token(EARLY, MOST, N, look_up, [EARLY["X"]])
    back_rank = previous_token(EARLY, MOST, N, look_up, [EARLY["rank"]])
    layers = [
        Layer((back, _sink(alike)), _write_rank(alphabet), "previous token, own rank"),
        Layer(
            (_last_occurrence(match, gap), back_rank),
            _write_records(alphabet, wheel, _query(digits, 1)),
            "last occurrence, rank before",
        ),
    ]
    for place in range(1, len(digits)):
        query = _query(digits, place)
        layers.append(
            Layer(
                (_search(by_symbol, by_rank),),
                _write_found(alphabet, wheel, query or "A", _query(digits, place + 1)),
                f"search from {query}",
            )
        )
    return Construction(
        "C3",
        k,
        N,
        alphabet,
        dtype,
        tuple(layers),
        MOST,
        k.bit_length() + 1,  # floor(log2 k) + 2
        largest,
        gap,
        lambda symbols: _embed(symbols, alphabet),
        _read,
    )


def _query(digits: Sequence[int], place: int) -> str | None:
    """Which record the layer of a binary digit searches from; None behind the last one."""
    return None if place >= len(digits) else ("B" if digits[place] else "A")


def _embed(symbols: NDArray[np.int64], alphabet: int) -> NDArray[np.float64]:
    N = symbols.shape[-1]
    state, rows = np.zeros((*symbols.shape[:-1], N + 1, MOST)), Rows(np)
    state[..., EARLY["one"]] = 1
    state[..., 0, EARLY["start"]] = 1
    state[..., EARLY["i"]] = np.arange(N + 1)
    state[..., 1:, EARLY["X"]] = symbols
    rows.circle(state, EARLY["place"], state[..., EARLY["i"]], N + 1)
    rows.circle(state, EARLY["code"], state[..., EARLY["X"]], alphabet)
    for column in (EARLY["code"], EARLY["code"] + 1):
        state[..., 0, column] = 0
    return state


def _sink(alike: float) -> Head:
    """Equal weights on the start token and on all positions with the same symbol so far."""
    code = EARLY["code"]
    return Head(
        matrix(MOST, [(code, alike), (code + 1, alike), (EARLY["one"], alike)]),
        matrix(MOST, [(code, 1), (code + 1, 1), (EARLY["start"], 1)]),
        matrix(MOST, [(EARLY["start"], 1)]),
    )


def _write_rank(alphabet: int) -> Step:
    def step(Z: Array, outputs: Sequence[Array], rows: Rows) -> Array:
        inside = Z[..., EARLY["i"]] > 0
        behind = Z[..., EARLY["i"]] > 1
        before = rows.nearest(outputs[0][..., 0], behind)
        new = 1 * Z
        rows.circle(new, EARLY["code before"], before, alphabet)
        for column in (EARLY["code before"], EARLY["code before"] + 1):
            new[..., column] = new[..., column] * behind
        new[..., EARLY["rank"]] = rows.nearest(1 / outputs[1][..., 0] - 1, inside) * inside
        return new

    return step


def _last_occurrence(match: float, gap: float) -> Head:
    code, before = EARLY["code"], EARLY["code before"]
    return Head(
        matrix(MOST, [(code, match), (code + 1, match), (EARLY["one"], gap)]),
        matrix(MOST, [(before, 1), (before + 1, 1), (EARLY["i"], 1)]),
        matrix(MOST, [(EARLY["X"], 1), (EARLY["rank"], 1)]),
    )


def _write_records(alphabet: int, wheel: int, then: str | None) -> Step:
    def step(Z: Array, outputs: Sequence[Array], rows: Rows) -> Array:
        inside = Z[..., EARLY["i"]] > 0
        behind = Z[..., EARLY["i"]] > 1
        found = inside & (Z[..., EARLY["rank"]] > 1.5)
        new = 0 * Z
        new[..., LATE["one"]] = Z[..., EARLY["one"]]
        rows.circle(new, LATE["rank before"], rows.nearest(outputs[1][..., 0], behind), wheel)
        for column in (0, 1):
            new[..., LATE["code before"] + column] = Z[..., EARLY["code before"] + column]
            new[..., LATE["rank before"] + column] = new[..., LATE["rank before"] + column] * behind
        new[..., LATE["A"]], new[..., LATE["A"] + 1] = Z[..., EARLY["X"]], Z[..., EARLY["rank"]]
        for part in (0, 1):
            new[..., LATE["B"] + part] = rows.nearest(outputs[0][..., part], found) * found
        return _aimed(new, rows, alphabet, wheel, then)

    return step


def _search(by_symbol: float, by_rank: float) -> Head:
    """The position behind the one whose symbol and rank are wanted: both codes must agree."""
    code, rank, before, rank_before = (
        LATE[name] for name in ("code wanted", "rank wanted", "code before", "rank before")
    )
    return Head(
        matrix(MOST, [(code, by_symbol), (code + 1, by_symbol), (rank, by_rank), (rank + 1, by_rank)]),
        matrix(MOST, [(before, 1), (before + 1, 1), (rank_before, 1), (rank_before + 1, 1)]),
        matrix(MOST, [(LATE["A"] + part, 1) for part in range(4)]),
    )


def _write_found(alphabet: int, wheel: int, query: str, then: str | None) -> Step:
    def step(Z: Array, outputs: Sequence[Array], rows: Rows) -> Array:
        found = Z[..., LATE[query] + 1] > 1.5
        new = 1 * Z
        for part in range(4):
            new[..., LATE["A"] + part] = rows.nearest(outputs[0][..., part], found) * found
        return _aimed(new, rows, alphabet, wheel, then)

    return step


def _aimed(state: Array, rows: Rows, alphabet: int, wheel: int, record: str | None) -> Array:
    """`state` with the codes of what the next layer searches: the symbol of a record, and its rank less one."""
    if record is not None:
        rows.circle(state, LATE["code wanted"], state[..., LATE[record]], alphabet)
        rows.circle(state, LATE["rank wanted"], state[..., LATE[record] + 1] - 1, wheel)
    return state


def _read(state: Array, rows: Rows) -> Array:
    found = state[..., 1:, LATE["B"] + 1] > 0.5
    symbol = state[..., 1:, LATE["B"]]
    return rows.xp.where(found, symbol, rows.xp.full_like(symbol, -1))
