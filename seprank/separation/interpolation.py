"""Coefficients of a polynomial from its values, modulo a prime."""

from __future__ import annotations

from collections.abc import Sequence

from seprank.errors import InvalidInput


def interpolation_matrix(nodes: Sequence[int], prime: int) -> list[list[int]]:
    """Row ``k`` holds the weights ``c_j`` with ``a_k = sum_j c_j F(nodes[j])`` for ``F(t) = sum_k a_k t^k``.

    The inverse of the Vandermonde matrix of `nodes` modulo `prime`, exact. Raises `InvalidInput` when two
    nodes agree modulo `prime`.

    >>> interpolation_matrix([0, 1, 4], 7)
    [[1, 0, 0], [4, 6, 4], [2, 2, 3]]
    """
    points = [node % prime for node in nodes]
    if len(set(points)) < len(points):
        raise InvalidInput(f"nodes must differ modulo the prime {prime}, got {list(nodes)}")
    master = [1]  # the coefficients of prod_j (t - points[j]), lowest first
    for point in points:
        master = [(up - point * low) % prime for up, low in zip([0, *master], [*master, 0], strict=True)]
    columns = [_lagrange(master, point, prime) for point in points]
    return [list(row) for row in zip(*columns, strict=True)]


def _lagrange(master: list[int], point: int, prime: int) -> list[int]:
    """Coefficients of the polynomial that is 1 at `point` and 0 at the other roots of `master`."""
    quotient, carry = [], 0
    for coefficient in reversed(master[1:]):
        carry = (coefficient + point * carry) % prime
        quotient.append(carry)
    quotient.reverse()
    value = sum(c * pow(point, k, prime) for k, c in enumerate(quotient))
    scale = pow(value, -1, prime)
    return [c * scale % prime for c in quotient]
