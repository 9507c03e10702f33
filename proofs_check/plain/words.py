"""The network as a sum of words: products of weight matrices with a Gram matrix between neighbours.

A factor names one weight matrix, transposed or not; a link is a tuple of factors (their product, the identity when
empty); a word is a tuple of links, between which the Gram matrix G of all tokens stands. Applied to a token it
gives one summand of the output at that position.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from itertools import product
from typing import Any

Factor = tuple[str, int, int, bool]  # matrix, layer, head, transposed
Link = tuple[Factor, ...]
Word = tuple[Link, ...]
Matrix = list[list[int]]


def network_words(L: int, H: int, residual: bool = False) -> list[Word]:
    """All words after `L` layers, built by putting eq. 3 around the words of one layer less."""
    words: list[Word] = [((),)]
    for layer in range(L):
        grown = [layer_word(layer, h, *three) for h in range(H) for three in product(words, repeat=3)]
        words = (words if residual else []) + grown
    return words


def layer_word(layer: int, head: int, value: Word, key: Word, query: Word) -> Word:
    """``W^O W^V (value) G (key)^T (W^K)^T W^Q (query)``: one head of one layer around three words."""
    write: Link = (("O", layer, head, False), ("V", layer, head, False))
    read: Link = (("K", layer, head, True), ("Q", layer, head, False))
    turned = transposed(key)
    opened = (write + value[0], *value[1:])
    return (*opened, *turned[:-1], turned[-1] + read + query[0], *query[1:])


def transposed(word: Word) -> Word:
    """The word of the transposed product."""
    return tuple(tuple((name, l, h, not flip) for name, l, h, flip in reversed(link)) for link in reversed(word))


def gram_factors(word: Word) -> int:
    """How many copies of G the word holds."""
    return len(word) - 1


class Links:
    """The product matrix of every link, for weight arrays as in eq. 3; whole numbers of any size."""

    def __init__(self, arrays: Iterable[Any]) -> None:
        self._arrays = {name: array.tolist() for name, array in zip("QKVO", arrays, strict=True)}
        self._dx = len(self._arrays["O"][0][0])
        self._known: dict[Link, Matrix] = {}

    def matrix(self, link: Link) -> Matrix:
        """The product of the factors, a dx x dx matrix."""
        if link not in self._known:
            identity = [[int(a == b) for b in range(self._dx)] for a in range(self._dx)]
            self._known[link] = reduce(times, map(self._factor, link), identity)
        return self._known[link]

    def _factor(self, factor: Factor) -> Matrix:
        name, layer, head, flip = factor
        matrix: Matrix = self._arrays[name][layer][head]
        return [list(column) for column in zip(*matrix, strict=True)] if flip else matrix


def times(a: Matrix, b: Matrix) -> Matrix:
    """The matrix product of nested lists."""
    columns = list(zip(*b, strict=True))
    return [[sum(map(int.__mul__, row, column)) for column in columns] for row in a]


def apply(matrix: Matrix, vector: list[int]) -> list[int]:
    """The matrix times the vector."""
    return [sum(map(int.__mul__, row, vector)) for row in matrix]


def word_value(word: Word, links: Links, gram: Matrix, token: list[int]) -> list[int]:
    """The word applied to a token, from right to left."""
    vector = apply(links.matrix(word[-1]), token)
    for link in reversed(word[:-1]):
        vector = apply(links.matrix(link), apply(gram, vector))
    return vector


def gram_matrix(tokens: Matrix) -> Matrix:
    """``sum_j x^j x^jT`` of tokens (N, dx)."""
    return times([list(column) for column in zip(*tokens, strict=True)], tokens)
