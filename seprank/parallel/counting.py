"""Construction C2: one head, width O(alphabet), depth ``floor(log2 k) + 2`` for every k: search by exact counts.

A record names a position by its symbol and by how often that symbol came before; the next link is the first position
with that count. Counts can be held in two digits, which keeps the logits smaller. Source: docs/parallel.md, C2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from seprank.parallel.construction import Construction, columns, lead, matrix, refuse_without_margin
from seprank.parallel.decoder import Array, Head, Layer, Rows, Step
from seprank.validate import whole_number


def binary_schedule(k: int) -> list[int]:
    """The binary digits of k, highest first: one layer each.

    >>> binary_schedule(6)
    [1, 1, 0]
    """
    return [int(digit) for digit in f"{whole_number('k', k):b}"]


class _Layout:
    """Columns of the state: records (flag, symbol, count), the query, the counts with their squares."""

    def __init__(self, N: int, alphabet: int, digits: int) -> None:
        self.alphabet = alphabet
        self.digits = digits
        self.base = N + 1 if digits == 1 else math.isqrt(N) + 1
        parts = [("one", 1), ("i", 1), ("e", alphabet)]
        parts += [(f"s{digit}", alphabet) for digit in range(digits)]
        parts += [(f"a{digit}", alphabet) for digit in range(digits)]
        self.at, self.width = columns([*parts, ("squares", alphabet), ("A", 3), ("B", 3)])

    def place_values(self, counts: Array, xp: object) -> list[Array]:
        """Counts as digits in the base, lowest first."""
        if self.digits == 1:
            return [counts]
        high = xp.floor(counts / self.base)  # type: ignore[attr-defined]
        return [counts - high * self.base, high]


def build_counting(k: int, N: int, alphabet: int, dtype: str = "float64", digits: int = 1) -> Construction:
    """C2 for hop_k, with counts in one number or in two `digits`.

    Raises `InvalidInput` for sizes, `OutOfScope` where the number type cannot resolve the logits.

    >>> build_counting(k=5, N=30, alphabet=4).depth_formula, build_counting(k=5, N=30, alphabet=4).width
    (4, 24)
    """
    k, N, alphabet = whole_number("k", k), whole_number("N", N), whole_number("alphabet", alphabet)
    layout = _Layout(N, alphabet, whole_number("digits", digits, most=2))
    gap = lead(N)
    scale = gap * (N + 1)
    largest, in_two_digits = (
        scale * number * min(N, math.isqrt(N) + 1 if number == 2 else N) ** 2 + gap * N for number in (digits, 2)
    )
    refuse_without_margin("C2", largest, k, N, alphabet, dtype, in_two_digits)
    schedule = binary_schedule(k)
    layers = [Layer((_average(layout),), _write_counts(layout), "count symbols")]
    for place, digit in enumerate(schedule):
        query = "B" if place and digit else "A"
        then = None if place + 1 == len(schedule) else ("B" if schedule[place + 1] else "A")
        layers.append(
            Layer(
                (_search(layout, scale, gap),),
                _write_found(layout, query, place == 0, then),
                f"search from {query}",
            )
        )
    return Construction(
        "C2",
        k,
        N,
        alphabet,
        dtype,
        tuple(layers),
        layout.width,
        k.bit_length() + 1,  # floor(log2 k) + 2
        largest,
        gap,
        lambda symbols: _embed(layout, symbols),
        lambda state, rows: _read(layout, state, rows),
    )


def _embed(layout: _Layout, symbols: NDArray[np.int64]) -> NDArray[np.float64]:
    state = np.zeros((*symbols.shape, layout.width))
    state[..., layout.at["one"]] = 1
    state[..., layout.at["i"]] = np.arange(1, symbols.shape[-1] + 1)
    e = layout.at["e"]
    state[..., e : e + layout.alphabet] = np.eye(layout.alphabet)[symbols]
    return state


def _average(layout: _Layout) -> Head:
    """Equal weights on all positions so far: the query is zero."""
    e = layout.at["e"]
    values = matrix(layout.width, [(e + c, 1) for c in range(layout.alphabet)])
    one = matrix(layout.width, [(layout.at["one"], 1)])
    return Head(0 * one, one, values)


def _write_counts(layout: _Layout) -> Step:
    at, size = layout.at, layout.alphabet

    def step(Z: Array, outputs: Sequence[Array], rows: Rows) -> Array:
        e = slice(at["e"], at["e"] + size)
        total = outputs[0] * Z[..., at["i"], None]
        counts = rows.nearest(total, total == total) - Z[..., e]  # strictly earlier
        new = 1 * Z
        squares = 0 * counts
        for digit, values in enumerate(layout.place_values(counts, rows.xp)):
            new[..., at[f"a{digit}"] : at[f"a{digit}"] + size] = values
            squares = squares + values * values
        new[..., at["squares"] : at["squares"] + size] = squares
        new[..., at["A"]] = 1
        new[..., at["A"] + 1] = _symbol(layout, Z)
        new[..., at["A"] + 2] = (counts * Z[..., e]).sum(-1)
        return _aimed(layout, new, "A", rows)

    return step


def _symbol(layout: _Layout, Z: Array) -> Array:
    symbol = 0 * Z[..., 0]
    for c in range(layout.alphabet):
        symbol = symbol + c * Z[..., layout.at["e"] + c]
    return symbol


def _search(layout: _Layout, scale: float, gap: float) -> Head:
    """``-scale |a_j,c - s|**2 - gap j``, multiplied out, without the part that is constant along a row."""
    at, symbols = layout.at, range(layout.alphabet)
    query = [(at["e"] + c, -scale) for c in symbols]
    key = [(at["squares"] + c, 1.0) for c in symbols]
    for digit in range(layout.digits):
        query += [(at[f"s{digit}"] + c, 2 * scale) for c in symbols]
        key += [(at[f"a{digit}"] + c, 1.0) for c in symbols]
    query.append((at["one"], -gap))
    key.append((at["i"], 1.0))
    values = [(at["A"] + part, 1.0) for part in range(6)]
    return Head(matrix(layout.width, query), matrix(layout.width, key), matrix(layout.width, values))


def _write_found(layout: _Layout, query: str, first: bool, then: str | None) -> Step:
    at = layout.at

    def step(Z: Array, outputs: Sequence[Array], rows: Rows) -> Array:
        found = (Z[..., at[query]] > 0.5) & (Z[..., at[query] + 2] > 0.5)
        new = 1 * Z
        for part in range(3):
            if first:
                new[..., at["B"] + part] = rows.nearest(outputs[0][..., part], found) * found
            else:
                new[..., at["A"] + part] = rows.nearest(outputs[0][..., part], found) * found
                new[..., at["B"] + part] = rows.nearest(outputs[0][..., 3 + part], found) * found
        return new if then is None else _aimed(layout, new, then, rows)

    return step


def _aimed(layout: _Layout, state: Array, record: str, rows: Rows) -> Array:
    """`state` with the query of the next layer: the symbol of a record as a unit vector, and its count times that."""
    at = layout.at
    symbol, count = state[..., at[record] + 1], state[..., at[record] + 2]
    digits = layout.place_values(count, rows.xp)
    for c in range(layout.alphabet):
        here = 1.0 * (symbol == c)
        state[..., at["e"] + c] = here
        for digit, value in enumerate(digits):
            state[..., at[f"s{digit}"] + c] = value * here
    return state


def _read(layout: _Layout, state: Array, rows: Rows) -> Array:
    found = state[..., layout.at["B"]] > 0.5
    symbol = state[..., layout.at["B"] + 1]
    return rows.xp.where(found, symbol, rows.xp.full_like(symbol, -1))
