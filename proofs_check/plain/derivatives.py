"""Block ranks for long input from coefficients: no tokens, no sampling of values, no interpolation.

Write the output as ``y = sum_q x_q f_q(G)`` with ``f_q`` homogeneous of degree C in the entries ``G_ij``, i <= j.
By Taylor expansion block k has the rank of the matrix with one row for every derivative of order k and, for
every q, one column for every monomial of degree C - k: its entry is the coefficient of that monomial in that
derivative of ``f_q``. Up to nonzero factors of rows and columns this is ``m! [m] f_q``, where m is the product
of the two monomials and m! the product of the factorials of its exponents; these need a prime above C.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proofs_check.plain.field_rank import array_rank, product_rank

Table = NDArray[np.int64]
Pair = tuple[Any, Any]  # U = W^O W^V and W = (W^K)^T W^Q of one head: M(G) = sum U G W

SPARE = 20  # columns sampled beyond 5/4 of the rows where there are many


class Monomials:
    """Monomials up to degree `most` in the s = d(d+1)/2 entries of a symmetric matrix, and products by a variable.

    A monomial of degree c is a sorted list of c variables, a row of ``of[c]``; ``times[c][v]`` gives the row in
    ``of[c + 1]`` of its product with variable v. Variable numbers follow `pairs`.
    """

    def __init__(self, d: int, most: int) -> None:
        self.d, self.most = d, most
        self.pairs = [(i, j) for i in range(d) for j in range(i, d)]
        self.s = len(self.pairs)
        self.of: list[Table] = [np.zeros((1, 0), np.int64)]
        self.times: list[Table] = []
        for c in range(most):
            self.times.append(self._products(c))
            grown = np.zeros((comb(self.s + c, c + 1), c + 1), np.int64)
            for v in range(self.s):
                last = self.of[c][:, -1] <= v if c else np.ones(1, bool)
                grown[self.times[c][v][last], :c] = self.of[c][last]
                grown[self.times[c][v][last], c] = v
            self.of.append(grown)

    def _products(self, c: int) -> Table:
        """Positions by the combinatorial number system: sum over t of binom(v_t + t, t + 1), v_t rising."""
        rows = self.of[c]
        steps = np.array([[comb(v + t, t + 1) for t in range(c + 1)] for v in range(self.s)])
        kept = np.zeros((len(rows), c + 1), np.int64)
        moved = np.zeros((len(rows), c + 1), np.int64)
        if c:
            where = np.arange(c)
            kept[:, 1:] = np.cumsum(steps[rows, where], axis=1)
            moved[:, :c] = np.cumsum(steps[rows, where + 1][:, ::-1], axis=1)[:, ::-1]
        found = np.empty((self.s, len(rows)), np.int64)
        for v in range(self.s):
            place = (rows <= v).sum(axis=1)
            line = np.arange(len(rows))
            found[v] = kept[line, place] + steps[v, place] + moved[line, place]
        return found

    def factorials(self, c: int, prime: int) -> Table:
        """m! modulo the prime for every monomial m of degree c."""
        rows = self.of[c]
        found, run = np.ones(len(rows), np.int64), np.ones(len(rows), np.int64)
        for t in range(1, c):
            run = np.where(rows[:, t] == rows[:, t - 1], run + 1, 1)
            found = found * run % prime
        return found


@lru_cache(maxsize=2)
def monomials_up_to(d: int, most: int) -> Monomials:
    """The tables, kept for the next use: at d = 4, degree 13, they take a second."""
    return Monomials(d, most)


def times_gram(monomials: Monomials, row: Table, prime: int) -> Table:
    """The row vector of polynomials `row`, shape (d, monomials of degree c), times the symmetric matrix G."""
    c = next(c for c in range(monomials.most) if len(monomials.of[c]) == row.shape[1])
    found = np.zeros((monomials.d, len(monomials.of[c + 1])), np.int64)
    for v, (i, j) in enumerate(monomials.pairs):
        place = monomials.times[c][v]
        found[j, place] += row[i]
        if i != j:
            found[i, place] += row[j]
    return found % prime


def times_matrix(row: Table, matrix: Any, prime: int) -> Table:
    """The row vector `row` times a constant matrix; exact for primes below 2**26."""
    return np.asarray(matrix, np.int64).T % prime @ row % prime


def network_rows(layers: Sequence[Sequence[Pair]], entry: int, monomials: Monomials, prime: int) -> Table:
    """Coefficients of f_0, ..., f_{d-1}, shape (d, monomials of degree C), for layers of heads (U, W)."""

    def through_layer(row: Table, l: int, transposed: bool) -> Table:
        total: Any = 0
        for U, W in layers[l]:
            left, right = (np.transpose(W), np.transpose(U)) if transposed else (U, W)
            total = total + times_matrix(through_gram(times_matrix(row, left, prime), l), right, prime)
        return total % prime

    def through_gram(row: Table, l: int) -> Table:
        if l == 0:
            return times_gram(monomials, row, prime)
        return through_layer(through_gram(through_layer(row, l - 1, False), l - 1), l - 1, True)

    row = np.zeros((monomials.d, 1), np.int64)
    row[entry] = 1
    for l in reversed(range(len(layers))):
        row = through_layer(row, l, False)
    return row


def word_rows(row: Any, links: Sequence[Any], monomials: Monomials, prime: int) -> Table:
    """Coefficients of the row ``a^T P_L`` of the word of a one-head network with the given links.

    ``P_1 = G`` and ``P_l = P_{l-1} B_1 G B_1^T P_{l-1}^T B_l P_{l-1}``, so the word has (3**L - 1) / 2 factors G.
    """

    def times_word(left: Table, l: int, transposed: bool) -> Table:
        if l == 1:
            return times_gram(monomials, left, prime)
        first, last = (np.transpose(links[l - 1]), links[l - 1]) if transposed else (None, links[l - 1])
        if transposed:
            left = times_matrix(times_word(left, l - 1, True), first, prime)
        left = times_matrix(times_word(left, l - 1, False), links[0], prime)
        left = times_matrix(times_gram(monomials, left, prime), np.transpose(links[0]), prime)
        left = times_word(left, l - 1, True)
        return left if transposed else times_word(times_matrix(left, last, prime), l - 1, False)

    return times_word(np.array(row, np.int64)[:, None] % prime, len(links), False)


def chain_rows(row: Any, links: Sequence[Any], monomials: Monomials, prime: int) -> Table:
    """Coefficients of the row ``a^T G B_1 G B_2 ... G`` with one more factor G than links."""
    found = times_gram(monomials, np.array(row, np.int64)[:, None] % prime, prime)
    for link in links:
        found = times_gram(monomials, times_matrix(found, link, prime), prime)
    return found


def layers_of(query: Any, key: Any, value: Any, output: Any, prime: int) -> list[list[Pair]]:
    """The heads (U, W) of every layer, from arrays of shapes (L, H, da, dx) and (L, H, dx, da)."""

    def product(left: Any, right: Any) -> Any:
        return np.array(left, object) @ np.array(right, object) % prime

    return [
        [(product(O, V), product(np.transpose(K), Q)) for Q, K, V, O in zip(*layer, strict=True)]
        for layer in zip(query, key, value, output, strict=True)
    ]


def scaled(rows: Table, degree: int, monomials: Monomials, prime: int) -> Table:
    """Coefficients times m!, what `derivative_matrix` looks up."""
    return rows * monomials.factorials(degree, prime) % prime


def derivative_matrix(rows: Table, monomials: Monomials, below: int, operators: Table, columns: Table) -> Table:
    """One line for each operator, a row of variables, and one column for each number q * n + g of `columns`.

    `rows` are `scaled` coefficients, `below` is C - k, g numbers the n monomials of that degree.
    """
    n = len(monomials.of[below])
    place = np.broadcast_to(columns % n, (len(operators), len(columns)))
    for t in range(operators.shape[1]):
        place = monomials.times[below + t][operators[:, t, None], place]
    return rows[columns // n, place]


def block_rank(
    rows: Table, C: int, k: int, monomials: Monomials, prime: int, operators: Table | None = None, seed: int = 0
) -> int:
    """Rank of block k over F_p (of the operators given only, where they are); `rows` are `scaled`.

    Many columns are sampled first; where the sample is not of full rank all are used.
    """
    operators = monomials.of[k] if operators is None else operators
    columns = np.arange(monomials.d * len(monomials.of[C - k]))
    draw = np.random.default_rng(seed)
    short, long = sorted((len(operators), len(columns)))
    wanted = short + short // 4 + SPARE
    if long > wanted:
        lines, across = operators, columns
        if len(columns) == long:
            across = draw.permutation(columns)[:wanted]
        else:
            lines = draw.permutation(operators)[:wanted]
        if array_rank(derivative_matrix(rows, monomials, C - k, lines, across), prime) == short:
            return short
    return array_rank(derivative_matrix(rows, monomials, C - k, operators, columns), prime)


def block_ranks(layers: Sequence[Sequence[Pair]], entry: int, prime: int) -> Iterator[int]:
    """Ranks over F_p of the blocks k = 0..C of a network without skip connections, long input."""
    C = (3 ** len(layers) - 1) // 2
    monomials = Monomials(len(layers[0][0][0]), C)
    rows = scaled(network_rows(layers, entry, monomials, prime), C, monomials, prime)
    for k in range(C + 1):
        yield block_rank(rows, C, k, monomials, prime)


def short_block_ranks(
    layers: Sequence[Sequence[Pair]], entry: int, sides: tuple[int, int], prime: int, seed: int = 0
) -> Iterator[int]:
    """Ranks of the blocks for inputs with `sides` = (NA, NB) tokens, any numbers.

    The matrix of a block between the derivatives and the functions ``x_q m(G_A)`` is multiplied from both sides by
    the values of the monomials at random tokens, divided by their factorials.
    """
    C = (3 ** len(layers) - 1) // 2
    monomials = Monomials(len(layers[0][0][0]), C)
    rows = scaled(network_rows(layers, entry, monomials, prime), C, monomials, prime)
    d, s = monomials.d, monomials.s
    draw = np.random.default_rng(seed)
    for k in range(C + 1):
        points = min(comb(s + k - 1, k), d * comb(s + C - k - 1, C - k)) + SPARE
        tokens_A, tokens_B = (draw.integers(0, prime, (points, side, d)) for side in sides)
        left = _divided_powers(monomials, tokens_B, k, prime)
        right = _divided_powers(monomials, tokens_A, C - k, prime)
        right = (tokens_A[:, 0, :, None] * right[:, None, :] % prime).reshape(points, -1)
        matrix = derivative_matrix(rows, monomials, C - k, monomials.of[k], np.arange(right.shape[1]))
        yield product_rank([left, matrix, right.T], prime)


def _divided_powers(monomials: Monomials, tokens: Table, c: int, prime: int) -> Table:
    """m(G) / m! for the monomials m of degree c, at the Gram matrices of tokens of shape (points, N, d)."""
    gram: Any = sum(tokens[:, n, :, None] * tokens[:, n, None, :] % prime for n in range(tokens.shape[1])) % prime
    values = np.ones((len(tokens), 1), np.int64)
    for degree in range(c):
        grown = np.empty((len(tokens), len(monomials.of[degree + 1])), np.int64)
        for v, (i, j) in enumerate(monomials.pairs):
            grown[:, monomials.times[degree][v]] = values * gram[:, i, j, None] % prime
        values = grown
    inverse = np.array([pow(int(m), -1, prime) for m in monomials.factorials(c, prime)])
    return values * inverse % prime
