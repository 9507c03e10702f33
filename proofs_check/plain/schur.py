"""Dimensions of polynomial functions of Gram matrices, from Schur functors by the hook-content formula."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from math import prod

Shape = tuple[int, ...]


def shapes(boxes: int, rows: int, widest: int | None = None) -> Iterator[Shape]:
    """Partitions of `boxes` into at most `rows` parts."""
    if boxes == 0:
        yield ()
    elif rows > 0:
        for first in range(min(boxes, widest or boxes), 0, -1):
            for rest in shapes(boxes - first, rows - 1, first):
                yield (first, *rest)


@cache
def functor_dimension(shape: Shape, d: int) -> int:
    """Product over the boxes of (d + content) / hook length."""
    columns = [sum(part > j for part in shape) for j in range(shape[0])] if shape else []
    boxes = [(i, j) for i, part in enumerate(shape) for j in range(part)]
    contents = prod(d + j - i for i, j in boxes)
    return contents // prod(shape[i] - j + columns[j] - i - 1 for i, j in boxes)


def dimension_sum(boxes: int, rows: int, d: int, chosen: Callable[[Shape], bool]) -> int:
    """Sum of the dimensions over partitions of `boxes` into at most `rows` parts that are `chosen`."""
    return sum(functor_dimension(shape, d) for shape in shapes(boxes, min(rows, d)) if chosen(shape))


def all_even(shape: Shape) -> bool:
    """Every part is even."""
    return not any(part % 2 for part in shape)


def one_odd(shape: Shape) -> bool:
    """Exactly one part is odd."""
    return sum(part % 2 for part in shape) == 1


@cache
def side_B(d: int, n: int, k: int) -> int:
    """D_B(k): polynomials of degree k in the Gram matrix of n tokens of width d."""
    return sum(functor_dimension(tuple(2 * part for part in shape), d) for shape in shapes(k, min(n, d)))


@cache
def side_A(d: int, n: int, c: int) -> int:
    """D_A(c): one of n tokens times polynomials of degree c in their Gram matrix."""
    found = set()
    for shape in shapes(c, min(n, d)):
        padded = (*(2 * part for part in shape), 0)
        grown = [(*padded[:row], padded[row] + 1, *padded[row + 1 :]) for row in range(len(padded))]
        found |= {tuple(filter(None, each)) for each in grown if list(each) == sorted(each, reverse=True)}
    return sum(functor_dimension(shape, d) for shape in found if len(shape) <= n)


def gram_terms(L: int, d: int, NA: int, NB: int) -> list[tuple[int, int]]:
    """The pairs (D_B(k), D_A(C - k)) for k = 0..C."""
    C = (3**L - 1) // 2
    return [(side_B(d, NB, k), side_A(d, NA, C - k)) for k in range(C + 1)]


def gram_bound(L: int, d: int, NA: int, NB: int) -> int:
    """Sum over the blocks of the smaller of the two sides."""
    return sum(map(min, gram_terms(L, d, NA, NB)))
