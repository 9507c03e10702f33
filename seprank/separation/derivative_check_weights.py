"""The weights of a certificate by derivatives: the keys of the variables, and whether the weights have them."""

from __future__ import annotations

from typing import Any

from seprank.errors import CheckFailed
from seprank.separation.derivative_check_monomials import Monomials

Matrix = list[list[int]]
Table = list[list[int | None]]  # the variable at every entry of a matrix


def variable_pairs(d: int) -> list[tuple[int, int]]:
    """The pair (i, j), i <= j, of every variable G_ij, row by row."""
    return [(i, j) for i in range(d) for j in range(i, d)]


def monomials_of(weights: dict[str, Any], C: int) -> Monomials:
    """Monomials in the variables with their keys at these weights.

    G_ij has the keys of both ends. With entries that layer 1 does not see these have key 1, the others 0, and the part
    of f_q of the highest degree in them, ``C(L - 1)``, takes the place of f_q.
    """
    keys, signs, unseen = weights["keys"], weights["signs"], weights["unseen"]
    pairs = variable_pairs(len(keys))
    if unseen is not None:
        return Monomials(C, [int(v in unseen) for v in range(len(pairs))], [(C - 1) // 3] * len(keys))
    components = [keys[0] ^ key if signs else keys[0] - key for key in keys]
    return Monomials(C, [_sum(keys[i], keys[j], signs) for i, j in pairs], components, signs)


def gram_tables(weights: dict[str, Any]) -> tuple[Table, Table]:
    """The Gram matrix of the input in the variables: as layer 1 sees it, and where it stands between its matrices."""
    d, unseen = len(weights["keys"]), weights["unseen"]
    number = {pair: v for v, pair in enumerate(variable_pairs(d))}
    whole = [[number[min(i, j), max(i, j)] for j in range(d)] for i in range(d)]
    variables = set(number.values())
    seen, between = (variables, variables) if unseen is None else (variables - set(unseen), set(unseen))
    return _kept(whole, seen), _kept(whole, between)


def _kept(whole: list[list[int]], variables: set[int]) -> Table:
    return [[v if v in variables else None for v in row] for row in whole]


def refuse_unfit(weights: dict[str, Any], prime: int) -> None:
    """Raise `CheckFailed` unless the weights have the keys, and layer 1 does not see the entries, as claimed."""
    name, keys, signs, unseen = (weights[field] for field in ("name", "keys", "signs", "unseen"))
    for query, key, value, output in zip(*(weights[kind] for kind in "QKVO"), strict=True):
        for Q, K, V, O in zip(query, key, value, output, strict=True):
            U, W = times(O, V, prime), times(transposed(K), Q, prime)
            for i, a in enumerate(keys):
                for j, b in enumerate(keys):
                    if (U[i][j] and a != b) or (W[i][j] and _sum(a, b, signs)):
                        raise CheckFailed(f"the weights {name} are not left as they are by their keys")
    if unseen is None:
        return
    pairs = variable_pairs(len(keys))
    if any(keys) or len(set(unseen)) < len(unseen) or max(unseen, default=0) >= len(pairs):
        raise CheckFailed(f"the unseen entries of the weights {name} are not distinct, or there are keys beside them")
    for i, j in (pairs[v] for v in unseen):
        for V, K in zip(weights["V"][0], weights["K"][0], strict=True):
            if any((v[i] * k[j] + (v[j] * k[i] if i != j else 0)) % prime for v in V for k in K):
                raise CheckFailed(f"layer 1 of the weights {name} sees an entry that is said to be unseen")


def _sum(a: int, b: int, signs: bool) -> int:
    return a ^ b if signs else a + b


def times(a: Matrix, b: Matrix, prime: int) -> Matrix:
    """The product of two matrices of residues."""
    columns = transposed(b)
    return [[sum(map(int.__mul__, row, column)) % prime for column in columns] for row in a]


def transposed(matrix: Matrix) -> Matrix:
    """The transpose of a nested list."""
    return [list(column) for column in zip(*matrix, strict=True)]
