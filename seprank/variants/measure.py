"""The exact rank modulo a prime of any polynomial network, set beside the upper bounds that hold for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from seprank.errors import CheckFailed, InvalidInput
from seprank.field.elimination import Pivots, pivots
from seprank.field.primes import DEFAULT_PRIME, check_prime
from seprank.separation.assignments import draw_assignments
from seprank.separation.blocks import block_ranks
from seprank.separation.measure import another_prime
from seprank.separation.result import Piece
from seprank.separation.room import room
from seprank.validate import whole_number
from seprank.variants.graded import Values, part_matrices, refuse_other_degrees, refuse_other_forms
from seprank.variants.limits import Limit, best_upper, part_limits
from seprank.variants.sizes import Sizes
from seprank.variants.variant import Grading, Upper, Variant

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class VariantRank:
    """A lower bound on the separation rank of almost every network of this kind, exact where it meets `best_upper`.

    `pieces` holds every part of the grading, or the one matrix; `points` is the number of assignments per side.
    """

    variant: Variant
    method: str
    prime: int
    seed: int
    points: int
    pieces: tuple[Piece, ...]
    best_upper: Upper | None
    seconds: float

    @property
    def rank(self) -> int:
        """The rank: a lower bound on the separation rank for almost all weights."""
        return sum(piece.rank for piece in self.pieces)

    @property
    def certified_exact(self) -> bool:
        """Whether the rank meets a proved upper bound."""
        return self.best_upper is not None and self.rank == self.best_upper.value

    @property
    def sampled_out(self) -> bool:
        """Whether some matrix has full rank below its bound, so that more points might raise the result."""
        return any(piece.full_sample and (piece.bound is None or piece.rank < piece.bound) for piece in self.pieces)

    @property
    def status(self) -> str:
        """What the number certifies, in one line."""
        if self.certified_exact and self.best_upper is not None:
            return f"exact (certified): the rank meets the proved upper bound {self.best_upper.id}"
        if self.sampled_out:
            return "lower bound; the rank is limited by the number of points, more of them may raise it"
        return "lower bound; equals the generic rank unless the draw was unlucky"


def variant_rank(
    variant: Variant,
    *,
    prime: int = DEFAULT_PRIME,
    seed: int = 0,
    method: str | None = None,
    points: int | None = None,
    progress: Progress | None = None,
    announce: Callable[[float], None] | None = None,
) -> VariantRank:
    """Exact rank modulo `prime` of the values of a network: a lower bound on its separation rank.

    Parameters
    ----------
    method : "blocks": one rank for every part of the grading, whose sum is the rank (default where there are several);
        "full": one matrix.
    points : the most assignments per side. Left out, they are doubled until no matrix has full rank below its bound.
    prime, seed : weights and tokens are functions of them.
    progress, announce : called as ``progress(done, total)``, and with the seconds estimated for a round.

    Raises `InvalidInput`; `OutOfScope` where the network is not as it declares; `TooLarge`, with the estimate, before
    anything is computed where the bounds tell, else when a round would not fit; `CheckFailed` where the rank exceeds a
    bound that was declared.

    >>> import numpy as np
    >>> from seprank.attention.partition import Partition
    >>> inner = Variant(lambda prime, seed: lambda A, B: A[:, 0] @ B[:, 0].T % prime, 3, Partition(1, 1))
    >>> variant_rank(inner, prime=101).rank
    3
    """
    prime, seed = check_prime(prime), whole_number("seed", seed, least=0, most=2**64 - 1)
    points = None if points is None else whole_number("points", points)
    chosen = _method(variant, method)
    limits = part_limits(variant)
    best = best_upper(variant)
    start = time.perf_counter()
    sizes = Sizes(variant, chosen, limits, best, points, prime)
    sizes.refuse_hopeless()
    sizes.lines(0)
    network = variant.network(prime, seed)
    _refuse_wrong_declarations(variant, network, chosen, prime, seed)
    for number in count():
        lines = sizes.lines(number)
        if announce is not None:
            announce(sizes.seconds(lines))
        tokens = draw_assignments(variant.partition, variant.dx, prime, seed, max(lines))
        pieces = tuple(_measured(variant, Values(network, *tokens, prime), chosen, lines, limits, progress))
        if sizes.is_last(number) or not any(piece.full_sample for piece in pieces):
            break
    _refuse_contradiction(pieces, best)
    seconds = time.perf_counter() - start
    return VariantRank(variant, chosen, prime, seed, max(lines), pieces, best, seconds)


def confirmed_variant(result: VariantRank, progress: Progress | None = None) -> VariantRank:
    """The same measurement with the next seed and another prime, to tell bad luck from a lower generic rank."""
    return variant_rank(
        result.variant,
        prime=another_prime(result.prime),
        seed=(result.seed + 1) % 2**64,
        method=result.method,
        points=result.points,
        progress=progress,
    )


def _method(variant: Variant, method: str | None) -> str:
    parts = 1 if variant.grading is None else variant.grading.count
    if method is None:
        return "blocks" if parts > 1 else "full"
    if method not in ("blocks", "full"):
        raise InvalidInput(f"method must be blocks or full for a variant, got {method!r}")
    if method == "blocks" and variant.grading is None:
        raise InvalidInput(f"method must be full for the variant {variant.name}, got 'blocks': its parts are mixed")
    return method


def _measured(
    variant: Variant,
    values: Values,
    method: str,
    lines: list[int],
    limits: list[Limit] | None,
    progress: Progress | None,
) -> Iterator[Piece]:
    if method == "full" or variant.grading is None:
        yield _piece(None, _one_matrix(values, progress), None, lines[0])
        return
    found = _part_pivots(values, variant.grading, lines, progress)
    for k, size in enumerate(lines):
        yield _piece(k, found[k], None if limits is None else limits[k], size)


def _part_pivots(
    values: Values, grading: Grading, lines: list[int], progress: Progress | None
) -> Mapping[int, Pivots] | list[Pivots]:
    """Rank and pivots of every part; the bidegree blocks of a plain network have a faster road of their own."""
    C = grading.count - 1
    if grading == Grading(0, 2, C + 1, 2 * C + 1) and values.prime > grading.degree:
        tokens, memory = (values.tokens_A, values.tokens_B), max(room() // 3, 8 * max(lines) ** 2)
        blocks = block_ranks(values.network, *tokens, lines, values.prime, memory=memory, progress=progress)
        return [block for block in blocks if block is not None]
    parts = part_matrices(values, grading, lines, progress)
    return {k: pivots(matrix, values.prime) for k, matrix in parts}


def _one_matrix(values: Values, progress: Progress | None) -> Pivots:
    from seprank.separation.full import full_rank

    tokens = values.tokens_A, values.tokens_B
    return full_rank(values.network, *tokens, values.prime, memory=2**62, progress=progress)


def _piece(k: int | None, found: Pivots, limit: Limit | None, size: int) -> Piece:
    value, id = (None, None) if limit is None else (limit.value, limit.id)
    return Piece(k, found.rank, value, id, found, found.rank >= size)


def _refuse_wrong_declarations(variant: Variant, network: object, method: str, prime: int, seed: int) -> None:
    few = Values(network, *draw_assignments(variant.partition, variant.dx, prime, seed, 2), prime)  # type: ignore[arg-type]
    if variant.gram is not None:
        refuse_other_forms(few)
    if variant.grading is not None and method == "blocks":
        refuse_other_degrees(few, variant.grading)


def _refuse_contradiction(pieces: tuple[Piece, ...], best: Upper | None) -> None:
    pairs = [(piece.rank, piece.bound, f"part {piece.k}", piece.bound_id) for piece in pieces]
    if best is not None:
        pairs.append((sum(piece.rank for piece in pieces), best.value, "the network", best.id))
    for rank, limit, what, id in pairs:
        if limit is not None and rank > limit:
            raise CheckFailed(f"the rank {rank} of {what} exceeds {limit}, the upper bound {id} declared for it")
