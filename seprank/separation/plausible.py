"""What a certificate must satisfy whatever the entries of its matrices are."""

from __future__ import annotations

from typing import Any

import flint

from seprank.errors import CheckFailed
from seprank.separation.certificate_schema import digest

MOST_PRIME = 2**31 - 1


def refuse_implausible(document: dict[str, Any]) -> None:
    """Raise `CheckFailed`, with the reason, when the claim of a well-formed certificate cannot hold."""
    if digest(document) != document["digest"]:
        raise CheckFailed("the digest does not match the content: the certificate was changed")
    prime = document["prime"]
    if prime > MOST_PRIME or not flint.fmpz(prime).is_prime():
        raise CheckFailed(f"the modulus is not a prime at most {MOST_PRIME}")
    pieces = document["pieces"]
    if document["method"] == "blocks":
        _blocks(document)
    elif len(pieces) != 1:
        raise CheckFailed(f"the method {document['method']} has one piece, not {len(pieces)}")
    for piece in pieces:
        _pivots(document, piece)
    total = sum(piece["rank"] for piece in pieces)
    if total != document["rank"]:
        raise CheckFailed(f"the ranks of the pieces add up to {total}, not to the claimed rank {document['rank']}")


def _blocks(document: dict[str, Any]) -> None:
    L = document["architecture"]["L"]
    if document["architecture"]["residual"]:
        raise CheckFailed("a residual network has no separate blocks")
    if L > 19 or document["prime"] <= 3**L:
        raise CheckFailed("the prime does not exceed 3**L, so the blocks cannot be told apart")
    C = (3**L - 1) // 2
    numbers = [piece["k"] for piece in document["pieces"]]
    if len(set(numbers)) < len(numbers) or any(k > C for k in numbers):
        raise CheckFailed(f"the blocks are not distinct numbers from 0 to C(L) = {C}")


def _pivots(document: dict[str, Any], piece: dict[str, Any]) -> None:
    rank, M = piece["rank"], document["templates"]
    for side, tokens in (("rows", "NA"), ("columns", "NB")):
        if len(piece[side]) != rank or len(set(piece[side])) != rank:
            raise CheckFailed(f"the {side} of a piece of rank {rank} are not as many distinct numbers")
        count = document["partition"][tokens]
        if M is not None and _beyond(max(piece[side], default=0), M, count):
            raise CheckFailed(f"the {side} name assignments beyond {M} templates on {count} positions")


def _beyond(index: int, M: int, count: int) -> bool:
    """Whether `index` is at least ``M**count``, without a long power (indices are below 2**63)."""
    return index >= M ** min(count, 64)
