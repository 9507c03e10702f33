"""Kinds of attention that finite networks are built with: shaped, its ablations, plain softmax, Pre-LN."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from seprank.errors import InvalidInput
from seprank.shaped.setup import Setup


@dataclass(frozen=True)
class Variant:
    """The three ingredients of shaped attention, each removable, and what the skip connection and layer norm do.

    `identity`: I is added. `centred`: the uniform matrix is subtracted. `tempered`: logits are divided by
    tau0 sqrt(n head_dim), else by sqrt(head_dim). `unit_weights`: branch and skip weigh 1 instead of gamma and
    sqrt(1 - gamma^2). `layer_norm`: branches see tokens divided by their root mean square (Pre-LN without mean
    subtraction, which changes V by O(1/n)). Source: noci2023shaped, section 4.1 and Fig. 4.
    """

    identity: bool = True
    centred: bool = True
    tempered: bool = True
    unit_weights: bool = False
    layer_norm: bool = False

    def temperature(self, setup: Setup) -> float:
        """What logits n^-1 X WQ WK^T X^T are divided by.

        >>> setup = Setup(m=2, n=100, depth=1, gamma=0.5, tau0=2.0, head_dim=25)
        >>> Variant().temperature(setup), Variant(tempered=False).temperature(setup)
        (100.0, 5.0)
        """
        root = math.sqrt(setup.head_dim or 1)
        return setup.tau0 * math.sqrt(setup.n) * root if self.tempered else root

    def weights(self, gamma: float) -> tuple[float, float]:
        """Of the skip connection and of the branch.

        >>> Variant().weights(0.6), Variant(unit_weights=True).weights(0.6)
        ((0.8, 0.6), (1.0, 1.0))
        """
        return (1.0, 1.0) if self.unit_weights else (math.sqrt(1.0 - gamma * gamma), gamma)


_PLAIN = Variant(identity=False, centred=False, tempered=False)
VARIANTS: Mapping[str, Variant] = MappingProxyType(
    {
        "shaped": Variant(),
        "no-centring": Variant(centred=False),
        "no-identity": Variant(identity=False),
        "no-temperature": Variant(tempered=False),
        "plain": _PLAIN,
        "plain-unit": Variant(identity=False, centred=False, tempered=False, unit_weights=True),
        "pre-ln": Variant(identity=False, centred=False, tempered=False, unit_weights=True, layer_norm=True),
    }
)


def variant(name: str) -> Variant:
    """The kind of attention called `name`, one of `VARIANTS`. Raises `InvalidInput` for other names.

    >>> variant("no-identity").identity
    False
    """
    if name not in VARIANTS:
        raise InvalidInput(f"variant must be one of {', '.join(VARIANTS)}, got {name!r}")
    return VARIANTS[name]
