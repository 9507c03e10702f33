"""The key of a case: a hash of everything that determines its answer, and of nothing else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

ENGINE = "seprank.engine/1"  # to be raised whenever the same case may give another answer
_FIELDS = {
    "": ("architecture", "engine", "method", "partition", "prime", "seed", "variant"),
    "architecture": ("H", "L", "da", "dx", "residual"),
    "partition": ("NA", "NB"),
}


def case_key(document: Mapping[str, object]) -> str:
    """SHA-256, in hex, of the case `document` as ASCII JSON with sorted keys and no spaces.

    The document holds `architecture` (L, dx, H, da, residual), `partition` (NA, NB), `variant`, `method` (None: chosen
    by cost), `prime`, `seed` and `engine`. The order of fields does not matter, and any other value gives another key.
    Raises ValueError if a field is missing or unknown.

    >>> from seprank.study.case import Case
    >>> from seprank import Architecture, Partition
    >>> case_key(Case(Architecture(L=2, dx=4), Partition(4, 4)).document())[:12]
    '5bd83383d186'
    """
    for place, names in _FIELDS.items():
        part = document if place == "" else document[place]
        if not isinstance(part, Mapping) or sorted(part) != sorted(names):
            raise ValueError(f"{place or 'a case'} must have the fields {', '.join(names)}, got {part!r}")
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
