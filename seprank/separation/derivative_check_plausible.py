"""What a certificate by derivatives must satisfy whatever the entries of its minors are."""

from __future__ import annotations

from typing import Any

import flint

from seprank.errors import CheckFailed, TooLarge
from seprank.separation.certificate_schema import digest
from seprank.separation.derivative_check_bounds import block_bound, monomials
from seprank.separation.plausible import MOST_PRIME

MOST_DEPTH = 8
MOST_SIZE = 10**6  # of s (C + 1), the numbers from which monomials are counted
MOST_LINES = 10**6  # of one minor


def refuse_implausible_derivative(document: dict[str, Any]) -> None:
    """Raise `CheckFailed`, with the reason, when the claim of a well-formed certificate cannot hold.

    Digest, prime, sizes, upper bounds, the blocks that follow from others, the totals, and how many lines the minors
    have. Raises `TooLarge` for sizes beyond `MOST_DEPTH`, `MOST_SIZE` and `MOST_LINES`.
    """
    if digest(document) != document["digest"]:
        raise CheckFailed("the digest does not match the content: the certificate was changed")
    if document["prime"] > MOST_PRIME or not flint.fmpz(document["prime"]).is_prime():
        raise CheckFailed(f"the modulus is not a prime at most {MOST_PRIME}")
    _sizes(document)
    _blocks(document)
    _sources(document)
    for name, total in (("rank", "rank"), ("bound", "upper")):
        found = sum(block[name] for block in document["blocks"])
        if found != document[total]:
            raise CheckFailed(f"the {name}s of the blocks add up to {found}, not to the claimed {document[total]}")
    _minors(document)


def _sizes(document: dict[str, Any]) -> None:
    arch = document["architecture"]
    L, d = arch["L"], arch["dx"]
    if arch["residual"] or arch["H"] * arch["da"] != d:
        raise CheckFailed("derivatives need a network without skip connections, and H * da = dx")
    if L > MOST_DEPTH or d * (d + 1) // 2 * ((3**L + 1) // 2) > MOST_SIZE:
        raise TooLarge(f"the check takes L up to {MOST_DEPTH} and (C + 1) dx (dx + 1) / 2 up to {MOST_SIZE}")
    if document["prime"] <= (3**L - 1) // 2:
        raise CheckFailed("the prime does not exceed C(L), so factorials vanish")


def _blocks(document: dict[str, Any]) -> None:
    arch, blocks = document["architecture"], document["blocks"]
    L, d, H = arch["L"], arch["dx"], arch["H"]
    C = (3**L - 1) // 2
    if [block["k"] for block in blocks] != list(range(C + 1)):
        raise CheckFailed(f"the blocks are not those from 0 to C(L) = {C}, in order")
    for block in blocks:
        k, id = block["k"], block["bound_id"]
        if block_bound(id, L, d, H, k) != block["bound"]:
            raise CheckFailed(f"the {id} bound on block {k} is not {block['bound']}")
        if block["rank"] > block["bound"]:
            raise CheckFailed(f"the rank {block['rank']} of block {k} exceeds its bound {block['bound']}")


def _sources(document: dict[str, Any]) -> None:
    """A block follows from a larger one with all rows, or from a smaller one with all columns, or has a minor."""
    blocks, count = document["blocks"], len(document["blocks"])
    for block in blocks:
        k, source = block["k"], block["source"]
        if source == k:
            continue
        side = 0 if k < source else 1
        full = source < count and blocks[source]["source"] == source
        if not full or any(blocks[n]["rank"] != _lines(document, n)[side] for n in (k, source)):
            what = ("rows", "columns")[side]
            raise CheckFailed(f"block {k} does not follow from block {source}: they do not both have all {what}")
    minors = [minor["k"] for minor in document["minors"]]
    if minors != [block["k"] for block in blocks if block["source"] == block["k"] and block["rank"]]:
        raise CheckFailed("the minors are not those of the blocks that follow from no other, in order")


def _lines(document: dict[str, Any], k: int) -> tuple[int, int]:
    """How many rows and columns block k has: operators, and pairs of a component and a monomial."""
    d, C = document["architecture"]["dx"], len(document["blocks"]) - 1
    s = d * (d + 1) // 2
    return monomials(s, k), d * monomials(s, C - k)


def _minors(document: dict[str, Any]) -> None:
    names = [weights["name"] for weights in document["weights"]]
    if names != list(dict.fromkeys(minor["weights"] for minor in document["minors"])):
        raise CheckFailed("the weights are not those of the minors, each once, in order")
    for minor in document["minors"]:
        k = minor["k"]
        rank = document["blocks"][k]["rank"]
        for side, count in zip(("rows", "columns"), _lines(document, k), strict=True):
            (kind, numbers), *_ = minor[side].items()
            if len(set(numbers)) < len(numbers) or max(numbers, default=0) >= count:
                raise CheckFailed(f"the {side} of block {k} are not distinct numbers below {count}")
            lines = len(numbers) if kind == "only" else count - len(numbers)
            if lines != rank:
                raise CheckFailed(f"the minor of block {k} has {lines} {side}, not {rank} as claimed")
        if rank > MOST_LINES:
            raise TooLarge(f"the check takes minors of up to {MOST_LINES} rows, and that of block {k} has {rank}")
