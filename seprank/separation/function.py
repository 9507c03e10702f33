"""The rank of a user's own function of two sides: any callable on tokens, exact modulo a prime."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from seprank.attention.partition import Partition
from seprank.errors import InvalidInput, TooLarge
from seprank.field.elimination import Pivots
from seprank.field.primes import DEFAULT_PRIME, check_prime
from seprank.separation.assignments import draw_assignments
from seprank.separation.blocks import block_ranks
from seprank.separation.cost import BYTES_PER_ENTRY
from seprank.separation.full import full_rank
from seprank.separation.network import Network
from seprank.separation.room import readable, room
from seprank.validate import whole_number

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class FunctionRank:
    """A proved lower bound on the separation rank of a function, as a polynomial modulo `prime`.

    `pieces` holds rank and pivots of every block, or of the whole matrix. `sampled_out` says that some piece has as
    many independent rows as were sampled, so that more points may raise the rank.
    """

    rank: int
    pieces: tuple[Pivots, ...]
    partition: Partition
    dx: int
    method: str
    prime: int
    seed: int
    points: int
    seconds: float

    @property
    def sampled_out(self) -> bool:
        """Whether more points may raise the rank."""
        return any(piece.rank >= self.points for piece in self.pieces)


def function_rank(
    network: Network,
    partition: Partition,
    dx: int,
    points: int,
    *,
    method: str = "full",
    C: int | None = None,
    prime: int = DEFAULT_PRIME,
    seed: int = 0,
    progress: Progress | None = None,
) -> FunctionRank:
    """Exact rank modulo `prime` of the values of `network` at random tokens: a lower bound on its separation rank.

    Parameters
    ----------
    network : callable ``f(tokens_A, tokens_B)`` on int64 residues of shapes ``(RA, NA, dx)`` and ``(RB, NB, dx)`` that
        returns whole numbers of shape ``(RA, RB)``, read modulo `prime`.
    partition, dx : tokens on the two sides, and their width.
    points : assignments drawn per side; the rank cannot exceed it (per block, for method "blocks").
    method : "full": one matrix. "blocks": for a function of degree 2 C + 1 in all tokens that is even in those of side
        B, one rank for every degree in side B; then `C` must be given, and `prime` above 2 C + 1.

    Raises `InvalidInput` for arguments or answers that break a rule, `OutOfScope` for blocks of a function that is not
    homogeneous, `TooLarge` when the matrices would not fit.

    >>> import numpy as np
    >>> inner = lambda A, B: A[:, 0] @ B[:, 0].T
    >>> function_rank(inner, Partition(1, 1), dx=3, points=10, prime=101).rank
    3
    """
    if not callable(network):
        raise InvalidInput(f"network must be callable, got {network!r}")
    if not isinstance(partition, Partition):
        raise InvalidInput(f"partition must be a Partition, got {partition!r}")
    dx, points, prime = whole_number("dx", dx), whole_number("points", points), check_prime(prime)
    if method not in ("full", "blocks"):
        raise InvalidInput(f"method must be full or blocks for a function, got {method!r}")
    if (method == "blocks") != (C is not None):
        raise InvalidInput(f"C must be given for method blocks and only there, got {C!r} with {method!r}")
    memory = _memory(points)
    start = time.perf_counter()
    tokens_A, tokens_B = draw_assignments(partition, dx, prime, seed, points)
    if C is None:
        found = [full_rank(network, tokens_A, tokens_B, prime, memory=memory, progress=progress)]
    else:
        sizes = [points] * (whole_number("C", C, least=0) + 1)
        blocks = block_ranks(network, tokens_A, tokens_B, sizes, prime, memory=memory, progress=progress)
        found = [block for block in blocks if block is not None]
    seconds = time.perf_counter() - start
    rank = sum(piece.rank for piece in found)
    return FunctionRank(rank, tuple(found), partition, dx, method, prime, seed, points, seconds)


def _memory(points: int) -> int:
    """Bytes that the matrices may take; raises `TooLarge` when one of them would not fit."""
    free, need = room(), BYTES_PER_ENTRY * points**2
    if need > free:
        most = int((free / BYTES_PER_ENTRY) ** 0.5)
        raise TooLarge(
            f"points = {points} needs about {readable(need)} of memory, and {readable(free)} may be used: "
            f"points = {most} would fit"
        )
    return free
