"""The coefficients of the output in plain whole numbers: ``y = sum_q x_q f_q``, compared with the network.

A form is a dictionary from packed monomials m to ``m! [m] f``, residues, where m! is the product of the factorials of
the exponents. In these numbers multiplication by a variable multiplies by its new exponent, and no factorial is formed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from seprank.errors import TooLarge
from seprank.separation.derivative_check_monomials import Monomials
from seprank.separation.derivative_check_network import refuse_wrong
from seprank.separation.derivative_check_weights import Matrix, Table, gram_tables, times, transposed
from seprank.separation.room import readable, room

Form = dict[int, int]
BYTES_PER_TERM = 200  # key, value and place in a dictionary, with room for the dictionaries that are being filled


def scaled_forms(
    weights: dict[str, Any], monomials: Monomials, prime: int, step: Callable[[int], None] | None = None
) -> list[Form]:
    """f_1, ..., f_d of the first output entry at weights as in a certificate.

    With unseen entries of G, their part of the highest degree in these. `step` is called with the number of terms of
    every product. Raises `TooLarge` as soon as the terms do not fit in memory, and `ArithmeticError` if the forms
    differ from the network at a random input, a fault of this program.
    """
    road = _Road(weights, monomials.bits, prime, step)
    row: list[Form] = [{0: 1}, *({} for _ in weights["keys"][1:])]
    for layer in reversed(range(len(weights["Q"]))):
        row = road.through_layer(row, layer, False)
    refuse_wrong(weights, row, monomials, prime)
    return row


class _Road:
    """Products of a row of forms with the matrices of the network."""

    def __init__(self, weights: dict[str, Any], bits: int, prime: int, step: Callable[[int], None] | None) -> None:
        self._bits, self._prime, self._step, self._room = bits, prime, step, room()
        self._first, self._middle = gram_tables(weights)
        self._layers = [
            [(times(O, V, prime), times(transposed(K), Q, prime)) for Q, K, V, O in zip(*heads, strict=True)]
            for heads in zip(*(weights[kind] for kind in "QKVO"), strict=True)
        ]

    def through_layer(self, row: list[Form], layer: int, mirrored: bool) -> list[Form]:
        """The row times ``M = sum_h U_h G W_h`` of the layer, or times its transpose."""
        parts = []
        for U, W in self._layers[layer]:
            first, last = (transposed(W), transposed(U)) if mirrored else (U, W)
            part = self._combined(row, first)
            part = self._through_gram(part, layer) if layer else self._times_gram(part, self._first)
            parts.append(self._combined(part, last))
        return [self._sum(forms, [1] * len(forms)) for forms in zip(*parts, strict=True)]

    def _through_gram(self, row: list[Form], layer: int) -> list[Form]:
        """The row times the Gram matrix at the input of a layer after the first, ``M G M^T`` of the one before."""
        row = self.through_layer(row, layer - 1, False)
        row = self._through_gram(row, layer - 1) if layer > 1 else self._times_gram(row, self._middle)
        return self.through_layer(row, layer - 1, True)

    def _times_gram(self, row: list[Form], table: Table) -> list[Form]:
        mask = (1 << self._bits) - 1
        found: list[Form] = [{} for _ in row]
        for form, entries in zip(row, table, strict=True):
            for target, variable in zip(found, entries, strict=True):
                if variable is not None:
                    shift, get = variable * self._bits, target.get
                    one = 1 << shift
                    for m, value in form.items():
                        m += one
                        target[m] = get(m, 0) + value * (m >> shift & mask)
        self._count(sum(map(len, found)))
        return [self._reduced(form) for form in found]

    def _combined(self, row: list[Form], matrix: Matrix) -> list[Form]:
        """The row times a matrix of constants."""
        return [self._sum(row, column) for column in transposed(matrix)]

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
        return {m: rest for m, value in form.items() if (rest := value % self._prime)}

    def _count(self, terms: int) -> None:
        if self._step is not None:
            self._step(terms)
        if terms * BYTES_PER_TERM > self._room:
            raise TooLarge(
                f"the check needs more than {readable(terms * BYTES_PER_TERM)} of memory for the coefficients, and "
                f"{readable(self._room)} may be used"
            )
