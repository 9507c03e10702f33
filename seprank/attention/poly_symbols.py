"""The variables of the polynomial form, and the sparse ring that they live in.

A token entry is ``x{position}_{coordinate}``, a weight ``{matrix}{layer}_{head}_{row}_{column}`` with the matrix
``Q``, ``K``, ``V`` or ``O``; all numbers from 1. Tokens come first in a ring, weights after them.
Source: levine2020depth, eq. 3 (the four matrices of a head).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from seprank.attention.architecture import Architecture
from seprank.attention.weights import Weights
from seprank.errors import InvalidInput
from seprank.field.primes import check_prime

MATRICES = ("Q", "K", "V", "O")
Matrix = list[list[Any]]
Head = dict[str, Matrix]
Layers = list[list[Head]]


def token_names(N: int, dx: int) -> list[str]:
    """The names of the entries of `N` tokens, position by position.

    >>> token_names(2, 2)
    ['x1_1', 'x1_2', 'x2_1', 'x2_2']
    """
    return [f"x{j}_{a}" for j in range(1, N + 1) for a in range(1, dx + 1)]


def weight_names(architecture: Architecture) -> list[str]:
    """The names of all weights: layer by layer, head by head, matrix by matrix, in row-major order.

    >>> weight_names(Architecture(L=1, dx=1))
    ['Q1_1_1_1', 'K1_1_1_1', 'V1_1_1_1', 'O1_1_1_1']
    """
    return [
        f"{matrix}{layer}_{head}_{row}_{column}"
        for layer, head, matrix in _places(architecture)
        for row, column in np.ndindex(_shape(architecture, matrix))
        for row, column in [(row + 1, column + 1)]
    ]


def sparse_ring(names: Sequence[str], domain: str | int) -> Any:
    """The ring ``sympy.polys.rings.PolyRing`` on these variables, in graded lexicographic order.

    `domain` is ``"ZZ"``, ``"QQ"`` or a prime for GF(p), whose elements are written ``0..p-1``. Raises
    `InvalidInput` for anything else, so for composite moduli too.

    >>> sparse_ring(["x1_1", "x1_2"], 7)
    Polynomial ring in x1_1, x1_2 over GF(7) with grlex order
    """
    from sympy import GF, QQ, ZZ, grlex
    from sympy.polys.rings import PolyRing

    if isinstance(domain, str):
        if domain not in ("ZZ", "QQ"):
            raise InvalidInput(f"domain must be ZZ, QQ or a prime, got {domain!r}")
        return PolyRing(names, {"ZZ": ZZ, "QQ": QQ}[domain], grlex)
    return PolyRing(names, GF(check_prime(domain, "domain"), symmetric=False), grlex)


def reader(domain: str | int, ring: Any) -> Callable[[str, object], Any]:
    """A function ``(name, number)`` that gives `number` as a coefficient of `ring`; `domain` as in `sparse_ring`.

    It takes whole numbers of every kind; over QQ fractions and finite floats too, at their exact value. It raises
    `InvalidInput`, naming `name`, for everything else.
    """

    def read(name: str, number: object) -> Any:
        try:
            exact = Fraction(number.item() if isinstance(number, np.generic) else number)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            raise InvalidInput(f"{name} must be numbers, got {number!r}") from None
        whole = not isinstance(number, bool | float | np.floating | str) and exact.denominator == 1
        if domain != "QQ" and not whole:
            raise InvalidInput(f"{name} must be whole numbers over {ring.domain}, got {number!r}")
        if domain == "QQ":
            return ring.domain(exact.numerator, exact.denominator)
        return ring.domain(exact.numerator if domain == "ZZ" else exact.numerator % int(domain))

    return read


def symbolic_layers(architecture: Architecture, generators: Sequence[Any]) -> Layers:
    """The matrices of every head of every layer, filled with `generators` in the order of `weight_names`."""
    return _filled(architecture, iter(generators))


def numeric_layers(weights: Weights, read: Callable[[str, object], Any]) -> Layers:
    """The matrices of every head of every layer, as coefficients made by `read` (see `reader`)."""
    return _filled(weights.architecture, (read("weights", number) for number in flat_weights(weights)))


def flat_weights(weights: Weights) -> Iterator[Any]:
    """All weights in the order of `weight_names`."""
    arrays = dict(zip(MATRICES, weights, strict=True))
    for layer, head, matrix in _places(weights.architecture):
        yield from arrays[matrix][layer - 1, head - 1].ravel().tolist()


def token_rows(tokens: Any, dx: int) -> list[list[Any]]:
    """`tokens` as rows of `dx` numbers. Raises `InvalidInput` for another shape."""
    array = tokens if isinstance(tokens, np.ndarray) else np.array(tokens, dtype=object)
    if array.ndim != 2 or array.shape[0] < 1 or array.shape[1] != dx:
        raise InvalidInput(f"tokens must have shape (N, {dx}) with N at least 1, got {array.shape}")
    return array.tolist()


def _filled(architecture: Architecture, entries: Iterator[Any]) -> Layers:
    layers: Layers = [[{} for _ in range(architecture.H)] for _ in range(architecture.L)]
    for layer, head, matrix in _places(architecture):
        rows, columns = _shape(architecture, matrix)
        layers[layer - 1][head - 1][matrix] = [[next(entries) for _ in range(columns)] for _ in range(rows)]
    return layers


def _places(architecture: Architecture) -> Iterator[tuple[int, int, str]]:
    """Layer, head (from 1) and matrix, in the order of `weight_names`."""
    for layer in range(1, architecture.L + 1):
        for head in range(1, architecture.H + 1):
            for matrix in MATRICES:
                yield layer, head, matrix


def _shape(architecture: Architecture, matrix: str) -> tuple[int, int]:
    return (architecture.dx, architecture.da) if matrix == "O" else (architecture.da, architecture.dx)
