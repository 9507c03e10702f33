"""How the input positions are split in two sides."""

from __future__ import annotations

from dataclasses import dataclass

from seprank.errors import InvalidInput
from seprank.validate import whole_number


@dataclass(frozen=True)
class Partition:
    """`NA` positions on side A, which holds the output position, and `NB` on side B; both at least 1.

    Without a causal mask the separation rank depends on the partition through these two numbers only
    (Proposition 1 and its unbalanced form). Raises `InvalidInput` when a size breaks its rule.

    >>> Partition.balanced(6)
    Partition(NA=3, NB=3)
    """

    NA: int
    NB: int

    def __post_init__(self) -> None:
        for name in ("NA", "NB"):
            object.__setattr__(self, name, whole_number(name, getattr(self, name)))

    @classmethod
    def balanced(cls, N: int) -> Partition:
        """Half of `N` positions on each side; `N` even and at least 2."""
        N = whole_number("N", N, least=2)
        if N % 2:
            raise InvalidInput(f"N must be even for a balanced partition, got {N}; give NA and NB instead")
        return cls(N // 2, N // 2)

    @property
    def N(self) -> int:
        """Number of positions."""
        return self.NA + self.NB

    @property
    def n(self) -> int:
        """Size of the smaller side."""
        return min(self.NA, self.NB)

    def is_long(self, dx: int) -> bool:
        """Whether both sides have at least `dx` positions, from where on more of them change nothing."""
        return self.n >= dx
