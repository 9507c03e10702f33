"""The parts of a network by their degree in the tokens of side B, as matrices of values modulo a prime."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seprank.errors import InvalidInput, OutOfScope
from seprank.separation.full import strips
from seprank.separation.interpolation import interpolation_matrix
from seprank.separation.network import Network, network_values
from seprank.variants.variant import Grading

Residues = NDArray[np.int64]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Values:
    """A network modulo `prime` at assignments of the two sides, shapes ``(RA, NA, dx)`` and ``(RB, NB, dx)``."""

    network: Network
    tokens_A: Residues
    tokens_B: Residues
    prime: int

    def at(self, rows: slice, columns: int, scale: int = 1) -> Residues:
        """The matrix of values with the tokens of side B multiplied by `scale`."""
        tokens_B = self.tokens_B[:columns] * scale % self.prime
        return network_values(self.network, self.tokens_A[rows], tokens_B, self.prime)


def part_matrices(
    values: Values, grading: Grading, sizes: list[int], progress: Progress | None = None
) -> Iterator[tuple[int, Residues]]:
    """Pairs (k, matrix of part k) of ``sizes[k]`` rows and columns, for every k whose size is not 0.

    Side B is scaled by t = 1, 2, ...; part k gains the factor ``t^(first + step k)``, and interpolation in ``t^step``
    separates the parts. All matrices are held at once. Raises `InvalidInput` for a prime with too few such powers.
    """
    prime, nodes = values.prime, scales(grading, values.prime)
    powers = [pow(t, grading.step, prime) for t in nodes]
    weights = np.array(interpolation_matrix(powers, prime), dtype=np.int64)
    weights = weights * np.array([pow(t, -grading.first, prime) for t in nodes], dtype=np.int64) % prime
    matrices = {k: np.zeros((size, size), np.int64) for k, size in enumerate(sizes) if size}
    most = max(sizes)
    for rows in strips(most, most):
        for position, t in enumerate(nodes):
            part = values.at(rows, most, t)
            for k, matrix in matrices.items():
                target = matrix[rows]
                target += part[: target.shape[0], : target.shape[1]] * int(weights[k, position]) % prime
            if progress is not None:
                progress((rows.start * len(nodes) + (position + 1) * (rows.stop - rows.start)), most * len(nodes))
    for k in sorted(matrices):
        yield k, matrices.pop(k) % prime


def scales(grading: Grading, prime: int) -> list[int]:
    """As many t as there are parts, their powers ``t^step`` all different and not 0 modulo the prime."""
    found: dict[int, int] = {}
    for t in range(1, prime):
        if len(found) == grading.count:
            break
        found.setdefault(pow(t, grading.step, prime), t)
    if len(found) < grading.count:
        raise InvalidInput(f"prime must allow {grading.count} different powers t^{grading.step}, got {prime}")
    return list(found.values())


def refuse_other_degrees(values: Values, grading: Grading) -> None:
    """Raise `OutOfScope` unless the values at a few assignments have the degrees of the grading."""
    prime, (rows, columns) = values.prime, (slice(len(values.tokens_A)), len(values.tokens_B))
    parts = dict(part_matrices(values, grading, [columns] * grading.count))
    t = grading.count + 2
    predicted = np.zeros_like(parts[0])
    for degree, matrix in zip(grading.degrees(), parts.values(), strict=True):
        predicted = (predicted + matrix * pow(t, degree, prime)) % prime
    if (values.at(rows, columns, t) != predicted).any():
        raise OutOfScope(f"grading must hold the degrees in the tokens of side B, got {_listed(grading)} for others")
    tripled = Values(values.network, values.tokens_A * 3 % prime, values.tokens_B * 3 % prime, prime)
    expected = values.at(rows, columns) * pow(3, grading.degree, prime) % prime
    if (tripled.at(rows, columns) != expected).any():
        raise OutOfScope(f"grading must hold the degree in all tokens, got {grading.degree} for another one")


def refuse_other_forms(values: Values) -> None:
    """Raise `OutOfScope` if values change although neither the first token of A nor a Gram matrix does.

    Tokens are turned in pairs, which leaves the Gram matrix as it is; -1 times all of side A changes the sign.
    """
    prime, (rows, columns) = values.prime, (slice(len(values.tokens_A)), len(values.tokens_B))
    tokens_A = np.concatenate([values.tokens_A[:, :1], _turned(values.tokens_A[:, 1:], prime)], axis=1)
    turned = Values(values.network, tokens_A, _turned(values.tokens_B, prime), prime)
    negative = Values(values.network, -values.tokens_A % prime, values.tokens_B, prime)
    found = values.at(rows, columns)
    if (turned.at(rows, columns) != found).any() or (negative.at(rows, columns) != -found % prime).any():
        raise OutOfScope("gram must be given for a network that sees its tokens through their Gram matrix only")


def _turned(tokens: Residues, prime: int) -> Residues:
    """The first two tokens turned by the angle of the triangle 3, 4, 5 (or 5, 12, 13), the others negated."""
    a, b, c = (3, 4, 5) if prime != 5 else (5, 12, 13)
    turned = -tokens % prime
    if tokens.shape[1] > 1:
        inverse, (x, y) = pow(c, -1, prime), np.moveaxis(tokens[:, :2], 1, 0)
        turned[:, 0] = (a * x + b * y) % prime * inverse % prime
        turned[:, 1] = (b * x - a * y) % prime * inverse % prime
    return turned


def _listed(grading: Grading) -> str:
    degrees = [str(degree) for degree in grading.degrees()]
    return ", ".join(degrees if len(degrees) < 5 else [*degrees[:2], "...", degrees[-1]])
