"""The slow check of a certificate: every entry of every claimed minor, recomputed and its rank taken again."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import flint

from seprank.errors import CheckFailed, InvalidInput
from seprank.separation.certificate import SCHEMA, digest
from seprank.separation.slow_road import Draw, Network, interpolation

MOST_BYTES = 2**28
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Checked:
    """What a check confirmed: the rank, from so many entries, each evaluated on explicit tokens."""

    rank: int
    entries: int
    evaluations: int
    seconds: float


def read_certificate(path: str | Path) -> dict[str, Any]:
    """The document in the file. Raises `InvalidInput` when it is no certificate of a known schema."""
    try:
        if Path(path).stat().st_size > MOST_BYTES:
            raise InvalidInput(f"certificate must be a file of at most {MOST_BYTES} bytes, got {path}")
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidInput(f"certificate must be a readable file, got {path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InvalidInput(f"certificate must be JSON, got {path}") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        found = document.get("schema") if isinstance(document, dict) else type(document).__name__
        raise InvalidInput(f"certificate must have schema {SCHEMA!r}, got {found!r} in {path}")
    _Reader(document).structure()
    return document


def check_certificate(document: dict[str, Any], progress: Progress | None = None) -> Checked:
    """Confirm the claim of a certificate read by `read_certificate`, entry by entry.

    Weights, tokens, forward pass (eq. 3 on explicit tokens), interpolation and rank are those of this checker,
    in Python integers and python-flint. Raises `CheckFailed` with the reason when anything does not hold.
    """
    start = time.perf_counter()
    reader = _Reader(document)
    reader.plausible()
    draw = reader.draw()
    network = Network(draw)
    entries, evaluations = reader.work()
    done = 0
    for piece in document["pieces"]:
        cells = _Cells(document, draw, network, piece)
        rank = piece["rank"]
        values = []
        for row in piece["rows"]:
            values += [cells.entry(row, column) for column in piece["columns"]]
            done += rank * cells.evaluations
            if progress is not None:
                progress(done, evaluations)
        found = flint.nmod_mat(rank, rank, values, draw.prime).rank() if rank else 0
        if found != rank:
            name = "the matrix" if piece["k"] is None else f"block {piece['k']}"
            raise CheckFailed(f"the pivots of {name} have rank {found} modulo {draw.prime}, not {rank} as claimed")
    return Checked(document["rank"], entries, evaluations, time.perf_counter() - start)


def estimated_seconds(document: dict[str, Any]) -> float:
    """Rough time of the check: one evaluation takes a few microseconds for each matrix product."""
    arch, partition = document["architecture"], document["partition"]
    size = (partition["NA"] + partition["NB"]) * arch["dx"]
    return _Reader(document).work()[1] * (2e-6 + 1e-7 * size + 4e-6 * arch["L"] * arch["H"])


class _Cells:
    """Entries of one piece, by evaluating the network on explicit tokens."""

    def __init__(self, document: dict[str, Any], draw: Draw, network: Network, piece: dict[str, Any]) -> None:
        self._draw, self._network = draw, network
        self._grid = document["templates"]
        C = (3**draw.L - 1) // 2
        k = piece["k"]
        self._weights = [(1, 1)] if k is None else list(enumerate(interpolation(C, k, draw.prime)))
        self.evaluations = len(self._weights)
        self._rows: dict[int, list[int]] = {}
        self._columns: dict[int, list[int]] = {}

    def entry(self, row: int, column: int) -> int:
        """Entry (row, column): B tokens scaled by t = 0..C and interpolated for a block, as they are else."""
        draw = self._draw
        if row not in self._rows:
            self._rows[row] = self._tokens("A", row, draw.NA)
        if column not in self._columns:
            self._columns[column] = self._tokens("B", column, draw.NB)
        side_A, side_B = self._rows[row], self._columns[column]
        total = 0
        for t, weight in self._weights:
            total += weight * self._network.value(side_A + [t * x % draw.prime for x in side_B])
        return total % draw.prime

    def _tokens(self, side: str, number: int, count: int) -> list[int]:
        if self._grid is None:
            return self._draw.tokens(side, number, count)
        tokens: list[int] = []
        for position in reversed(range(count)):
            tokens += self._draw.tokens("T", number // self._grid**position % self._grid, 1)
        return tokens


class _Reader:
    """Structure and plausibility of a document, before anything is computed."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document

    def structure(self) -> None:
        """Raise `InvalidInput` unless every field is there and of its type."""
        document = self.document
        for name in ("architecture", "partition", "draw"):
            self._need(isinstance(document.get(name), dict), name, "an object")
        for part, names in (("architecture", ("L", "dx", "H", "da")), ("partition", ("NA", "NB"))):
            for name in names:
                self._whole(document[part].get(name), f"{part}.{name}", 1)
        self._need(isinstance(document["architecture"].get("residual"), bool), "architecture.residual", "true or false")
        self._need(document["draw"].get("generator") == "seprank.draw/1", "draw.generator", "'seprank.draw/1'")
        self._whole(document["draw"].get("seed"), "draw.seed", 0)
        self._whole(document.get("prime"), "prime", 2)
        self._whole(document.get("rank"), "rank", 0)
        self._need(document.get("entry") == 1, "entry", "1")
        self._need(document.get("method") in ("blocks", "full", "grid"), "method", "blocks, full or grid")
        if document["method"] == "grid":
            self._whole(document.get("templates"), "templates", 1)
        else:
            self._need(document.get("templates") is None, "templates", "null unless the method is grid")
        self._need(isinstance(document.get("digest"), str), "digest", "a string")
        self._need(isinstance(document.get("pieces"), list), "pieces", "a list")
        for number, piece in enumerate(document["pieces"]):
            self._piece(piece, f"pieces[{number}]")

    def _piece(self, piece: Any, name: str) -> None:
        self._need(isinstance(piece, dict), name, "an object")
        self._whole(piece.get("rank"), f"{name}.rank", 0)
        if self.document["method"] == "blocks":
            self._whole(piece.get("k"), f"{name}.k", 0)
        else:
            self._need(piece.get("k") is None, f"{name}.k", "null")
        for side in ("rows", "columns"):
            self._need(isinstance(piece.get(side), list), f"{name}.{side}", "a list")
            for index in piece[side]:
                self._whole(index, f"{name}.{side}", 0)

    def _whole(self, value: object, name: str, least: int) -> None:
        good = isinstance(value, int) and not isinstance(value, bool) and value >= least
        self._need(good, name, f"a whole number at least {least}", value)

    def _need(self, good: bool, name: str, rule: str, value: object = None) -> None:
        if not good:
            got = "" if value is None else f", got {str(value)[:40]}"
            raise InvalidInput(f"certificate field {name} must be {rule}{got}")

    def plausible(self) -> None:
        """Raise `CheckFailed` when the claim cannot hold whatever the entries are."""
        document = self.document
        if digest(document) != document["digest"]:
            raise CheckFailed("the digest does not match the content: the certificate was changed")
        prime = document["prime"]
        if prime > 2**31 - 1 or not flint.fmpz(prime).is_prime():
            raise CheckFailed(f"the modulus {prime} is not a prime at most 2147483647")
        pieces = document["pieces"]
        if sum(piece["rank"] for piece in pieces) != document["rank"]:
            raise CheckFailed("the ranks of the pieces do not add up to the claimed rank")
        if document["method"] == "blocks":
            self._plausible_blocks()
        elif len(pieces) != 1:
            raise CheckFailed(f"the method {document['method']} has one piece, not {len(pieces)}")
        for piece in pieces:
            self._plausible_pivots(piece)

    def _plausible_blocks(self) -> None:
        document = self.document
        degree = 3 ** document["architecture"]["L"] if document["architecture"]["L"] < 64 else None
        if document["architecture"]["residual"]:
            raise CheckFailed("a residual network has no separate blocks")
        if degree is None or document["prime"] <= degree:
            raise CheckFailed("the prime does not exceed 3**L, so the blocks cannot be told apart")
        numbers = [piece["k"] for piece in document["pieces"]]
        if len(set(numbers)) < len(numbers) or any(k > (degree - 1) // 2 for k in numbers):
            raise CheckFailed("the blocks are not distinct numbers from 0 to C(L)")

    def _plausible_pivots(self, piece: dict[str, Any]) -> None:
        for side in ("rows", "columns"):
            if len(piece[side]) != piece["rank"] or len(set(piece[side])) != piece["rank"]:
                raise CheckFailed(f"the {side} of a piece of rank {piece['rank']} are not as many distinct numbers")
        M = self.document["templates"]
        for side, tokens in (("rows", "NA"), ("columns", "NB")):
            count = self.document["partition"][tokens]
            if M is not None and any(index >= M**count for index in piece[side]):
                raise CheckFailed(f"the {side} name assignments beyond {M} templates on {count} positions")

    def draw(self) -> Draw:
        """The sizes, prime and seed."""
        document = self.document
        return Draw(
            **document["architecture"],
            **document["partition"],
            prime=document["prime"],
            seed=document["draw"]["seed"],
        )

    def work(self) -> tuple[int, int]:
        """Number of entries, and of evaluations of the network for them."""
        nodes = (3 ** self.document["architecture"]["L"] + 1) // 2 if self.document["method"] == "blocks" else 1
        entries = sum(piece["rank"] ** 2 for piece in self.document["pieces"])
        return entries, entries * nodes
