"""One case of a study: what is measured, and nothing about where or when."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.errors import InvalidInput
from seprank.field.primes import DEFAULT_PRIME, check_prime
from seprank.study.key import ENGINE, case_key
from seprank.validate import whole_number

VARIANTS = ("plain",)
METHODS = ("blocks", "full", "grid", "derivative")


@dataclass(frozen=True)
class Case:
    """A network's sizes, the two sides of its input, and the draw: all that determines a measured rank.

    Parameters
    ----------
    architecture, partition : the sizes; a long input is stated by its shortest form, dx tokens on each side.
    prime : at most 2147483647.
    seed : whole number below 2**64.
    method : "blocks", "full", "grid", "derivative", or None for the choice of `separation_rank`.
    variant : which network; "plain" is the layer of eq. 3, with skip connections where the architecture says so.
    engine : name of the engine whose answer it is.

    Raises `InvalidInput` when an argument breaks its rule.

    >>> Case(Architecture(L=2, dx=4, H=2), Partition(4, 4)).key[:12]
    '85c20279b8b2'
    """

    architecture: Architecture
    partition: Partition
    prime: int = DEFAULT_PRIME
    seed: int = 0
    method: str | None = None
    variant: str = "plain"
    engine: str = ENGINE

    def __post_init__(self) -> None:
        if not isinstance(self.architecture, Architecture):
            raise InvalidInput(f"architecture must be an Architecture, got {self.architecture!r}")
        if not isinstance(self.partition, Partition):
            raise InvalidInput(f"partition must be a Partition, got {self.partition!r}")
        object.__setattr__(self, "prime", check_prime(self.prime))
        object.__setattr__(self, "seed", whole_number("seed", self.seed, least=0, most=2**64 - 1))
        if self.method is not None and self.method not in METHODS:
            raise InvalidInput(f"method must be one of {', '.join(METHODS)}, got {self.method!r}")
        if self.variant not in VARIANTS:
            raise InvalidInput(f"variant must be one of {', '.join(VARIANTS)}, got {self.variant!r}")

    def document(self) -> dict[str, Any]:
        """The case as plain data, ready for JSON."""
        return {
            "architecture": self.architecture.as_dict(),
            "partition": {"NA": self.partition.NA, "NB": self.partition.NB},
            "variant": self.variant,
            "method": self.method,
            "prime": self.prime,
            "seed": self.seed,
            "engine": self.engine,
        }

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> Case:
        """The case that `document` describes."""
        rest = {name: document[name] for name in ("variant", "method", "prime", "seed", "engine")}
        return cls(Architecture(**document["architecture"]), Partition(**document["partition"]), **rest)

    @cached_property
    def key(self) -> str:
        """The key of the case in a store, see `seprank.study.key.case_key`."""
        return case_key(self.document())
