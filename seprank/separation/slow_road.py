"""Entries of the value matrix by eq. 3 on explicit tokens, in python-flint: the checker's own arithmetic.

It shares no code with the fast road: its own random draws, its own forward pass, its own interpolation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import add

import flint

_MASK = 2**64 - 1


def words(seed: int, stream: str, start: int, count: int) -> Iterator[int]:
    """Words `start`, ... of a stream of the generator ``seprank.draw/1`` (docs/certificate.md)."""
    head = hashlib.sha256(f"seprank.draw/1:{seed}:{stream}".encode("ascii")).digest()[:8]
    state = (int.from_bytes(head, "little") + start * 0x9E3779B97F4A7C15) & _MASK
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        yield z ^ (z >> 31)


@dataclass(frozen=True)
class Draw:
    """Sizes, prime and seed of a certificate; matrices and tokens as nested lists of residues."""

    L: int
    dx: int
    H: int
    da: int
    residual: bool
    NA: int
    NB: int
    prime: int
    seed: int

    def matrices(self, stream: str, rows: int, columns: int) -> list[list[flint.nmod_mat]]:
        """One `rows` x `columns` matrix for every layer and head, from the stream of that name."""
        numbers = words(self.seed, stream, 0, self.L * self.H * rows * columns)
        return [
            [
                flint.nmod_mat(rows, columns, [next(numbers) % self.prime for _ in range(rows * columns)], self.prime)
                for _ in range(self.H)
            ]
            for _ in range(self.L)
        ]

    def tokens(self, stream: str, number: int, count: int) -> list[int]:
        """Assignment `number` of `count` tokens, flattened row by row."""
        size = count * self.dx
        return [word % self.prime for word in words(self.seed, stream, number * size, size)]


class Network:
    """The network of eq. 3 and 4 with the weights of a draw; output entry 1 at position 1."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        d, da = draw.dx, draw.da
        query, key, value = (draw.matrices(stream, da, d) for stream in "QKV")
        output = draw.matrices("O", d, da)
        transposed = [[[m.transpose() for m in layer] for layer in kind] for kind in (query, key, value, output)]
        self._layers = list(zip(*transposed, strict=True))

    def value(self, tokens: list[int]) -> int:
        """The output for the positions' tokens, flattened row by row."""
        draw = self.draw
        X = flint.nmod_mat(len(tokens) // draw.dx, draw.dx, tokens, draw.prime)
        for query, key, value, output in self._layers:
            parts = [X] if draw.residual else []
            for Q, K, V, O in zip(query, key, value, output, strict=True):
                # Row i of (X Q)(X K)^T holds the scores <W^Q x_i, W^K x_j> of position i.
                scores = (X * Q) * (X * K).transpose()
                parts.append((scores * (X * V)) * O)
            X = reduce(add, parts)
        return int(X[0, 0])


def interpolation(C: int, k: int, prime: int) -> list[int]:
    """Weights c_0..c_C with: coefficient k of a polynomial P of degree C is sum_t c_t P(t^2).

    Lagrange's formula with the polynomial arithmetic of python-flint.
    """
    x = flint.nmod_poly([0, 1], prime)
    everything = flint.nmod_poly([1], prime)
    for t in range(C + 1):
        everything *= x - t * t
    weights = []
    for t in range(C + 1):
        basis = everything // (x - t * t)
        weights.append(int(basis[k] / basis(t * t)))
    return weights
