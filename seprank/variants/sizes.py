"""How many assignments a measurement samples, round after round, and what a round costs."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

from seprank.errors import TooLarge
from seprank.field.kernels import threads
from seprank.separation.cost import BYTES_PER_ENTRY, elimination_seconds
from seprank.separation.plan import SPARE_POINTS
from seprank.separation.room import readable, room, short_count
from seprank.variants.limits import Limit
from seprank.variants.variant import Upper, Variant

FIRST_ROUND = 64  # points of the first round where they are not given; doubled until no part needs more
LONGEST_ROUND = 3600.0  # seconds from which on a round is started only if its points are asked for


@dataclass(frozen=True)
class Sizes:
    """The lines (rows and columns) of every matrix; `limits` and `best` are the bounds, `points` what was asked for."""

    variant: Variant
    method: str
    limits: list[Limit] | None
    best: Upper | None
    points: int | None
    prime: int

    def lines(self, number: int) -> list[int]:
        """The lines of every matrix in round `number` (from 0), at most those that suffice by the bounds.

        Raises `TooLarge` when the round does not fit in memory, or in an hour and its points were not asked for.
        """
        points = FIRST_ROUND << number if self.points is None else self.points
        found = [points if size is None else min(size, points) for size in self._enough()]
        self._refuse_large(found)
        return found

    def is_last(self, number: int) -> bool:
        """Whether no later round has more lines."""
        return self.points is not None or all(
            size is not None and size <= FIRST_ROUND << number for size in self._enough()
        )

    def refuse_hopeless(self) -> None:
        """Raise `TooLarge` where the bounds of a Gram form, which are near the rank, cannot be sampled."""
        if self.points is not None or self.variant.gram is None:
            return
        known = [size for size in self._enough() if size is not None]
        if len(known) < len(self._enough()):
            raise TooLarge("the upper bound is too long to write, too many points: --points 1000 gives a lower bound")
        self._refuse_large(known)

    def seconds(self, lines: list[int]) -> float:
        """Rough time of one round; rates measured on a 2 GHz core."""
        nodes = len(lines)
        evaluation = max(lines) ** 2 * nodes * (self.variant.cost + 50) * 1e-9
        mixing = 3e-9 * nodes * sum(size**2 for size in lines)
        return evaluation / threads() + mixing + elimination_seconds(lines, self.prime, threads())

    def _enough(self) -> list[int | None]:
        """Lines that suffice for every matrix by the bounds; None where no bound is known."""
        if self.method == "blocks" and self.variant.grading is not None:
            if self.limits is None:
                return [None] * self.variant.grading.count
            return [limit.value + SPARE_POINTS for limit in self.limits]
        return [None if self.best is None or self.best.value is None else self.best.value + SPARE_POINTS]

    def _needed(self, lines: list[int]) -> int:
        memory, most = self.variant.memory, max(lines)
        tokens = 32 * self.variant.partition.N * self.variant.dx
        return (
            memory.fixed
            + (memory.per_point + tokens) * most
            + BYTES_PER_ENTRY * most**2
            + 8 * sum(size**2 for size in lines)
        )

    def _refuse_large(self, lines: list[int]) -> None:
        """Raise `TooLarge` when a round does not fit in memory, or in an hour and its points were not asked for."""
        most, free, need = max(lines), room(), self._needed(lines)
        if need > free:
            raise TooLarge(
                f"the matrices need {short_count(most)} points per side, about {readable(need)} of memory, and "
                f"{readable(free)} may be used: {self._advice(free, len(lines))}"
            )
        seconds = self.seconds(lines)
        if self.points is None and seconds > LONGEST_ROUND:
            raise TooLarge(
                f"the matrices need {most} points per side or more, about {seconds / 3600:.3g} hours: "
                f"--points {most} starts that, fewer give a lower bound"
            )

    def _advice(self, free: int, matrices: int) -> str:
        few = isqrt(max(0, free - self.variant.memory.fixed) // (BYTES_PER_ENTRY + 8 * matrices))
        while few and self._needed([few] * matrices) > free:
            few = few * 9 // 10
        return f"--points {few} would fit and give a lower bound" if few else "smaller sizes would fit"
