"""Certificates of the method "derivative": the minors of the blocks measured, their weights, and what follows.

The format is described in docs/certificate.md, and confirmed by `seprank.separation.derivative_check`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from seprank.attention.architecture import Architecture
from seprank.separation.certificate_schema import DERIVATIVE_SCHEMA, digest
from seprank.separation.derivative_gradings import grading
from seprank.separation.derivative_kernels import Numbers
from seprank.separation.derivative_plan import full_columns, full_rows
from seprank.separation.result import Piece, RankResult


def derivative_certificate(result: RankResult) -> dict[str, Any]:
    """The certificate of a rank measured by derivatives, ready for `json.dumps`.

    It claims, for long input, at least dx tokens on each side, that the minors listed are not zero modulo the prime at
    the weights listed, that the other blocks follow from blocks with all rows or all columns, and that every block
    has the upper bound beside it. So the separation rank is at least ``rank`` for almost all weights, and at most
    ``upper`` for all.

    >>> from seprank.separation.measure import separation_rank
    >>> document = derivative_certificate(separation_rank(Architecture(L=2, dx=2), method="derivative"))
    >>> document["rank"], document["upper"], document["blocks"][0]
    (18, 18, {'k': 0, 'rank': 1, 'bound': 1, 'bound_id': 'gram', 'source': 2})
    """
    arch = result.architecture
    measured = [piece for piece in result.pieces if piece.source == piece.k and piece.rank]
    document: dict[str, Any] = {
        "schema": DERIVATIVE_SCHEMA,
        "architecture": arch.as_dict(),
        "entry": 1,
        "prime": result.prime,
        "rank": result.rank,
        "upper": sum(piece.bound or 0 for piece in result.pieces),
        "weights": [_weights(name, result) for name in dict.fromkeys(piece.weights for piece in measured)],
        "blocks": [_block(piece) for piece in result.pieces],
        "minors": [_minor(piece, arch) for piece in measured],
    }
    document["digest"] = digest(document)
    return document


def _block(piece: Piece) -> dict[str, Any]:
    return {
        "k": piece.k,
        "rank": piece.rank,
        "bound": piece.bound,
        "bound_id": piece.bound_id,
        "source": piece.source,
    }


def _weights(name: str, result: RankResult) -> dict[str, Any]:
    arch = result.architecture
    by = grading(name, arch.dx, arch.C)
    if by is None:
        raise ArithmeticError(f"weights of the kind {name} were used where there are none")
    arrays = by.links(arch, result.prime, result.seed).as_residues(result.prime)
    matrices = {kind: array.tolist() for kind, array in zip(("Q", "K", "V", "O"), arrays, strict=True)}
    unseen = _unseen(arrays[1][0], arrays[2][0]) if name == "unseen" else None
    return {"name": name, "signs": by.signs, "keys": list(by.keys), "unseen": unseen, **matrices}


def _unseen(key: Numbers, value: Numbers) -> list[int]:
    """Numbers of the entries G_ij, i <= j, that no head of layer 1 reads: ``V G K^T`` does not depend on them."""
    read = np.einsum("hai,hbj->ij", value != 0, key != 0)
    i, j = np.triu_indices(len(read))
    return np.flatnonzero((read + read.T)[i, j] == 0).tolist()


def _minor(piece: Piece, arch: Architecture) -> dict[str, Any]:
    k = piece.k or 0
    return {
        "k": k,
        "weights": piece.weights,
        "rows": _lines(piece.pivots.rows, full_rows(arch, k)),
        "columns": _lines(piece.pivots.columns, full_columns(arch, k)),
    }


def _lines(chosen: Sequence[int], count: int) -> dict[str, list[int]]:
    """The numbers chosen out of ``0 .. count - 1``, or those left out where these are fewer."""
    if 2 * len(chosen) <= count:
        return {"only": list(chosen)}
    taken = set(chosen)
    return {"except": [number for number in range(count) if number not in taken]}
