"""A measured rank: what was found, what it certifies, and how it compares with the proved bounds."""

from __future__ import annotations

from dataclasses import dataclass

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.closed_forms.magnitude import integer_root
from seprank.closed_forms.report import Bound, BoundReport
from seprank.field.elimination import Pivots
from seprank.tabular import Row, to_html, to_latex


@dataclass(frozen=True)
class Piece:
    """One eliminated matrix: block `k`, or all of it (`k` None), with the pivots of a minor that is not zero.

    `bound` is the best proved upper bound on the rank of the block and `bound_id` the name of that bound (both None for
    the whole matrix), `full_sample` whether the rank equals the number of sampled rows or columns, so that more points
    might raise it. With the method "derivative" `weights` names the special weights that gave the rank, `source` is
    the block that was measured there, and `pivots` is empty where that is another one, from which this one follows.
    """

    k: int | None
    rank: int
    bound: int | None
    bound_id: str | None
    pivots: Pivots
    full_sample: bool
    weights: str = ""
    source: int | None = None


@dataclass(frozen=True)
class RankResult:
    """A certified lower bound on the separation rank, for almost all weights, and how it compares.

    `rank` is exact modulo `prime` at the weights and tokens drawn from `seed`. It is a lower bound on the
    separation rank of almost every network of the architecture; `certified_exact` says that it equals the
    proved upper bound `best_upper`, and then it is the exact value with no probability in it. With the method
    "derivative" no tokens are drawn, `points` is 0, and each block has weights of its own.
    """

    architecture: Architecture
    partition: Partition
    method: str
    prime: int
    seed: int
    points: int
    rank: int
    pieces: tuple[Piece, ...]
    report: BoundReport
    seconds: float

    @property
    def gram_bound(self) -> int | None:
        """The Gram bound as an integer; None when it has more than 4,000 digits."""
        return whole_value(self.report["gram"])

    @property
    def best_upper(self) -> Bound:
        """The least proved upper bound."""
        best = self.report.best_upper
        if best is None:
            raise ArithmeticError("the Gram bound is always valid")
        return best

    @property
    def best_upper_value(self) -> int | None:
        """Its value; None when it has more than 4,000 digits."""
        return whole_value(self.best_upper)

    @property
    def certified_exact(self) -> bool:
        """Whether the rank meets the proved upper bound."""
        return self.rank == self.best_upper_value

    @property
    def sampled_out(self) -> bool:
        """Whether some matrix had full rank below its bound, so that more points might raise the result."""
        return any(piece.full_sample and (piece.bound is None or piece.rank < piece.bound) for piece in self.pieces)

    @property
    def blocks(self) -> tuple[Piece, ...] | None:
        """The blocks in order of k, or None for the other methods."""
        return self.pieces if self.method in ("blocks", "derivative") else None

    @property
    def status(self) -> str:
        """What the number certifies, in one line."""
        if self.certified_exact:
            return f"exact (certified): the rank meets the proved upper bound {self.best_upper.id}"
        if self.sampled_out:
            return "lower bound; the rank is limited by the number of points, more of them may raise it"
        if self.method == "derivative":
            return "lower bound; at special weights, so the generic rank may be higher"
        return "lower bound; equals the generic rank unless the draw was unlucky"

    def _repr_html_(self) -> str:
        return to_html(self._rows(), self._caption())

    def _repr_latex_(self) -> str:
        return to_latex(self._rows(), self._caption())

    def _caption(self) -> str:
        sides = f"NA = {self.partition.NA}, NB = {self.partition.NB}"
        return f"Separation rank of {self.architecture}, {sides}: {self.rank} ({self.status})"

    def _rows(self) -> list[Row]:
        if self.blocks is None:
            return [
                {"method": self.method, "rank": self.rank, "bound": self.best_upper_value, "by": self.best_upper.id}
            ]
        return [
            {"block k": piece.k, "rank": piece.rank, "bound": piece.bound, "by": piece.bound_id}
            for piece in self.blocks
        ]


def whole_value(bound: Bound) -> int | None:
    """The whole part of a bound; None when it has more than 4,000 digits."""
    pair = bound.magnitude.pair
    return None if pair is None else integer_root(pair[0].numerator // pair[0].denominator, pair[1])
