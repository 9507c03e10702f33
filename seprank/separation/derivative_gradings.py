"""Special weights for which the matrix of a block falls apart into small classes.

If every link ``W^K^T W^Q`` satisfies ``t B t = B`` for the diagonal matrices t of a group (and the value and output
matrices are identities) then ``(f_1, ..., f_d)(t G t) = t_1 (f_1, ..., f_d)(G) t^-1``: the derivative of weight w
of f_q has monomials of weight ``w_1 - w_q - w`` only. Source: docs/theory.md, Derivative certificates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seprank.attention.architecture import Architecture
from seprank.attention.weights import Weights, random_weights
from seprank.errors import InvalidInput
from seprank.field.draw import residues
from seprank.separation.derivative_coefficients import scaled_coefficients, variable_pairs
from seprank.separation.derivative_kernels import Coefficients, Numbers, monomial_keys, steps
from seprank.separation.derivative_sides import Sides, monomials
from seprank.separation.derivative_unseen import scaled_unseen_part, unseen_sides, unseen_weights

GRADINGS = ("unseen", "torus", "signs", "pairs", "none")


@dataclass(frozen=True)
class Grading:
    """A group of diagonal matrices by one number for every coordinate, which adds up over products.

    For signs the numbers are sets of bits that add up by exclusive or, otherwise whole numbers.
    """

    name: str
    keys: tuple[int, ...]
    signs: bool

    def links(self, arch: Architecture, prime: int, seed: int) -> Weights:
        """Random weights that the group leaves as they are; for "unseen" and "none" see `grading`."""
        if self.name == "none":
            return random_weights(arch, prime, seed)
        if self.name == "unseen":
            return unseen_weights(arch, prime, seed)
        d, keys = arch.dx, np.array(self.keys)
        both = keys[:, None] ^ keys[None] if self.signs else keys[:, None] + keys[None]
        drawn = residues(seed, f"links {self.name}", (arch.L, 1, d, d), prime) * (both == 0)
        one = np.broadcast_to(np.eye(d, dtype=np.int64), drawn.shape)
        return Weights(arch, drawn, one, one, one)

    def coefficients(self, arch: Architecture, prime: int, seed: int) -> Coefficients:
        """The scaled coefficients at these weights; for "unseen" those of the part that its sides name."""
        scaled = scaled_unseen_part if self.name == "unseen" else scaled_coefficients
        return scaled(self.links(arch, prime, seed), prime)

    def variables(self) -> Numbers:
        """The number of every variable G_ij."""
        return np.array([self._sum(self.keys[i], self.keys[j]) for i, j in variable_pairs(len(self.keys))], np.int64)

    def components(self) -> Numbers:
        """The number of every f_q."""
        first = self.keys[0]
        return np.array([first ^ key if self.signs else first - key for key in self.keys], np.int64)

    def _sum(self, a: int, b: int) -> int:
        return a ^ b if self.signs else a + b


def grading(name: str, dx: int, C: int) -> Grading | None:
    """The grading of that name; None where it does not apply.

    "torus": antidiagonal links, a torus of rank dx // 2. "signs": diagonal links, one sign for each coordinate.
    "pairs": one sign for the first coordinate and for every pair of the others; the links are not symmetric.
    "none": generic weights, one class. "unseen": for ``H = dx >= 3``, layer 1 reads entries of G and is generic
    otherwise; classes by the number of derivatives along the entries that it does not read.

    >>> grading("signs", 3, 4)
    Grading(name='signs', keys=(1, 2, 4), signs=True)
    >>> grading("torus", 3, 4).keys
    (1, 0, -1)
    """
    if name not in GRADINGS:
        raise InvalidInput(f"grading must be auto or one of {', '.join(GRADINGS)}, got {name!r}")
    if name in ("none", "unseen"):
        return None if name == "unseen" and dx < 3 else Grading(name, (0,) * dx, False)
    if name == "torus":
        base = 4 * C + 5  # weights of monomials and components are at most 2 C + 2
        keys = [0] * dx
        for i in range(dx // 2):
            keys[i], keys[dx - 1 - i] = base**i, -(base**i)
        fits = dx >= 2 and base ** (dx // 2) < 2**62
        return Grading(name, tuple(keys), False) if fits else None
    parts = list(range(dx)) if name == "signs" else [(i + 1) // 2 for i in range(dx)]
    useful = dx >= (2 if name == "signs" else 3) and parts[-1] < 62
    return Grading(name, tuple(1 << part for part in parts), True) if useful else None


def sides(by: Grading, C: int, k: int) -> Sides:
    """The monomials on both sides of block k, sorted into the classes of a grading.

    >>> sides(grading("signs", 2, 1), 1, 1).shapes().tolist()
    [[2, 1], [1, 1]]
    """
    dx = len(by.keys)
    if by.name == "unseen":
        return unseen_sides(dx, C, k)
    s = dx * (dx + 1) // 2
    variables = by.variables()
    operators, left = monomials(s, k), monomials(s, C - k)
    of_row, of_left = np.empty(len(operators), np.int64), np.empty(len(left), np.int64)
    monomial_keys(operators, k, variables, by.signs, of_row)
    monomial_keys(left, C - k, variables, by.signs, of_left)
    of_component = by.components()[:, None]
    of_column = (of_component ^ of_left if by.signs else of_component - of_left).ravel()
    rows, columns = np.argsort(of_row, kind="stable"), np.argsort(of_column, kind="stable")
    names = np.intersect1d(of_row, of_column)
    ends = []
    for side, order in ((of_row, rows), (of_column, columns)):
        in_order = side[order]
        ends.append((np.searchsorted(in_order, names), np.searchsorted(in_order, names, side="right")))
    rows, row_ends = _gathered(rows, *ends[0])
    columns, column_ends = _gathered(columns, *ends[1])
    return Sides(
        places=steps(s, C),
        operators=operators,
        left=left,
        rows=rows,
        columns=columns,
        row_ends=row_ends,
        column_ends=column_ends,
        operator_numbers=np.arange(len(operators)),
        left_numbers=np.arange(len(left)),
        left_count=len(left),
    )


def _gathered(order: Numbers, starts: Numbers, stops: Numbers) -> tuple[Numbers, Numbers]:
    """The members of the classes that both sides have, and where each class ends."""
    parts = [order[start:stop] for start, stop in zip(starts, stops, strict=True)]
    ends = np.concatenate([[0], np.cumsum(stops - starts)])
    return np.concatenate(parts) if parts else np.zeros(0, np.int64), ends
