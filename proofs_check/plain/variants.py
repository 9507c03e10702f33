"""Networks of other kinds in whole numbers, position by position as their definitions read, reduced at the end.

Weights and tokens are nested lists or arrays of whole numbers. Nothing here is fast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

Vector = list[int]


class Head(NamedTuple):
    """The four matrices of a head, each a list of rows."""

    query: Any
    key: Any
    value: Any
    output: Any


class Activation(NamedTuple):
    """The block ``z -> down (up z)^power``."""

    up: Any
    down: Any
    power: int


def heads_of(arrays: Any) -> list[list[Head]]:
    """The heads of every layer, from query, key, value and output arrays ``(L, H, ., .)``."""
    query, key, value, output = ([layer.tolist() for layer in array] for array in arrays)
    return [[Head(*head) for head in zip(*layer, strict=True)] for layer in zip(query, key, value, output, strict=True)]


def attention_output(
    layers: Sequence[Sequence[Head]],
    tokens: Sequence[Vector],
    position: int,
    *,
    causal: bool = False,
    residual: bool = False,
    activations: Sequence[Activation] | None = None,
    prime: int,
) -> Vector:
    """The output vector at `position` (from 0) of the tokens, each entry reduced modulo `prime` after every layer."""
    x = [[int(entry) for entry in token] for token in tokens]
    for number, heads in enumerate(layers):
        y = []
        for i in range(len(x)):
            seen = x[: i + 1] if causal else x
            out = [0] * len(x[i])
            for head in heads:
                asked = applied(head.query, x[i])
                for other in seen:
                    score = sum(a * b for a, b in zip(asked, applied(head.key, other), strict=True))
                    out = [
                        a + score * b
                        for a, b in zip(out, applied(head.output, applied(head.value, other)), strict=True)
                    ]
            if activations is not None:
                block = activations[number]
                out = applied(block.down, [entry**block.power for entry in applied(block.up, out)])
            if residual:
                out = [a + b for a, b in zip(out, x[i], strict=True)]
            y.append([entry % prime for entry in out])
        x = y
    return x[position]


def embedded(matrix: Any, tokens: Sequence[Vector]) -> list[Vector]:
    """The matrix applied to every token."""
    return [applied(matrix, token) for token in tokens]


def tree_output(first: Any, middle: Sequence[Any], row: Vector, tokens: Sequence[Vector], prime: int) -> int:
    """The binary tree on `tokens`: `first` maps tokens to channels, products of neighbours, `middle` between layers."""

    def node(start: int, stop: int, level: int) -> Vector:
        if level == 0:
            return [int(entry) for entry in tokens[start]]
        matrix = first if level == 1 else middle[level - 2]
        half = (start + stop) // 2
        left, right = node(start, half, level - 1), node(half, stop, level - 1)
        return [a * b % prime for a, b in zip(applied(matrix, left), applied(matrix, right), strict=True)]

    root = node(0, len(tokens), len(tokens).bit_length() - 1)
    return sum(a * b for a, b in zip(row, root, strict=True)) % prime


def chain_output(enter: Sequence[Any], again: Sequence[Any], row: Vector, tokens: Sequence[Vector], prime: int) -> int:
    """The recurrent circuit, one layer after the other over the whole text."""
    sequence = [[int(entry) for entry in token] for token in tokens]
    for into, back in zip(enter, again, strict=True):
        states: list[Vector] = []
        for vector in sequence:
            mapped = applied(into, vector)
            if states:
                mapped = [a * b for a, b in zip(mapped, applied(back, states[-1]), strict=True)]
            states.append([entry % prime for entry in mapped])
        sequence = states
    return sum(a * b for a, b in zip(row, sequence[-1], strict=True)) % prime


def applied(matrix: Any, vector: Sequence[int]) -> Vector:
    """A matrix, a list of rows, times a vector."""
    return [sum(int(a) * int(b) for a, b in zip(row, vector, strict=True)) for row in matrix]


def interleaved(order: str, side_A: Sequence[Vector], side_B: Sequence[Vector]) -> list[Vector]:
    """The tokens of the two sides in the places that the letters of `order` give them."""
    rest = {"A": iter(side_A), "B": iter(side_B)}
    return [[int(entry) for entry in next(rest[side])] for side in order]


def value_matrix(value: Callable[[Any, Any], int], tokens_A: Any, tokens_B: Any) -> list[list[int]]:
    """`value` for every pair of assignments."""
    return [[value(a, b) for b in tokens_B] for a in tokens_A]
