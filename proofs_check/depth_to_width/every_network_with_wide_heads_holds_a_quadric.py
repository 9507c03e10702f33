"""With da >= 3 some weights compute, to leading order, the power of a quadratic form.   Source: docs/theory.md, "
"Quadric."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from proofs_check.plain.networks import Quadric, gram_tokens, quadric_network
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.field.draw import residues

PRIME = 2147483629  # 1 modulo 4, so that -1 is a square
IOTA = pow(2, (PRIME - 1) // 4, PRIME)

STATEMENT = Statement(
    id="NEW.quadric",
    title="Networks with da >= 3 contain the power K of a quadratic form of rank J H m (da - m)",
    statement=r"For even $m$ with $2\le m<d_a$, $1\le J\le H$ and $L\ge l=J+\lceil\log_2\tfrac{Hm}2\rceil+1$ some "
    r"weights have, at "
    r"$G=\tau I+Z$ with $Z$ between the coordinates $U$ and $V$, $y_p=\tau^{C-2K}\,q(Z)^K\cdot(\text{linear in "
    r"}x)+\dots$, "
    r"$K=3^{L-l}$, $\mathrm{rank}\,q=JHm(d_a-m)$, and no higher power of $\tau$.",
    source="docs/theory.md, Quadric",
    scope="(d, H, m, J) = (3, 1, 2, 1), (4, 1, 2, 1), (5, 1, 2, 1), (6, 1, 4, 1), (6, 2, 2, 1), (6, 2, 2, 2), (8, 2, "
    "2, 2), "
    "(9, 3, 2, 2), (9, 3, 2, 3): leading power and rank of q at K = 1, leading power and two values of q^K at K = 3 "
    "(d <= 8); d <= 8 also without exchanging the coordinates of a pair",
    expected=Verdict.HOLDS,
    note="Proved for all sizes in docs/theory.md. The tokens modulo p use iota with iota^2 = -1 to make any Gram "
    "matrix; "
    "the coefficient is found by interpolation in tau from C + 1 values. The involution "
    "that exchanges the two coordinates of a pair is not needed: without it q is a sum of products x_u x_v with "
    "positive "
    "weights, indefinite but of the same rank. With NEW.power-of-q: sep >= 2 multiset(r+1, "
    "K-1) "
    "+ multiset(r, K).",
)

LISTED = (
    (3, 1, 2, 1),
    (4, 1, 2, 1),
    (5, 1, 2, 1),
    (6, 1, 4, 1),
    (6, 2, 2, 1),
    (6, 2, 2, 2),
    (8, 2, 2, 2),
    (9, 3, 2, 2),
    (9, 3, 2, 3),
)


class Result(NamedTuple):
    """Orders lost against tau^C, rank of q (0 at K = 3), and the leading coefficient at two points over a third."""

    lost: int
    rank: int
    ratios: tuple[int, int]


def cases(level: str) -> Iterable[Quadric]:
    """K = 1 and K = 3, with and without exchanging pairs; the widest networks at K = 1 only, with it."""
    full = level == "full"
    if full:
        yield from (Quadric(*sizes, extra, swapped=False) for sizes in LISTED if sizes[0] < 9 for extra in (0, 1))
    yield Quadric(*LISTED[5], 0, swapped=False)
    for sizes in LISTED if full else (LISTED[0], LISTED[1], LISTED[5]):
        yield from (Quadric(*sizes, extra) for extra in (0, 1) if extra == 0 or (full and sizes[0] < 9))
    if not full:
        yield Quadric(*LISTED[0], 1)


def points(sizes: Quadric) -> list[Any]:
    """Three random matrices Z between U and V."""
    return list(residues(6, "Z", (3, len(sizes.U), len(sizes.V)), PRIME))


def token(sizes: Quadric) -> list[int]:
    """The token at the output position."""
    found: list[int] = residues(7, "x", sizes.d, PRIME).tolist()
    return found


def units(sizes: Quadric) -> list[Any]:
    """Matrices with one entry 1, and all sums of two of them: q at these gives its matrix."""
    count = len(sizes.U) * len(sizes.V)
    single = np.eye(count, dtype=np.int64)
    pairs = [single[i] + single[j] for i in range(count) for j in range(i, count)]
    return [part.reshape(len(sizes.U), len(sizes.V)) for part in pairs]


def _result(lost: int, values: Sequence[int], rank: int) -> Result:
    scale = pow(values[2], -1, PRIME)
    return Result(lost, rank, (values[0] * scale % PRIME, values[1] * scale % PRIME))


def _matrix(sizes: Quadric, values: Sequence[int]) -> list[list[int]]:
    """The matrix of q, twice, from its values at `units`; q(2 e_i) = 4 q(e_i)."""
    count = len(sizes.U) * len(sizes.V)
    table = dict(zip([(i, j) for i in range(count) for j in range(i, count)], values, strict=True))
    quarter = pow(4, -1, PRIME)
    diagonal = [table[i, i] * quarter % PRIME for i in range(count)]
    matrix = [[0] * count for _ in range(count)]
    for (i, j), value in table.items():
        matrix[i][j] = matrix[j][i] = 2 * diagonal[i] if i == j else (value - diagonal[i] - diagonal[j]) % PRIME
    return matrix


def by_series(sizes: Quadric) -> Result:
    """Power series in 1/tau, by the recursion for G."""
    from proofs_check.plain.ranks import rank as plain_rank
    from proofs_check.plain.series import output_series

    heads, K = quadric_network(sizes), 3**sizes.extra

    def series(Z: Any) -> list[int]:
        return output_series(heads, Z.tolist(), sizes.U, sizes.V, token(sizes), 2 * K + 1)

    found = [series(Z) for Z in points(sizes)]
    lost = next((k for k in range(2 * K + 1) if any(row[k] for row in found)), -1)
    rank = plain_rank(_matrix(sizes, [series(Z)[2] for Z in units(sizes)]), PRIME) if K == 1 else 0
    return _result(lost, [row[lost] for row in found], rank)


def side_tokens(sizes: Quadric, Z: Any, root: int) -> list[list[int]]:
    """Tokens with Gram matrix root^2 I + Z; the first is x, and iota x takes it out again."""
    x = token(sizes)
    scaled = [[root * int(i == j) for j in range(sizes.d)] for i in range(sizes.d)]
    upper = [[int(value) for value in row] for row in Z]
    return [x, [IOTA * a % PRIME for a in x], *scaled, *gram_tokens(upper, sizes, IOTA)]


def by_attention(sizes: Quadric) -> Result | None:
    """Eq. 3 on explicit tokens in flint, interpolated in tau = root^2; for d <= 6."""
    if sizes.d > 6:
        return None
    from proofs_check.plain.attention import layers_modulo, output_entry
    from proofs_check.plain.ranks import rank as plain_rank

    layers, C, K = layers_modulo(*quadric_network(sizes), PRIME), (3**sizes.L - 1) // 2, 3**sizes.extra

    def value(Z: Any, root: int) -> int:
        return output_entry(layers, side_tokens(sizes, Z, root), PRIME)

    found = [_top_first([value(Z, root) for root in range(1, C + 2)], _weights(C)) for Z in points(sizes)]
    lost = next(k for k in range(C + 1) if any(row[k] for row in found))
    rank = 0
    if K == 1:
        wanted = _weights(C)[2]
        values = [sum(value(Z, t + 1) * w for t, w in enumerate(wanted)) % PRIME for Z in units(sizes)]
        rank = plain_rank(_matrix(sizes, values), PRIME)
    return _result(lost, [row[lost] for row in found], rank)


def _top_first(values: list[int], weights: list[list[int]]) -> list[int]:
    return [sum(map(int.__mul__, row, values)) % PRIME for row in weights]


@cache
def _weights(C: int) -> list[list[int]]:
    """w[k][t]: the coefficient of tau^(C-k), k <= 6, of a polynomial of degree C from its values at (t + 1)^2."""
    import flint

    nodes = [(t + 1) ** 2 for t in range(C + 1)]
    whole = flint.nmod_poly([1], PRIME)
    for node in nodes:
        whole *= flint.nmod_poly([-node % PRIME, 1], PRIME)
    columns = []
    for node in nodes:
        basis = whole // flint.nmod_poly([-node % PRIME, 1], PRIME)
        scale = pow(int(basis(node)), -1, PRIME)
        columns.append([int(basis[C - k]) * scale % PRIME for k in range(min(C, 6) + 1)])
    return [list(row) for row in zip(*columns, strict=True)]


def gram_form(sizes: Quadric) -> Result:
    """The library's Gram form on the same tokens, interpolated in tau with the side B tokens at zero."""
    from seprank.attention.gram import GramNetwork
    from seprank.attention.weights import Weights
    from seprank.field import elimination

    network = GramNetwork(Weights.from_arrays(*quadric_network(sizes)), PRIME)
    C, K = (3**sizes.L - 1) // 2, 3**sizes.extra
    empty = network.side_B(np.zeros((1, 1, sizes.d), np.int64))
    weights = _lagrange(C, 2 * K)

    def coefficients(Z: Any, orders: range) -> list[int]:
        batch = np.array([side_tokens(sizes, Z, root) for root in range(1, C + 2)], dtype=np.int64) % PRIME
        values = network.evaluate(network.side_A(batch), empty)[:, 0].tolist()
        return [sum(map(int.__mul__, weights[k], values)) % PRIME for k in orders]

    found = [coefficients(Z, range(2 * K + 1)) for Z in points(sizes)]
    lost = next(k for k in range(2 * K + 1) if any(row[k] for row in found))
    rank = 0
    if K == 1:
        form = _matrix(sizes, [coefficients(Z, range(2, 3))[0] for Z in units(sizes)])
        rank = elimination.rank(np.array(form, dtype=np.int64) % PRIME, PRIME)
    return _result(lost, [row[lost] for row in found], rank)


def _lagrange(C: int, most: int) -> list[list[int]]:
    """The weights of `_weights` by Newton's identities: elementary symmetric functions of the other nodes."""
    nodes = [(t + 1) ** 2 % PRIME for t in range(C + 1)]
    symmetric = [1] + [0] * most
    for node in nodes:
        for k in range(most, 0, -1):
            symmetric[k] = (symmetric[k] - node * symmetric[k - 1]) % PRIME
    rows: list[list[int]] = [[] for _ in range(most + 1)]
    for node in nodes:
        scale, others = 1, 1
        for other in nodes:
            others = others * (node - other) % PRIME if other != node else others
        scale, part = pow(others, -1, PRIME), 0
        for k in range(most + 1):
            part = (symmetric[k] + node * part) % PRIME
            rows[k].append(part * scale % PRIME)
    return rows


def roads() -> Mapping[str, Road]:
    """The leading coefficient in tau, three times."""
    return {"eq. 3 on explicit tokens": by_attention, "Gram form": gram_form, "series in 1/tau": by_series}


def holds(sizes: Quadric, result: Result) -> bool:
    """2 K orders lost; the rank at K = 1; at K = 3 the cubes of the values at K = 1."""
    if sizes.extra == 0:
        return result.lost == 2 and result.rank == sizes.J * sizes.H * sizes.m * (sizes.da - sizes.m)
    once = by_series(sizes._replace(extra=0)).ratios
    return result.lost == 6 and result.ratios == tuple(pow(ratio, 3, PRIME) for ratio in once)


def mutants() -> Mapping[str, Claim]:
    """Another entry read; one mixing layer's rank; a linear form in place of a quadratic one."""

    def diagonal_entry(sizes: Quadric, result: Result) -> bool:
        from proofs_check.plain.series import output_series

        Z, heads = points(sizes)[0].tolist(), quadric_network(sizes, read_key=0)
        return output_series(heads, Z, sizes.U, sizes.V, token(sizes), 3)[:2] == [0, 0]

    def one_layer_only(sizes: Quadric, result: Result) -> bool:
        return sizes.extra > 0 or result.rank == sizes.H * sizes.m * (sizes.da - sizes.m)

    return {
        "no pairs, G[0, 0] is read: the orders 1 and 1/tau vanish": diagonal_entry,
        "r = H m (da - m) for J > 1": one_layer_only,
        "K orders lost": lambda sizes, result: result.lost == 3**sizes.extra,
    }
