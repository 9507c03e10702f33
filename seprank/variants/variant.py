"""What a network of another kind tells about itself: its values modulo a prime, and what is known of its rank."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from seprank.attention.partition import Partition
from seprank.errors import InvalidInput
from seprank.separation.cost import TEMPORARIES, Memory
from seprank.separation.network import Network
from seprank.validate import whole_number


@dataclass(frozen=True)
class Grading:
    """The output is a sum of `count` parts, part k of degree ``first + step * k`` in the tokens of side B.

    `degree` is the degree in all tokens, the same for every part. Different parts share no monomial, so the separation
    rank is the sum of their ranks. Raises `InvalidInput` for sizes that are no such degrees.
    """

    first: int
    step: int
    count: int
    degree: int

    def __post_init__(self) -> None:
        whole_number("first", self.first, least=0)
        whole_number("step", self.step)
        whole_number("count", self.count)
        whole_number("degree", self.degree, least=self.first + self.step * (self.count - 1))

    def degrees(self) -> tuple[int, ...]:
        """The degree of every part in the tokens of side B."""
        return tuple(self.first + self.step * k for k in range(self.count))


@dataclass(frozen=True)
class Upper:
    """A proved upper bound on the separation rank for all weights, or one of plain networks that is not proved here.

    `holds` tells which. `value` is None where it has too many digits. `blocks` bounds the rank of every part of the
    grading. `scope` says for what it is proved, or why it is not.
    """

    id: str
    value: int | None
    scope: str
    holds: bool = True
    blocks: tuple[int, ...] | None = None


def upper_from_blocks(id: str, blocks: tuple[int, ...], scope: str) -> Upper:
    """The bound that is the sum of the bounds of all parts."""
    return Upper(id, sum(blocks), scope, blocks=blocks)


@dataclass(frozen=True)
class Variant:
    """A network as a function of two sides, with what is known about it.

    Parameters
    ----------
    network : called with a prime and a seed; returns a callable on tokens of shapes ``(RA, NA, dx)`` and
        ``(RB, NB, dx)`` that gives the values modulo the prime, shape ``(RA, RB)``.
    dx, partition : entries of a token, and the tokens on the two sides.
    name, parameters : how results name it.
    order : the side of every position, such as "AABB", where it matters.
    gram : the number C if the output is linear in its own token, the first of side A, and otherwise a polynomial of
        degree C or less in the Gram matrix of all tokens; then the Gram bound holds. Checked at random tokens.
    grading : the degrees in the tokens of side B, if it has them; then every part has a rank of its own. Checked, too.
    bounds : upper bounds known for it.
    cost, memory : multiplications for one pair of assignments, and bytes beside the matrices, for estimates.

    >>> import numpy as np
    >>> mine = Variant(lambda prime, seed: lambda A, B: A[:, 0] @ B[:, 0].T % prime, 3, Partition(1, 1))
    >>> mine.name
    'own'
    """

    network: Callable[[int, int], Network]
    dx: int
    partition: Partition
    name: str = "own"
    parameters: Mapping[str, object] = field(default_factory=dict)
    order: str | None = None
    gram: int | None = None
    grading: Grading | None = None
    bounds: tuple[Upper, ...] = ()
    cost: int = 100
    memory: Memory = field(default_factory=lambda: Memory(TEMPORARIES, 0))

    def __post_init__(self) -> None:
        if not callable(self.network):
            raise InvalidInput(f"network must be callable, got {self.network!r}")
        if not isinstance(self.partition, Partition):
            raise InvalidInput(f"partition must be a Partition, got {self.partition!r}")
        whole_number("dx", self.dx)
        if self.gram is not None:
            whole_number("gram", self.gram, least=0)
        for bound in self.bounds:
            if bound.blocks is not None and (self.grading is None or len(bound.blocks) != self.grading.count):
                raise InvalidInput(f"bounds must have one number for each part of the grading, got {bound.id!r}")
