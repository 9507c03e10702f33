"""The word form of Lemma 1: the network as a sum of products of weight matrices and ``C(L)`` Gram matrices.

``Y^(L) = sum over h in [H]^C of B^(0,h) M^(1,h) B^(1,h) ... M^(C,h) B^(C,h) X`` with the tokens as the columns of ``X``
and every ``M`` one copy of the Gram matrix ``X X^T``. A layer puts ``W X`` in place of ``X`` in
``O_h V_h (X X^T) K_h^T Q_h X``, for the word ``W`` of the layers before it: that gives ``C(L+1) = 3 C(L) + 1``.
Source: levine2020depth, Lemma 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product as choices
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.attention.architecture import Architecture
from seprank.attention.poly_network import gram_matrix, product, transpose
from seprank.attention.poly_symbols import (
    Layers,
    Matrix,
    numeric_layers,
    reader,
    sparse_ring,
    symbolic_layers,
    token_names,
    token_rows,
    weight_names,
)
from seprank.attention.weights import Weights
from seprank.errors import InvalidInput, OutOfScope, TooLarge
from seprank.validate import whole_number

DEEPEST = 9
MOST_PRODUCTS = 100_000


@dataclass(frozen=True)
class Factor:
    """The weight matrix `matrix` (``Q``, ``K``, ``V`` or ``O``) of layer `layer`, in the head chosen in slot `slot`.

    Layers and slots count from 1. It prints as ``K2[h3]^T`` when `transposed`.
    """

    matrix: str
    layer: int
    slot: int
    transposed: bool = False

    def __str__(self) -> str:
        return f"{self.matrix}{self.layer}[h{self.slot}]{'^T' if self.transposed else ''}"


Link = tuple[Factor, ...]


@dataclass(frozen=True)
class Word:
    """The word of depth `L`: the links ``B^(0) ... B^(C)``, each a product of factors. Build it with `word_form`.

    Slot ``c`` of the heads belongs to the Gram factor number ``c``: ``h`` runs over ``[H]^C``.
    """

    L: int
    links: tuple[Link, ...]

    @property
    def C(self) -> int:
        """The number of Gram factors, ``(3**L - 1) / 2``: one between each link and the next."""
        return len(self.links) - 1

    def __str__(self) -> str:
        body = " M ".join(" ".join(map(str, link)) for link in self.links)
        return f"Y^({self.L}) = sum over h in [H]^{self.C} of {body} X, with M = X X^T"

    def after_layer(self) -> Word:
        """The word with one more layer.

        >>> print(word_form(1).after_layer() == word_form(2))
        True
        """
        C, layer = self.C, self.L + 1
        write = (Factor("O", layer, C + 1), Factor("V", layer, C + 1))
        read = (Factor("K", layer, C + 1, True), Factor("Q", layer, C + 1))
        first, second, third = self.links, _mirrored(self.links, 2 * C + 2), _shifted(self.links, 2 * C + 1)
        left = (write + first[0], *first[1:])
        middle = (*second[:-1], second[-1] + read + third[0])
        return Word(layer, (*left, *middle, *third[1:]))

    def product(self, layers: Layers, tokens: Matrix, heads: Sequence[int], zero: Any = 0) -> Matrix:
        """The one summand with the head ``heads[c-1]`` (from 0) in slot ``c``, of shape ``(dx, N)``.

        `tokens` has shape ``(N, dx)`` and `layers` is as `seprank.attention.poly_symbols` fills it; entries are from
        any commutative ring with that `zero`. Raises `InvalidInput` unless there are `C` heads.
        """
        H = len(layers[0])
        if len(heads) != self.C or any(not 0 <= head < H for head in heads):
            raise InvalidInput(f"heads must be {self.C} numbers from 0 to {H - 1}, got {list(heads)}")
        gram, found = gram_matrix(tokens, zero), transpose(tokens)
        for number, link in enumerate(reversed(self.links)):
            found = product(gram, found, zero) if number else found
            for factor in reversed(link):
                found = product(_matrix(layers, heads, factor), found, zero)
        return found

    def evaluate(self, layers: Layers, tokens: Matrix, zero: Any = 0) -> Matrix:
        """``Y^(L)`` of shape ``(dx, N)``: the sum over all choices of heads; column `i` is the output at position `i`.

        Arguments as in `product`. Raises `TooLarge` for more than 100000 summands.

        >>> layers = [[{name: [[1]] for name in "QKVO"}]]
        >>> word_form(1).evaluate(layers, [[2], [1]])
        [[10, 5]]
        """
        if len(layers) != self.L:
            raise InvalidInput(f"layers must be the {self.L} of the word, got {len(layers)}")
        H = len(layers[0])
        if H > 1 and (self.C > 20 or H**self.C > MOST_PRODUCTS):
            raise TooLarge(
                f"the word form has H**C = {H}**{self.C} summands, more than {MOST_PRODUCTS}: take smaller L, H"
            )
        return reduce(_sum, (self.product(layers, tokens, heads, zero) for heads in choices(range(H), repeat=self.C)))


def word_form(L: int) -> Word:
    """The word of Lemma 1 at depth `L` (1 to 9): it is the same for every width, head count and head size.

    Raises `InvalidInput` for a depth that is not a whole number, `TooLarge` above 9.

    >>> print(word_form(1))
    Y^(1) = sum over h in [H]^1 of O1[h1] V1[h1] M K1[h1]^T Q1[h1] X, with M = X X^T
    >>> word_form(3).C
    13
    """
    L = whole_number("L", L)
    if L > DEEPEST:
        raise TooLarge(f"the word has about 3**L / 2 Gram factors and is written out for L at most {DEEPEST}, got {L}")
    word = Word(0, ((),))
    for _ in range(L):
        word = word.after_layer()
    return word


def word_polynomial(architecture: Architecture, N: int, domain: str | int = "ZZ") -> list[list[Any]]:
    """``Y^(L)`` of Lemma 1 in symbolic tokens and weights, shape ``(dx, N)``: to compare with `network_polynomial`.

    The entries are elements of the ring that `network_polynomial` uses for the same arguments. For small sizes.
    Raises `OutOfScope` for residual networks, which Lemma 1 does not cover, and `TooLarge` for too many words.

    >>> from seprank.attention.polynomial import network_polynomial
    >>> sizes = Architecture(L=2, dx=1, H=2, da=1)
    >>> word_polynomial(sizes, N=2)[0][1] == network_polynomial(sizes, N=2, position=1).value
    True
    """
    _refuse_residual(architecture)
    names = token_names(whole_number("N", N), architecture.dx)
    ring = sparse_ring(names + weight_names(architecture), domain)
    entries = iter(ring.gens)
    tokens = [[next(entries) for _ in range(architecture.dx)] for _ in range(N)]
    layers = symbolic_layers(architecture, list(entries))
    return word_form(architecture.L).evaluate(layers, tokens, ring.zero)


def word_values(weights: Weights, tokens: ArrayLike) -> NDArray[Any]:
    """The output ``(N, dx)`` at whole-number tokens ``(N, dx)``, as Python ints, by the word form: exact.

    The same numbers as `seprank.attention.layer.forward_integers`, by another road. Raises `InvalidInput` for tokens of
    another shape or floating-point weights, `OutOfScope` for residual networks, `TooLarge` for too many words.

    >>> word_values(Weights.from_arrays(*[[[[[1]]]]] * 4), [[2], [1]]).tolist()
    [[10], [5]]
    """
    weights.require_integer()
    _refuse_residual(weights.architecture)
    read = reader("ZZ", sparse_ring(["x"], "ZZ"))
    rows = [[int(read("tokens", entry)) for entry in row] for row in token_rows(tokens, weights.architecture.dx)]
    layers = numeric_layers(weights, lambda name, number: number)
    return np.array(transpose(word_form(weights.architecture.L).evaluate(layers, rows)), dtype=object)


def _refuse_residual(architecture: Architecture) -> None:
    if architecture.residual:
        raise OutOfScope("the word form of Lemma 1 is for networks without residual connections")


def _shifted(links: Sequence[Link], by: int) -> tuple[Link, ...]:
    return tuple(tuple(replace(factor, slot=factor.slot + by) for factor in link) for link in links)


def _mirrored(links: Sequence[Link], top: int) -> tuple[Link, ...]:
    """The transposed word; slot ``c`` becomes ``top - c``."""

    def mirrored(link: Link) -> Iterator[Factor]:
        for factor in reversed(link):
            yield replace(factor, slot=top - factor.slot, transposed=not factor.transposed)

    return tuple(tuple(mirrored(link)) for link in reversed(links))


def _matrix(layers: Layers, heads: Sequence[int], factor: Factor) -> Matrix:
    matrix = layers[factor.layer - 1][heads[factor.slot - 1]][factor.matrix]
    return transpose(matrix) if factor.transposed else matrix


def _sum(a: Matrix, b: Matrix) -> Matrix:
    return [[p + q for p, q in zip(*rows, strict=True)] for rows in zip(a, b, strict=True)]
