"""One architecture and partition, with the quantities that several bounds need."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.closed_forms import explicit, gram, isotropic, staircase
from seprank.closed_forms.known import Known, contained_value, known_value


@dataclass(frozen=True)
class Case:
    """One architecture and partition (None: long input), with what several rules need."""

    arch: Architecture
    partition: Partition | None

    @cached_property
    def long(self) -> bool:
        """Whether both sides have at least dx tokens."""
        return self.partition is None or self.partition.is_long(self.arch.dx)

    @cached_property
    def n(self) -> int:
        """Tokens on the smaller side, counted up to dx."""
        return explicit.tokens_per_side(self.arch, self.partition)

    @cached_property
    def gram(self) -> gram.GramBound:
        return gram.gram_bound(self.arch, self.partition)

    @cached_property
    def known(self) -> Known | None:
        return known_value(self.arch, self.partition)

    @cached_property
    def contained(self) -> Known | None:
        """The best exact value of a network contained in this one; None where its own value is known."""
        return None if self.known else contained_value(self.arch, self.partition)

    @cached_property
    def below_threshold(self) -> bool:
        return 3**self.arch.L < self.arch.dx

    @cached_property
    def above_threshold(self) -> bool:
        return 3**self.arch.L > self.arch.dx

    @cached_property
    def staircase_blocks(self) -> list[int] | None:
        """Staircase bounds of the blocks; None where they are the Gram bounds or too many."""
        arch = self.arch
        if arch.L > staircase.MOST_DEPTH or (arch.H == 1 and arch.da >= arch.dx):
            return None
        return staircase.staircase_blocks(arch)

    @cached_property
    def isotropic_blocks(self) -> list[int] | None:
        """Isotropic bounds of the blocks of a plain one-head network; None elsewhere or where too many."""
        arch = self.arch
        if arch.H != 1 or arch.residual or arch.L > isotropic.MOST_DEPTH:
            return None
        return isotropic.isotropic_blocks(arch)

    @cached_property
    def gram_blocks(self) -> list[int] | None:
        """Gram bounds of the blocks for this number of tokens; None where they are too many."""
        partition = self.partition or Partition(self.arch.dx, self.arch.dx)
        if not gram.affordable(self.arch, partition):
            return None
        return gram.gram_blocks(self.arch, partition)

    def least_sum(self, blocks: list[int]) -> int:
        """Sum over blocks; for a plain network on few tokens, of the smaller of these and the Gram blocks.

        With skip connections the blocks are no longer separate, and only the sum as proved is a bound.
        """
        if self.long or self.arch.residual or self.gram_blocks is None:
            return sum(blocks)
        return sum(map(min, blocks, self.gram_blocks))
