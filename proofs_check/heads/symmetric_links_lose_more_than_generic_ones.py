"""With symmetric links block 7 at (L, dx) = (3, 5) loses at least 112 dimensions, not 56.

Source: docs/theory.md, Isotropic directions
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from proofs_check.plain import isotropic
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

PRIME = 65537
POINTS = 72
STATEMENT = Statement(
    id="NEW.symmetric-links",
    title="Symmetric links lose more than generic ones: at least 112 dimensions instead of 56 at L = 3, dx = 5",
    statement="Let $u$ satisfy $a^Tu=u^TB_1u=u^TB_2u=0$ and let $v$ be tangent to these conditions at $u$. For "
    "symmetric $B_1,B_2$ the operator $(uu^T)^6vv^T$ kills the output of the $L=3$ network with one "
    "head, besides $(uu^T)^7$; for generic links it does not. At $d=5$ these operators span 112 "
    "dimensions, the powers alone 56; at $d=4$, where there are only four points, they add nothing. So a "
    "rank at symmetric links says little about generic ones.",
    source="docs/theory.md, Isotropic directions",
    scope="d = 4 and 5, diagonal links (and the same links made not symmetric, with the same isotropic point), modulo "
    "65537",
    expected=Verdict.HOLDS,
    note="An upper bound on the rank at symmetric links. Measured with diagonal links (a run of about four minutes, "
    "not repeated here): block 7 at (3,5) has rank 116160 of 116280, with a kernel of exactly 112 inside the "
    "operators on the orthogonal space of a.",
)


class Links(NamedTuple):
    """A width, and what is computed."""

    d: int
    question: str


def cases(level: str) -> Iterable[Links]:
    """Both widths."""
    return [Links(d, question) for d in (4, 5) for question in ("killed", "dimensions")]


def _setting(d: int) -> tuple[Any, Any, Any]:
    """Points u and tangent vectors v (inside the space orthogonal to a = e_1), and the two diagonal links."""
    n = d - 1
    points = isotropic.isotropic_points(n, 2, POINTS, PRIME, seed=d)[:POINTS]
    squares = points[:: 2 ** (n - 1)][: n - 2] ** 2 % PRIME
    diagonals = _null_space(squares)
    tangents = np.array([_null_space(diagonals * u % PRIME)[-1] for u in points])
    return points, tangents, diagonals


def _null_space(rows: Any) -> Any:
    """Vectors orthogonal to all rows modulo the prime, a basis as rows."""
    import flint

    height, width = rows.shape
    matrix = flint.nmod_mat(height, width, [int(x) % PRIME for x in rows.ravel()], PRIME)
    basis, nullity = matrix.nullspace()
    return np.array([[int(basis[i, j]) for i in range(rows.shape[1])] for j in range(nullity)], np.int64)


def _links(d: int, u: Any, symmetric: bool) -> list[Any]:
    """B_1, B_2 diagonal (plus antisymmetric matrices, which leave u^T B u alone), B_3 generic."""
    draw = np.random.default_rng(7)
    _, _, diagonals = _setting(d)
    found = []
    for diagonal in diagonals:
        link = np.diag(np.concatenate([draw.integers(1, PRIME, 1), diagonal]))
        twist = np.triu(draw.integers(1, PRIME, (d, d)), 1)
        found.append((link if symmetric else link + twist - twist.T) % PRIME)
    return [*found, draw.integers(1, PRIME, (d, d))]


def _directions(d: int) -> tuple[Any, Any]:
    points, tangents, _ = _setting(d)
    return np.concatenate([[0], points[0]]), np.concatenate([[0], tangents[0]])


def truncated(case: Links) -> Result:
    """The coefficient of tau^6 sigma in f(G + tau uu^T + sigma vv^T), by series; spans by values of the operators."""
    if case.question == "dimensions":
        return _dimensions_by_values(case.d)
    return tuple(_coefficient_by_series(case.d, symmetric) == 0 for symmetric in (True, False))


def _coefficient_by_series(d: int, symmetric: bool) -> int:
    """Matrices whose entries are polynomials in tau of degree <= 13 and in sigma of degree <= 1."""
    u, v = _directions(d)
    draw = np.random.default_rng(3)
    half = draw.integers(0, PRIME, (d, d))
    G = np.zeros((14, 2, d, d), np.int64)
    G[0, 0], G[1, 0], G[0, 1] = half + half.T, np.outer(u, u), np.outer(v, v)
    links = _links(d, u, symmetric)
    row = np.zeros((14, 2, 1, d), np.int64)
    row[0, 0, 0, 0] = 1
    row = _times(row, G % PRIME)
    for link, transposed in isotropic.word(3):
        matrix = links[link - 1]
        row = _times(row @ (matrix.T if transposed else matrix) % PRIME, G % PRIME)
    return int(np.any(row[6, 1]))


def _times(left: Any, right: Any) -> Any:
    found = np.zeros((14, 2, left.shape[2], right.shape[3]), np.int64)
    for i in range(14):
        for j in range(14 - i):
            found[i + j, 0] += left[i, 0] @ right[j, 0] % PRIME
            found[i + j, 1] += (left[i, 0] @ right[j, 1] + left[i, 1] @ right[j, 0]) % PRIME
    return found % PRIME


def _dimensions_by_values(d: int) -> Result:
    """Ranks of the values (u^T S u)^7 and (u^T S u)^6 (v^T S v) at random symmetric matrices S."""
    from proofs_check.plain.field_rank import array_rank

    points, tangents, _ = _setting(d)
    half = np.random.default_rng(1).integers(0, PRIME, (2 * POINTS + 40, d - 1, d - 1))
    S = (half + half.transpose(0, 2, 1)) % PRIME

    def values(vectors: Any) -> Any:
        return sum(
            vectors[:, None, i] * (S[None, :, i] * vectors[:, None] % PRIME).sum(-1) % PRIME for i in range(d - 1)
        )

    first, second = values(points) % PRIME, values(tangents) % PRIME
    power = np.ones_like(first)
    for _ in range(6):
        power = power * first % PRIME
    powers, mixed = power * first % PRIME, power * second % PRIME
    return array_rank(powers, PRIME), array_rank(np.concatenate([powers, mixed]), PRIME)


def attention(case: Links) -> Result:
    """Eq. 3 on the tokens t u, r v and random ones, interpolated in t^2 and r^2; spans by coefficients."""
    if case.question == "dimensions":
        return _dimensions_by_coefficients(case.d)
    return tuple(_killed_by_attention(case.d, symmetric) for symmetric in (True, False))


def _killed_by_attention(d: int, symmetric: bool) -> bool:
    from proofs_check.plain.attention import layers_modulo, output_entry
    from proofs_check.plain.ranks import _coefficient_weights

    u, v = _directions(d)
    one = np.eye(d, dtype=np.int64)
    links = _links(d, u, symmetric)
    layers = layers_modulo([[link] for link in links], [[one]] * 3, [[one]] * 3, [[one]] * 3, PRIME)
    tokens = np.random.default_rng(5).integers(0, PRIME, (d, d)).tolist()
    total = 0
    for t, weight in enumerate(_coefficient_weights(13, 6, PRIME)):
        for r, other in enumerate(_coefficient_weights(13, 1, PRIME)):
            value = output_entry(layers, [*tokens, (t * u).tolist(), (r * v).tolist()], PRIME)
            total += weight * other * value
    return total % PRIME == 0


def _dimensions_by_coefficients(d: int) -> Result:
    """Ranks of the coefficients of the same polynomials in the entries of S, multiplied out factor by factor."""
    from proofs_check.plain.derivatives import monomials_up_to

    points, tangents, _ = _setting(d)
    monomials = monomials_up_to(d - 1, 7)

    def times_form(polynomials: Any, c: int, vectors: Any) -> Any:
        found = np.zeros((len(vectors), len(monomials.of[c + 1])), np.int64)
        for v, (i, j) in enumerate(monomials.pairs):
            factor = vectors[:, i] * vectors[:, j] * (1 if i == j else 2) % PRIME
            found[:, monomials.times[c][v]] += polynomials * factor[:, None] % PRIME
        return found % PRIME

    sixth = np.ones((len(points), 1), np.int64)
    for c in range(6):
        sixth = times_form(sixth, c, points)
    powers, mixed = times_form(sixth, 6, points), times_form(sixth, 6, tangents)
    return _span(powers), _span(np.concatenate([powers, mixed]))


def _span(polynomials: Any) -> int:
    """Rank of the coefficients over the prime field."""
    import flint

    height, width = polynomials.shape
    return int(flint.nmod_mat(height, width, polynomials.ravel().tolist(), PRIME).rank())


def roads() -> Mapping[str, Road]:
    """Series and values against explicit tokens and coefficients."""
    return {"series in tau; values": truncated, "eq. 3 on tokens; coefficients": attention}


def holds(case: Links, result: Result) -> bool:
    """Killed by symmetric links only; 56 and 112 dimensions at d = 5, 4 and 4 at d = 4."""
    if case.question == "killed":
        return result == ((True, False) if case.d == 5 else (True, True))
    return result == {4: (4, 4), 5: (56, 112)}[case.d]


def mutants() -> Mapping[str, Claim]:
    """What a reader of a rank at symmetric links would conclude."""

    def also_generic(case: Links, result: Result) -> bool:
        return case.question != "killed" or result[1] is True

    def nothing_new(case: Links, result: Result) -> bool:
        return case.question == "killed" or result[0] == result[1]

    return {"generic links lose as much": also_generic, "tangent directions add nothing": nothing_new}
