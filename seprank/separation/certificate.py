"""Certificates of rank: a JSON document from which anyone can re-check the claim by a road of their own.

The format is described in docs/certificate.md; `seprank.separation.check` is the slow checker.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from seprank.errors import InvalidInput

if TYPE_CHECKING:  # the checker reads this file and must not load the fast road
    from seprank.separation.result import Piece, RankResult

SCHEMA = "seprank.certificate/1"
GENERATOR = "seprank.draw/1"


def certificate(result: RankResult) -> dict[str, Any]:
    """The certificate of a measured rank, ready for `json.dumps`.

    It claims that the matrices described, with the rows and columns listed as pivots, are invertible modulo
    the prime, hence that the separation rank is at least the rank for almost all weights. Raises `InvalidInput` for
    the method "derivative", which measures no matrix of values.
    """
    if result.method == "derivative":
        raise InvalidInput("certificate needs method blocks, full or grid, got derivative")
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
    """The document as JSON with one line for each field and each list of pivots."""
    pieces = ",\n".join(f"    {json.dumps(piece)}" for piece in document["pieces"])
    lines = [f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in document.items() if name != "pieces"]
    lines.insert(-1, f'  "pieces": [\n{pieces}\n  ]')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def digest(document: dict[str, Any]) -> str:
    """SHA-256 of the document without its digest, as JSON with sorted keys and no spaces."""
    content = {key: value for key, value in document.items() if key != "digest"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
