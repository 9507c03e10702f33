"""Certificates of rank: a JSON document from which anyone can re-check the claim by a road of their own.

The formats are described in docs/certificate.md; `seprank.separation.check` is the slow checker.
"""

from __future__ import annotations

import json
from typing import Any

from seprank.separation.certificate_schema import GENERATOR, SCHEMA, digest
from seprank.separation.derivative_certificate import derivative_certificate
from seprank.separation.result import Piece, RankResult


def certificate(result: RankResult) -> dict[str, Any]:
    """The certificate of a measured rank, ready for `json.dumps`.

    It claims that the matrices described, with the rows and columns listed as pivots, are invertible modulo
    the prime, hence that the separation rank is at least the rank for almost all weights. The method "derivative" has
    a format of its own, see `seprank.separation.derivative_certificate`.
    """
    if result.method == "derivative":
        return derivative_certificate(result)
    arch, partition = result.architecture, result.partition
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "architecture": arch.as_dict(),
        "partition": {"NA": partition.NA, "NB": partition.NB},
        "entry": 1,
        "prime": result.prime,
        "draw": {"generator": GENERATOR, "seed": result.seed},
        "method": result.method,
        "templates": result.points if result.method == "grid" else None,
        "rank": result.rank,
        "pieces": [_piece(piece) for piece in result.pieces],
    }
    document["digest"] = digest(document)
    return document


def _piece(piece: Piece) -> dict[str, Any]:
    return {
        "k": piece.k,
        "rank": piece.rank,
        "rows": [int(row) for row in piece.pivots.rows],
        "columns": [int(column) for column in piece.pivots.columns],
    }


def certificate_text(document: dict[str, Any]) -> str:
    """The document as JSON with one line for each field and each object of a list."""
    return "{\n" + ",\n".join(_field(name, value) for name, value in document.items()) + "\n}\n"


def _field(name: str, value: Any) -> str:
    if isinstance(value, list):
        items = ",\n".join(f"    {json.dumps(item)}" for item in value)
        return f'  "{name}": [\n{items}\n  ]'
    return f"  {json.dumps(name)}: {json.dumps(value)}"
