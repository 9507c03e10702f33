"""Numbers in place of the variables of a network polynomial."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from seprank.attention.poly_symbols import flat_weights, reader, sparse_ring, token_rows
from seprank.attention.polynomial import NetworkPolynomial, Number
from seprank.attention.weights import Weights
from seprank.errors import InvalidInput


def substituted(polynomial: NetworkPolynomial, tokens: Any, weights: Weights | None) -> NetworkPolynomial | Number:
    """`polynomial` at those tokens and weights; see `NetworkPolynomial.substitute`.

    >>> from seprank.attention.architecture import Architecture
    >>> from seprank.attention.polynomial import network_polynomial
    >>> y = network_polynomial(Architecture(L=1, dx=1), N=2)
    >>> print(y.substitute(tokens=[[2], [1]]))
    10*Q1_1_1_1*K1_1_1_1*V1_1_1_1*O1_1_1_1
    >>> y.substitute([[2], [1]], Weights.from_arrays(*[[[[[3]]]]] * 4))
    810
    """
    start, count = polynomial.token_variables, len(polynomial.ring.gens)
    read = reader(polynomial.domain, polynomial.ring)
    first = _token_values(polynomial, tokens, read)
    second = _weight_values(polynomial, weights, read)
    left_out = ([] if first else range(start), [] if second else range(start, count))
    kept = [index for part in left_out for index in part]
    names = [str(polynomial.ring.symbols[index]) for index in kept]
    # A ring needs a variable; without one the only exponents left are (), the constant.
    ring = sparse_ring(names, polynomial.domain) if names else None
    totals = _collected(polynomial, dict(enumerate(first)) | dict(enumerate(second, start)), kept)
    if ring is None:
        constant = polynomial.ring(totals.get((), polynomial.ring.domain.zero))
        return next((value for _, value in replace(polynomial, value=constant).terms()), 0)
    return replace(
        polynomial,
        symbolic_tokens=polynomial.symbolic_tokens and not first,
        symbolic_weights=polynomial.symbolic_weights and not second,
        ring=ring,
        value=ring.from_dict(totals),
    )


def _token_values(polynomial: NetworkPolynomial, tokens: Any, read: Any) -> list[Any]:
    if tokens is None:
        return []
    if not polynomial.symbolic_tokens:
        raise InvalidInput("tokens must be left out: they are numbers in this polynomial")
    rows = token_rows(tokens, polynomial.architecture.dx)
    if len(rows) != polynomial.N:
        raise InvalidInput(f"tokens must be {polynomial.N} tokens, got {len(rows)}")
    return [read("tokens", entry) for row in rows for entry in row]


def _weight_values(polynomial: NetworkPolynomial, weights: Weights | None, read: Any) -> list[Any]:
    if weights is None:
        return []
    if not polynomial.symbolic_weights:
        raise InvalidInput("weights must be left out: they are numbers in this polynomial")
    if weights.architecture != polynomial.architecture:
        raise InvalidInput(f"weights must be of {polynomial.architecture}, got {weights.architecture}")
    return [read("weights", entry) for entry in flat_weights(weights)]


def _collected(polynomial: NetworkPolynomial, values: dict[int, Any], kept: list[int]) -> dict[tuple[int, ...], Any]:
    """Exponents of the kept variables, and their coefficients once all others are numbers."""
    zero = polynomial.ring.domain.zero
    totals: dict[tuple[int, ...], Any] = {}
    for exponents, coefficient in polynomial.value.items():
        for index, exponent in enumerate(exponents):
            if exponent and index in values:
                coefficient = coefficient * values[index] ** exponent
        rest = tuple(exponents[index] for index in kept)
        totals[rest] = totals.get(rest, zero) + coefficient
    return totals
