"""The weight matrices of a linearized self-attention network, given or drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.attention.architecture import Architecture
from seprank.errors import InvalidInput
from seprank.field.draw import residues
from seprank.field.primes import check_prime


@dataclass(frozen=True, eq=False)
class Weights:
    """The four matrices of every head of every layer.

    Parameters
    ----------
    architecture : the sizes `L`, `dx`, `H`, `da`.
    query, key, value : shape ``(L, H, da, dx)``.
    output : shape ``(L, H, dx, da)``.

    Any real numbers are accepted (nested lists, every numpy dtype): whole-number types are stored as int64,
    floating ones as float64, as read-only copies. Exact arithmetic needs whole numbers; `as_residues` says so.
    Raises `InvalidInput` for a wrong shape, a type that is not numeric, or a value that is not finite.

    Source: levine2020depth, eq. 3 (``W^Q``, ``W^K``, ``W^V``, ``W^O``).

    >>> one = [[[[1]]]]
    >>> Weights(Architecture(L=1, dx=1), query=one, key=one, value=one, output=one).is_integer
    True
    """

    architecture: Architecture
    query: NDArray[Any]
    key: NDArray[Any]
    value: NDArray[Any]
    output: NDArray[Any]

    def __post_init__(self) -> None:
        for name, shape in _shapes(self.architecture).items():
            object.__setattr__(self, name, _stored(name, getattr(self, name), shape))

    @classmethod
    def from_arrays(
        cls, query: ArrayLike, key: ArrayLike, value: ArrayLike, output: ArrayLike, residual: bool = False
    ) -> Weights:
        """The network whose sizes are read off the shape ``(L, H, da, dx)`` of `query`.

        >>> Weights.from_arrays(*[[[[[0.5]]]]] * 4).architecture
        Architecture(L=1, dx=1, H=1, da=1, residual=False)
        """
        shape = np.shape(query)
        if len(shape) != 4:
            raise InvalidInput(f"query must have shape (L, H, da, dx), got {shape}")
        L, H, da, dx = shape
        sizes = Architecture(L=L, dx=dx, H=H, da=da, residual=residual)
        return cls(sizes, *(np.asarray(array) for array in (query, key, value, output)))

    @property
    def is_integer(self) -> bool:
        """Whether all four arrays hold whole-number types, so that exact arithmetic applies."""
        return all(array.dtype == np.int64 for array in self)

    def as_residues(self, prime: int) -> tuple[NDArray[np.int64], ...]:
        """Query, key, value and output modulo `prime`, as int64 arrays with entries in ``0..prime-1``.

        Raises `InvalidInput` when the weights are floating-point numbers or `prime` is not a usable prime.
        """
        prime = check_prime(prime)
        self.require_integer()
        return tuple(whole_residues("weights", array, prime) for array in self)

    def require_integer(self) -> None:
        """Raises `InvalidInput` unless `is_integer`."""
        if not self.is_integer:
            raise InvalidInput("weights must be whole numbers for exact arithmetic, got floating-point ones")

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return iter((self.query, self.key, self.value, self.output))


def random_weights(architecture: Architecture, prime: int, seed: int) -> Weights:
    """Weights drawn uniformly from ``0..prime-1``, the same on every machine for the same `seed`.

    The four arrays are the streams ``"Q"``, ``"K"``, ``"V"``, ``"O"`` of `seprank.field.draw.residues`, filled
    in row-major order of their shapes ``(L, H, da, dx)`` (query, key, value) and ``(L, H, dx, da)`` (output).
    A rank measured at one draw is a lower bound for almost all weights. Raises `InvalidInput` for a bad prime.

    >>> random_weights(Architecture(L=2, dx=4, H=2), prime=4194301, seed=0).query.shape
    (2, 2, 2, 4)
    """
    prime = check_prime(prime)
    shapes = _shapes(architecture)
    drawn = {name: residues(seed, name[0].upper(), shape, prime) for name, shape in shapes.items()}
    return Weights(architecture, **drawn)


def whole_residues(name: str, values: ArrayLike, prime: int) -> NDArray[np.int64]:
    """`values` modulo `prime`, as a new int64 array with entries in ``0..prime-1``.

    Takes every whole-number dtype and arrays of Python ints. Raises `InvalidInput`, naming `name`, for floats,
    Booleans and everything else; `prime` is not checked here.

    >>> whole_residues("tokens", [[-1, 10**30]], 7).tolist()
    [[6, 1]]
    """
    array = np.asarray(values)
    if array.dtype == object and all(isinstance(x, int) and not isinstance(x, bool) for x in array.flat):
        return (array % prime).astype(np.int64)
    if array.dtype.kind not in "iu":
        raise InvalidInput(f"{name} must be whole numbers, got dtype {array.dtype}")
    if array.dtype == np.uint64:
        return (array % np.uint64(prime)).astype(np.int64)
    return array.astype(np.int64) % prime


def _shapes(sizes: Architecture) -> dict[str, tuple[int, ...]]:
    read = (sizes.L, sizes.H, sizes.da, sizes.dx)
    write = (sizes.L, sizes.H, sizes.dx, sizes.da)
    names = [field.name for field in fields(Weights)[1:]]
    return dict(zip(names, (read, read, read, write), strict=True))


def _stored(name: str, values: ArrayLike, shape: tuple[int, ...]) -> NDArray[Any]:
    """A read-only int64 or float64 copy of `values`, checked."""
    array = np.asarray(values)
    if array.shape != shape:
        raise InvalidInput(f"{name} must have shape {shape}, got {array.shape}")
    if array.dtype.kind in "iu" and (array.dtype.kind == "i" or array.max() <= np.iinfo(np.int64).max):
        stored: NDArray[Any] = array.astype(np.int64)
    elif array.dtype.kind == "f" and np.isfinite(array).all():
        stored = array.astype(np.float64)
    else:
        raise InvalidInput(f"{name} must hold finite real numbers below 2**63, got dtype {array.dtype}")
    stored.flags.writeable = False
    return stored
