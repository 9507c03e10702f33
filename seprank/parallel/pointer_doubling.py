"""Construction C1: constant width, one head, depth ``ceil(log2 k) + 2``: find the first link, then double pointers.

Two layers find find^1 (previous token, then last occurrence); every further one follows a stored pointer.
Source: docs/parallel.md, C1.
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
from seprank.parallel.decoder import Array, Head, Layer, Rows, Step
from seprank.validate import whole_number

# A and B are records (pointer, symbol) of find^(b-1) and find^b; pointer 0 stands for "undefined".
AT, WIDTH = columns(
    [
        ("one", 1),
        ("i", 1),
        ("place", 2),
        ("code", 2),
        ("code before", 2),
        ("X", 1),
        ("A", 2),
        ("B", 2),
        ("target", 2),
    ]
)


def schedule(k: int) -> list[int]:
    """The exponents b that the layers from the second on reach: ``k, ceil(k/2), ceil(k/4), ..., 1`` read backwards.

    >>> schedule(6)
    [1, 2, 3, 6]
    """
    found = [whole_number("k", k)]
    while found[-1] > 1:
        found.append((found[-1] + 1) // 2)
    return found[::-1]


def build_pointer_doubling(k: int, N: int, alphabet: int, dtype: str = "float64") -> Construction:
    """C1 for hop_k on strings of length `N`; raises `InvalidInput` for sizes, `OutOfScope` without margin.

    >>> build_pointer_doubling(k=3, N=8, alphabet=4).depth_formula
    4
    """
    k, N, alphabet = whole_number("k", k), whole_number("N", N), whole_number("alphabet", alphabet)
    gap, wheel = lead(N), N + 1
    look_up = gap / circle_gap(wheel)
    match = gap * wheel / code_gap(alphabet)
    largest = max(look_up, match + gap * N)
    refuse_without_margin("C1", largest, k, N, alphabet, dtype)
    reached = schedule(k)
    layers = [
        Layer((previous_token(AT, WIDTH, N, look_up, [AT["X"]]),), _write_code_before(alphabet), "previous token"),
        Layer((_last_occurrence(match, gap),), _write_first_link(alphabet, wheel, reached), "last occurrence"),
    ]
    for step, b in enumerate(reached[1:], start=1):
        layers.append(Layer((_follow(look_up),), _write_records(wheel, reached, step), f"follow to find^{b}"))
    return Construction(
        "C1",
        k,
        N,
        alphabet,
        dtype,
        tuple(layers),
        WIDTH,
        (k - 1).bit_length() + 2,  # ceil(log2 k) + 2
        largest,
        gap,
        lambda symbols: _embed(symbols, alphabet),
        _read,
    )


def previous_token(at: dict[str, int], width: int, N: int, scale: float, values: Sequence[int]) -> Head:
    """The head that reads `values` one position to the left: its query is the place, turned back by one step."""
    turn = 2 * math.pi / (N + 1)
    x, y = at["place"], at["place"] + 1
    query = np.zeros((width, 2))
    query[x] = scale * math.cos(turn), -scale * math.sin(turn)
    query[y] = scale * math.sin(turn), scale * math.cos(turn)
    return Head(query, matrix(width, [(x, 1), (y, 1)]), matrix(width, [(value, 1) for value in values]))


def _embed(symbols: NDArray[np.int64], alphabet: int) -> NDArray[np.float64]:
    N = symbols.shape[-1]
    state, rows = np.zeros((*symbols.shape, WIDTH)), Rows(np)
    state[..., AT["one"]] = 1
    state[..., AT["i"]] = np.arange(1, N + 1)
    state[..., AT["X"]] = symbols
    rows.circle(state, AT["place"], state[..., AT["i"]], N + 1)
    rows.circle(state, AT["code"], state[..., AT["X"]], alphabet)
    return state


def _write_code_before(alphabet: int) -> Step:
    def step(Z: Array, outputs: Sequence[Array], rows: Rows) -> Array:
        inside = Z[..., AT["i"]] > 1
        before = rows.nearest(outputs[0][..., 0], inside)
        new = 1 * Z
        rows.circle(new, AT["code before"], before, alphabet)
        for column in (AT["code before"], AT["code before"] + 1):
            new[..., column] = new[..., column] * inside
        return new

    return step


def _last_occurrence(match: float, gap: float) -> Head:
    code, before = AT["code"], AT["code before"]
    return Head(
        matrix(WIDTH, [(code, match), (code + 1, match), (AT["one"], gap)]),
        matrix(WIDTH, [(before, 1), (before + 1, 1), (AT["i"], 1)]),
        matrix(WIDTH, [(AT["i"], 1), (AT["X"], 1), (before, 1), (before + 1, 1)]),
    )


def _write_first_link(alphabet: int, wheel: int, reached: Sequence[int]) -> Step:
    def step(Z: Array, outputs: Sequence[Array], rows: Rows) -> Array:
        place, symbol = outputs[0][..., 0], outputs[0][..., 1]
        alike = Z[..., AT["code"]] * outputs[0][..., 2] + Z[..., AT["code"] + 1] * outputs[0][..., 3]
        # A linear functional of codes: a mixture of keys that do not match cannot reach 1.
        found = alike > 1 - code_gap(alphabet) / 2
        new = 1 * Z
        new[..., AT["A"]], new[..., AT["A"] + 1] = Z[..., AT["i"]], Z[..., AT["X"]]
        new[..., AT["B"]] = rows.nearest(place, found) * found
        new[..., AT["B"] + 1] = rows.nearest(symbol, found) * found
        return _aimed(new, rows, wheel, reached, 1)

    return step


def _follow(look_up: float) -> Head:
    target, place = AT["target"], AT["place"]
    return Head(
        matrix(WIDTH, [(target, look_up), (target + 1, look_up)]),
        matrix(WIDTH, [(place, 1), (place + 1, 1)]),
        matrix(WIDTH, [(AT["A"], 1), (AT["A"] + 1, 1), (AT["B"], 1), (AT["B"] + 1, 1)]),
    )


def _write_records(wheel: int, reached: Sequence[int], done: int) -> Step:
    def step(Z: Array, outputs: Sequence[Array], rows: Rows) -> Array:
        found = Z[..., AT[_followed(reached, done)]] > 0
        new = 1 * Z
        for column in range(4):
            new[..., AT["A"] + column] = rows.nearest(outputs[0][..., column], found) * found
        return _aimed(new, rows, wheel, reached, done + 1)

    return step


def _followed(reached: Sequence[int], step: int) -> str:
    """Which record the layer that goes from ``reached[step-1]`` to ``reached[step]`` follows."""
    return "B" if reached[step] % 2 == 0 else "A"


def _aimed(state: Array, rows: Rows, wheel: int, reached: Sequence[int], step: int) -> Array:
    """`state` with the place of the pointer that the next layer, if there is one, follows."""
    if step < len(reached):
        rows.circle(state, AT["target"], state[..., AT[_followed(reached, step)]], wheel)
    return state


def _read(state: Array, rows: Rows) -> Array:
    found = state[..., AT["B"]] > 0
    return rows.xp.where(found, state[..., AT["B"] + 1], rows.xp.full_like(state[..., AT["B"]], -1))
