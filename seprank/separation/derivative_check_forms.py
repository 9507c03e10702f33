"""The coefficients of the output in plain whole numbers: ``y = sum_q x_q f_q(G)``, compared with eq. 3 on tokens.

A form is a dictionary from packed monomials m to ``m! [m] f``, residues, where m! is the product of the factorials of
the exponents. In these numbers multiplication by a variable multiplies by its new exponent, and no factorial is formed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import flint

from seprank.errors import TooLarge
from seprank.separation.derivative_check_monomials import Monomials
from seprank.separation.room import readable, room
from seprank.separation.slow_road import words

Form = dict[int, int]
Matrix = list[list[int]]
BYTES_PER_TERM = 200  # key, value and place in a dictionary, with room for the dictionaries that are being filled


class Forms:
    """f_1, ..., f_d of the first output entry, at weights given as nested lists (layer, head, row, column)."""

    def __init__(
        self, weights: dict[str, Any], monomials: Monomials, prime: int, step: Callable[[int], None] | None = None
    ) -> None:
        self.monomials, self.prime, self._step, self._room = monomials, prime, step, room()
        self._layers = [
            [(_times(O, V, prime), _times(_transposed(K), Q, prime)) for Q, K, V, O in zip(*heads, strict=True)]
            for heads in zip(*(weights[kind] for kind in "QKVO"), strict=True)
        ]
        d = len(weights["keys"])
        row: list[Form] = [{0: 1}, *({} for _ in range(d - 1))]
        for layer in reversed(range(len(self._layers))):
            row = self._through_layer(row, layer, False)
        self.scaled = row
        self._compare(weights)

    def breaks_grading(self) -> bool:
        """Whether some matrix of some head is not left as it is by the diagonal matrices of the grading."""
        product, keys = self.monomials.product, self.monomials.keys
        for U, W in (head for heads in self._layers for head in heads):
            for i, a in enumerate(keys):
                for j, b in enumerate(keys):
                    if (U[i][j] and a != b) or (W[i][j] and product(a, b)):
                        return True
        return False

    def _through_layer(self, row: list[Form], layer: int, mirrored: bool) -> list[Form]:
        """The row times ``M = sum_h U_h G W_h`` of the layer, or times its transpose."""
        parts = []
        for U, W in self._layers[layer]:
            first, last = (_transposed(W), _transposed(U)) if mirrored else (U, W)
            parts.append(self._combined(self._through_gram(self._combined(row, first), layer), last))
        return [self._sum(forms, [1] * len(forms)) for forms in zip(*parts, strict=True)]

    def _through_gram(self, row: list[Form], layer: int) -> list[Form]:
        """The row times the Gram matrix at the input of the layer, ``M G M^T`` of the layer before."""
        if layer:
            return self._through_layer(
                self._through_gram(self._through_layer(row, layer - 1, False), layer - 1), layer - 1, True
            )
        return self._times_variables(row)

    def _times_variables(self, row: list[Form]) -> list[Form]:
        bits, place = self.monomials.bits, self.monomials.place
        mask = (1 << bits) - 1
        found: list[Form] = [{} for _ in row]
        for i, form in enumerate(row):
            for j, target in enumerate(found):
                shift = place[i, j] * bits
                one, get = 1 << shift, target.get
                for m, value in form.items():
                    m += one
                    target[m] = get(m, 0) + value * (m >> shift & mask)
        self._refuse_too_large(sum(map(len, found)))
        return [self._reduced(form) for form in found]

    def _combined(self, row: list[Form], matrix: Matrix) -> list[Form]:
        """The row times a matrix of constants."""
        return [self._sum(row, column) for column in _transposed(matrix)]

    def _sum(self, forms: Sequence[Form], factors: Sequence[int]) -> Form:
        chosen = [(form, factor) for form, factor in zip(forms, factors, strict=True) if form and factor]
        if len(chosen) == 1 and chosen[0][1] == 1:
            return chosen[0][0]
        total: Form = {}
        for form, factor in chosen:
            for m, value in form.items():
                total[m] = total.get(m, 0) + factor * value
        return self._reduced(total)

    def _reduced(self, form: Form) -> Form:
        return {m: rest for m, value in form.items() if (rest := value % self.prime)}

    def _refuse_too_large(self, terms: int) -> None:
        if self._step is not None:
            self._step(terms)
        if terms * BYTES_PER_TERM > self._room:
            raise TooLarge(
                f"the check needs more than {readable(terms * BYTES_PER_TERM)} of memory for the coefficients, and "
                f"{readable(self._room)} may be used"
            )

    def _compare(self, weights: dict[str, Any]) -> None:
        """The polynomials and eq. 3 on d random tokens of each side; they differ only by a fault of this program."""
        d, p = len(weights["keys"]), self.prime
        numbers = [word % p for word in words(0, "check of the coefficients", 0, 2 * d * d)]
        X = flint.nmod_mat(2 * d, d, numbers, p)
        gram = X.transpose() * X
        powers = [
            list(_divided_powers(int(gram[i, j]), (1 << self.monomials.bits) - 1, p))
            for i in range(d)
            for j in range(i, d)
        ]
        found = sum(numbers[q] * self._value(form, powers) for q, form in enumerate(self.scaled)) % p
        for heads in zip(*(weights[kind] for kind in "QKVO"), strict=True):
            total = X * 0
            for Q, K, V, O in zip(*heads, strict=True):
                scores = X * _flint(Q, p) * (X * _flint(K, p)).transpose()
                total += scores * (X * _flint(V, p)) * _flint(O, p)
            X = total
        if found != int(X[0, 0]):
            raise ArithmeticError(f"the coefficients give {found} on random tokens, eq. 3 gives {int(X[0, 0])}")

    def _value(self, form: Form, powers: list[list[int]]) -> int:
        total = 0
        bits = self.monomials.bits
        mask = (1 << bits) - 1
        for m, value in form.items():
            for power in powers:
                value = value * power[m & mask] % self.prime
                m >>= bits
                if not m:
                    break
            total += value
        return total % self.prime


def _divided_powers(x: int, most: int, prime: int) -> Iterator[int]:
    """``x^e / e!`` for e = 0, ..., below the prime."""
    value = 1
    yield value
    for e in range(1, min(most, prime - 1) + 1):
        value = value * x * pow(e, -1, prime) % prime
        yield value


def _flint(matrix: Matrix, prime: int) -> flint.nmod_mat:
    """The transpose, for rows of tokens."""
    return flint.nmod_mat(len(matrix), len(matrix[0]), [x for row in matrix for x in row], prime).transpose()


def _times(a: Matrix, b: Matrix, prime: int) -> Matrix:
    columns = _transposed(b)
    return [[sum(map(int.__mul__, row, column)) % prime for column in columns] for row in a]


def _transposed(matrix: Matrix) -> Matrix:
    return [list(column) for column in zip(*matrix, strict=True)]
