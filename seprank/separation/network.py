"""Functions of two sides: the built-in attention network, and any callable of a user."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.attention.gram import GramNetwork, SideA, SideB
from seprank.attention.gram_blocks import GramBlocks, gram_blocks
from seprank.attention.weights import Weights, whole_residues
from seprank.errors import InvalidInput

Residues = NDArray[np.int64]
Values = Callable[[slice, int, int], Residues]


class Network(Protocol):
    """Any callable that gives the value for every pair of a side A and a side B assignment.

    ``tokens_A`` has shape ``(RA, NA, dx)`` and ``tokens_B`` shape ``(RB, NB, dx)``, int64 residues modulo the
    prime in use; the answer has shape ``(RA, RB)`` and a whole-number dtype, and is read modulo that prime.
    It may be called several times, with some of the rows or columns. A callable with a true attribute
    ``residual`` is refused where the network must be homogeneous.
    """

    def __call__(self, tokens_A: Residues, tokens_B: Residues, /) -> NDArray[Any]: ...


@dataclass(frozen=True, eq=False)
class AttentionNetwork:
    """Entry `entry` at the first position of side A, by the Gram form; build it with `network_function`."""

    weights: Weights
    prime: int
    entry: int = 0
    _gram: GramNetwork = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_gram", GramNetwork(self.weights, self.prime, self.entry))

    @property
    def residual(self) -> bool:
        """Whether the layers have skip connections."""
        return self.weights.architecture.residual

    def __call__(self, tokens_A: Residues, tokens_B: Residues, /) -> Residues:
        return self._gram.evaluate(self._gram.side_A(tokens_A), self._gram.side_B(tokens_B))

    def blocks(self, tokens_A: Residues, tokens_B: Residues) -> GramBlocks | None:
        """The bidegree blocks without interpolation, or None where only interpolation gives them."""
        return gram_blocks(self._gram, tokens_A, tokens_B)

    def prepared(self, tokens_A: Residues, tokens_B: Residues) -> Values:
        """The values at some rows, the first columns and side B tokens times ``t``; the sides are made once."""
        A, B = self._gram.side_A(tokens_A), self._gram.side_B(tokens_B)

        def values(rows: slice, columns: int, t: int) -> Residues:
            some = SideA(A.x[rows], A.gram[rows], A.first[rows])
            first = SideB(B.gram[:, :, :columns], B.first[:, :, :columns])
            return self._gram.evaluate(some, first, t * t)

        return values


def network_function(weights: Weights, prime: int, entry: int = 0) -> AttentionNetwork:
    """The network of eq. 3 and 4 as a callable on two sides, exact modulo `prime`.

    Calling it with tokens ``(RA, NA, dx)`` and ``(RB, NB, dx)`` returns residues ``(RA, RB)``: entry `entry`
    of the output at the first position of side A. Raises `InvalidInput` for an unusable prime,
    floating-point weights, an entry outside ``0..dx-1``, and when called, for tokens of another shape.

    >>> one = [[[[1]]]]
    >>> network = network_function(Weights.from_arrays(one, one, one, one), prime=101)
    >>> network(np.array([[[2]], [[3]]]), np.array([[[1]]])).tolist()
    [[10], [30]]
    """
    return AttentionNetwork(weights, prime, entry)


def network_values(network: Network, tokens_A: Residues, tokens_B: Residues, prime: int) -> Residues:
    """What `network` returns, in ``0..prime-1``, checked to have shape ``(RA, RB)`` and a whole-number dtype.

    Raises `InvalidInput` otherwise.
    """
    values = np.asarray(network(tokens_A, tokens_B))
    shape = (len(tokens_A), len(tokens_B))
    if values.shape != shape:
        raise InvalidInput(f"network must return an array of shape {shape}, got {values.shape}")
    if values.dtype == np.int64 and values.min() >= 0 and values.max() < prime:
        return values
    return whole_residues("values of the network", values, prime)


def prepared_values(network: Network, tokens_A: Residues, tokens_B: Residues, prime: int) -> Values:
    """The function ``(rows, columns, t)`` that gives the values at some rows of side A and the first columns of side B.

    The tokens of side B are multiplied by ``t``. Values are checked as by `network_values`, and the built-in network
    does what depends on one side only once.
    """
    if isinstance(network, AttentionNetwork):
        return network.prepared(tokens_A, tokens_B)
    return lambda rows, columns, t: network_values(network, tokens_A[rows], tokens_B[:columns] * t % prime, prime)


def side_tokens(tokens_A: ArrayLike, tokens_B: ArrayLike, prime: int) -> tuple[Residues, Residues]:
    """Both arrays modulo `prime`; raises `InvalidInput` unless they are whole numbers ``(R, N, dx)``, one `dx`."""
    sides = []
    for name, tokens in (("tokens_A", tokens_A), ("tokens_B", tokens_B)):
        array = np.asarray(tokens)
        if array.ndim != 3 or 0 in array.shape:
            raise InvalidInput(f"{name} must have shape (R, N, dx), all at least 1, got {array.shape}")
        sides.append(whole_residues(name, array, prime))
    widths = [side.shape[2] for side in sides]
    if widths[0] != widths[1]:
        raise InvalidInput(f"tokens_A and tokens_B must have the same dx, got {widths[0]} and {widths[1]}")
    return sides[0], sides[1]
