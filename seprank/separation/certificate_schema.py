"""Names of the certificate formats, and the digest that both carry (docs/certificate.md)."""

from __future__ import annotations

import hashlib
import json
from typing import Any

SCHEMA = "seprank.certificate/1"
DERIVATIVE_SCHEMA = "seprank.certificate.derivative/1"
GENERATOR = "seprank.draw/1"


def digest(document: dict[str, Any]) -> str:
    """SHA-256 of the document without its digest, as JSON with sorted keys and no spaces."""
    content = {key: value for key, value in document.items() if key != "digest"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
