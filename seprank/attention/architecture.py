"""The sizes of a linearized self-attention network: depth, width, heads, head size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from seprank.errors import InvalidInput
from seprank.tabular import to_html
from seprank.validate import whole_number


@dataclass(frozen=True)
class Architecture:
    """A depth-`L`, width-`dx` network of the layer of eq. 3, with `H` heads of size `da` in every layer.

    Parameters
    ----------
    L, dx, H : whole numbers, at least 1.
    da : head size, at least 1. Left out it is ``dx / H``, and then `H` must divide `dx`; a stated head size
        may be anything (real models often have ``H * da != dx``).
    residual : whether each layer adds its input (a skip connection).

    Raises `InvalidInput` when a size breaks its rule. Two architectures with the same sizes are equal and
    hash alike, however `da` was given.

    Source: levine2020depth, eq. 3 and 4.

    >>> Architecture(L=2, dx=8, H=2)
    Architecture(L=2, dx=8, H=2, da=4, residual=False)
    >>> Architecture(L=2, dx=8, H=2).degree
    9
    """

    L: int
    dx: int
    H: int = 1
    da: int = None  # type: ignore[assignment]  # None stands for dx / H and is replaced when built
    residual: bool = False

    def __post_init__(self) -> None:
        for name in ("L", "dx", "H"):
            object.__setattr__(self, name, whole_number(name, getattr(self, name)))
        if self.da is None:
            if self.dx % self.H:
                raise InvalidInput(f"H must divide dx when the head size da is not given, got H={self.H}, dx={self.dx}")
            object.__setattr__(self, "da", self.dx // self.H)
        else:
            object.__setattr__(self, "da", whole_number("da", self.da))
        if not isinstance(self.residual, bool):
            raise InvalidInput(f"residual must be True or False, got {self.residual!r}")

    @property
    def C(self) -> int:
        """Number of Gram factors after `L` layers, ``(3**L - 1) / 2`` (Lemma 1)."""
        return (3**self.L - 1) // 2

    @property
    def degree(self) -> int:
        """Degree of an output entry in the tokens, ``3**L``."""
        return 3**self.L

    @property
    def s(self) -> int:
        """Number of entries of a symmetric ``dx x dx`` matrix, ``dx (dx + 1) / 2``."""
        return self.dx * (self.dx + 1) // 2

    @property
    def is_standard(self) -> bool:
        """Whether ``H * da == dx``, as the paper assumes throughout."""
        return self.H * self.da == self.dx

    @classmethod
    def from_config(cls, source: str | PathLike[str] | Mapping[str, Any], stack: str | None = None) -> Architecture:
        """The architecture stated by a Hugging Face style ``config.json`` (a path, or its parsed content).

        `stack` is ``"encoder"`` or ``"decoder"``, needed only where the two differ in depth. See
        `seprank.attention.config.read_config` for the rules and for what was read and ignored.
        Raises `InvalidInput` or `OutOfScope`, with the reason.
        """
        from seprank.attention.config import read_config

        return read_config(source, stack=stack).architecture

    def as_dict(self) -> dict[str, int | bool]:
        """The five fields, as the JSON of every command prints them."""
        return {"L": self.L, "dx": self.dx, "H": self.H, "da": self.da, "residual": self.residual}

    def _repr_latex_(self) -> str:
        sizes = rf"L = {self.L},\; d_x = {self.dx},\; H = {self.H},\; d_a = {self.da}"
        return f"${sizes}$, with skip connections" if self.residual else f"${sizes}$"

    def _repr_html_(self) -> str:
        return to_html([self.as_dict()], "Architecture")
