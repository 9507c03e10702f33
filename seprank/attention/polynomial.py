"""The network as an exact polynomial, in symbolic tokens, symbolic weights, or both.

It is held on one of sympy's sparse polynomial rings (a dictionary from exponents to coefficients), over ZZ, QQ or
GF(p), and is never expanded as a symbolic expression. Source: levine2020depth, eq. 3 and 4, and Lemma 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from seprank.attention.architecture import Architecture
from seprank.attention.poly_network import network_entry
from seprank.attention.poly_size import LIMIT, refuse_if_endless
from seprank.attention.poly_symbols import (
    numeric_layers,
    reader,
    sparse_ring,
    symbolic_layers,
    token_names,
    token_rows,
    weight_names,
)
from seprank.attention.weights import Weights
from seprank.errors import InvalidInput
from seprank.validate import whole_number

Exponents = tuple[int, ...]
Number = int | Fraction


@dataclass(frozen=True, eq=False)
class NetworkPolynomial:
    """Entry `entry` of the output at `position` (both from 0) for `N` positions; build it with `network_polynomial`.

    `value` is an element of the sparse ring `ring`, whose variables are the token entries ``x1_1, x1_2, ...`` if
    `symbolic_tokens`, then the weights ``Q1_1_1_1, ...`` if `symbolic_weights` (names in
    `seprank.attention.poly_symbols`). `domain` is ``"ZZ"``, ``"QQ"`` or a prime.
    """

    architecture: Architecture
    N: int
    position: int
    entry: int
    domain: str | int
    symbolic_tokens: bool
    symbolic_weights: bool
    ring: Any
    value: Any

    def __str__(self) -> str:
        return str(self.value)

    @property
    def prime(self) -> int | None:
        """The prime of GF(p), or None."""
        return None if isinstance(self.domain, str) else self.domain

    @property
    def token_variables(self) -> int:
        """How many variables are token entries: they are the first of the ring."""
        return self.N * self.architecture.dx if self.symbolic_tokens else 0

    @property
    def degree(self) -> int | None:
        """The degree in the tokens, ``3**L`` for generic weights; None for the zero polynomial.

        Raises `InvalidInput` when the tokens are numbers.
        """
        self._require_tokens()
        return max(self._degrees, default=None)

    @cached_property
    def monomials(self) -> int:
        """The number of token monomials that occur. Raises `InvalidInput` when the tokens are numbers."""
        self._require_tokens()
        return len({exponents[: self.token_variables] for exponents in self.value})

    def terms(self) -> Iterator[tuple[Exponents, Number]]:
        """Pairs (exponents of all variables, coefficient), highest first; coefficients as int, over QQ as Fraction."""
        number = self._number
        return ((tuple(exponents), number(value)) for exponents, value in self.value.terms())

    def homogeneous_parts(self) -> dict[int, NetworkPolynomial]:
        """The parts of each degree in the tokens that occurs; they sum to the polynomial.

        Without skip connections there is one. Raises `InvalidInput` when the tokens are numbers.
        """
        self._require_tokens()
        return self._parts(lambda exponents: sum(exponents[: self.token_variables]))

    def bidegree_parts(self, A: Iterable[int]) -> dict[tuple[int, int], NetworkPolynomial]:
        """The parts of each pair (degree in the tokens of `A`, degree in the others); they sum to the polynomial.

        `A` as in `side`. Raises `InvalidInput` when the tokens are numbers.
        """
        side = self.side(A)

        def degrees(exponents: Exponents) -> tuple[int, int]:
            a, b = self.split(exponents, side)
            return sum(a), sum(b)

        return self._parts(degrees)

    def side(self, A: Iterable[int]) -> tuple[int, ...]:
        """`A` in increasing order: distinct positions from 0 to ``N - 1``, at least one and not all.

        Raises `InvalidInput` for others, and when the tokens are numbers.
        """
        self._require_tokens()
        chosen = [whole_number("A", position, least=0, most=self.N - 1) for position in A]
        if len(set(chosen)) != len(chosen) or not 0 < len(chosen) < self.N:
            raise InvalidInput(f"A must hold distinct positions, at least one and not all of {self.N}, got {chosen}")
        return tuple(sorted(chosen))

    def split(self, exponents: Exponents, side: tuple[int, ...]) -> tuple[Exponents, Exponents]:
        """The exponents of the token entries of the positions `side`, and of those of the others."""
        dx = self.architecture.dx
        sides: tuple[list[int], list[int]] = ([], [])
        for j in range(self.N):
            sides[j not in side].extend(exponents[j * dx : (j + 1) * dx])
        return tuple(sides[0]), tuple(sides[1])

    def substitute(self, tokens: Any = None, weights: Weights | None = None) -> NetworkPolynomial | Number:
        """The polynomial with numbers for the tokens, for the weights, or for all variables (then a number).

        `tokens` has shape ``(N, dx)``, `weights` the sizes of the network. Over QQ floats count at their exact value.
        Raises `InvalidInput` for other shapes, or for numbers in place of what is a number already.
        """
        from seprank.attention.poly_values import substituted

        return substituted(self, tokens, weights)

    def modulo(self, prime: int) -> NetworkPolynomial:
        """The image over GF(p) of a polynomial over ZZ. Raises `InvalidInput` for other domains and bad primes."""
        if self.domain != "ZZ":
            raise InvalidInput(f"domain must be ZZ to reduce modulo a prime, got {self.domain}")
        ring = sparse_ring([str(symbol) for symbol in self.ring.symbols], prime)
        value = ring.from_dict({monomial: ring.domain(int(value) % prime) for monomial, value in self.value.items()})
        return replace(self, domain=int(prime), ring=ring, value=value)

    @property
    def _degrees(self) -> set[int]:
        return {sum(exponents[: self.token_variables]) for exponents in self.value}

    @property
    def _number(self) -> Callable[[Any], Number]:
        domain = self.ring.domain
        if self.domain == "ZZ":
            return int
        if self.domain == "QQ":
            return lambda value: Fraction(int(domain.numer(value)), int(domain.denom(value)))
        return lambda value: int(domain.to_sympy(value)) % int(self.domain)

    def _parts(self, key: Callable[[Exponents], Any]) -> dict[Any, NetworkPolynomial]:
        parts: dict[Any, dict[Exponents, Any]] = {}
        for exponents, value in self.value.items():
            parts.setdefault(key(exponents), {})[exponents] = value
        return {found: replace(self, value=self.ring.from_dict(parts[found])) for found in sorted(parts)}

    def _require_tokens(self) -> None:
        if not self.symbolic_tokens:
            raise InvalidInput("polynomial must have symbolic tokens for this, got one at tokens that are numbers")


def network_polynomial(
    network: Architecture | Weights,
    N: int | None = None,
    *,
    tokens: Any = None,
    domain: str | int = "ZZ",
    position: int = 0,
    entry: int = 0,
    limit: int = LIMIT,
) -> NetworkPolynomial:
    """The exact polynomial of an output entry.

    Parameters
    ----------
    network : an `Architecture` for symbolic weights, `Weights` for numbers.
    N : number of positions; may be left out when `tokens` are given.
    tokens : numbers of shape ``(N, dx)``, or None for symbolic tokens. Not together with `Weights`.
    domain : ``"ZZ"``, ``"QQ"`` (fractions, and floats at their exact value) or a prime for GF(p).
    position, entry : which output, from 0.
    limit : the most terms that are written out.

    Raises `InvalidInput` when an argument breaks its rule, and `TooLarge` at once, with the number of monomials, for
    sizes that would not finish. Source: levine2020depth, eq. 3 and 4.

    >>> print(network_polynomial(Weights.from_arrays(*[[[[[1]]]]] * 4), N=2))
    x1_1**3 + x1_1*x2_1**2
    >>> print(network_polynomial(Architecture(L=1, dx=1), tokens=[[2], [1]]))
    10*Q1_1_1_1*K1_1_1_1*V1_1_1_1*O1_1_1_1
    """
    weights = network if isinstance(network, Weights) else None
    architecture = network.architecture if isinstance(network, Weights) else network
    if weights is not None and tokens is not None:
        raise InvalidInput("tokens must be left out when the weights are numbers: nothing would be symbolic")
    N, rows = _positions(architecture, N, tokens)
    position = whole_number("position", position, least=0, most=N - 1)
    entry = whole_number("entry", entry, least=0, most=architecture.dx - 1)
    refuse_if_endless(architecture, N, weights is None, rows is None, whole_number("limit", limit))
    names = token_names(N, architecture.dx) if rows is None else []
    ring = sparse_ring(names + (weight_names(architecture) if weights is None else []), domain)
    read = reader(domain, ring)
    layers = (
        symbolic_layers(architecture, ring.gens[len(names) :]) if weights is None else numeric_layers(weights, read)
    )
    entries = iter(ring.gens) if rows is None else (ring(read("tokens", x)) for row in rows for x in row)
    vectors = [[next(entries) for _ in range(architecture.dx)] for _ in range(N)]
    value = network_entry(layers, vectors, position, entry, architecture.residual, ring.zero)
    return NetworkPolynomial(architecture, N, position, entry, domain, rows is None, weights is None, ring, value)


def _positions(architecture: Architecture, N: int | None, tokens: Any) -> tuple[int, list[list[Any]] | None]:
    """The number of positions, and the tokens as rows."""
    if tokens is None:
        return whole_number("N", N), None
    rows = token_rows(tokens, architecture.dx)
    if N is not None and whole_number("N", N) != len(rows):
        raise InvalidInput(f"N must be the number of tokens, got N={N} with {len(rows)} tokens")
    return len(rows), rows
