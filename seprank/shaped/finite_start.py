"""What the two simulations of a finite network agree on: its sizes, its first tokens, the layers they report."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seprank.errors import InvalidInput
from seprank.shaped.setup import Setup
from seprank.validate import whole_number

RECORDS = 11


class NetworkShape(NamedTuple):
    """Whole numbers and slopes of a network of finite width: columns of a head, hidden units, s_plus and s_minus."""

    size: int
    hidden: int
    s_plus: float
    s_minus: float


def network_shape(setup: Setup) -> NetworkShape:
    """The sizes of the network that `setup` describes.

    Raises `InvalidInput` where no such network exists: heads that do not divide n, a hidden width that is no whole
    number, fewer columns than tokens, or slopes that are both 0.

    >>> network_shape(Setup(m=2, n=100, depth=5, gamma=0.5, tau0=1.0, heads=4, mlp_ratio=2.0))
    NetworkShape(size=25, hidden=200, s_plus=1.0, s_minus=0.9)
    """
    if setup.n % setup.heads:
        raise InvalidInput(f"heads must divide n in a finite network, got heads={setup.heads}, n={setup.n}")
    if setup.n < setup.m:
        raise InvalidInput(f"n must be at least m in a finite network, got n={setup.n}, m={setup.m}")
    hidden = setup.mlp_ratio * setup.n
    if setup.activates and (abs(hidden - round(hidden)) > 1e-9 * hidden or hidden < 0.5):
        raise InvalidInput(f"mlp_ratio times n must be a whole number in a finite network, got {hidden:g}")
    s_plus, s_minus = (1.0 + c / math.sqrt(setup.n) for c in (setup.c_plus, setup.c_minus))
    if setup.activates and s_plus == s_minus == 0.0:
        raise InvalidInput(f"c_plus and c_minus must leave a slope that is not 0, got {setup.c_plus:g} twice")
    return NetworkShape(setup.n // setup.heads, round(hidden), s_plus, s_minus)


def first_tokens(setup: Setup) -> NDArray[Any]:
    """Tokens X_0 (m, n) with X_0 X_0^T = n V0, whose Gram matrix is spread evenly over the columns of the heads.

    Only the Gram matrix matters with one head; with several, each begins with V0 / heads as nearly as columns allow.
    Exact up to rounding.

    >>> X = first_tokens(Setup(m=2, n=4, depth=1, gamma=0.5, tau0=1.0))
    >>> (X @ X.T / 4).round(12).tolist()
    [[1.0, 0.2], [0.2, 1.0]]
    """
    owner = np.arange(setup.n) % setup.m
    directions = (owner == np.arange(setup.m)[:, None]) / np.sqrt(np.bincount(owner, minlength=setup.m))[:, None]
    return math.sqrt(setup.n) * covariance_root(setup.start) @ directions


def covariance_root(V: NDArray[Any]) -> NDArray[Any]:
    """A symmetric R with R R^T = V for a positive semidefinite V; eigenvalues within rounding of 0 become 0.

    >>> covariance_root(np.diag([4.0, 0.0])).tolist()
    [[2.0, 0.0], [0.0, 0.0]]
    """
    values, vectors = np.linalg.eigh(V)
    return (vectors * np.sqrt(np.where(values > 1e-15 * len(V) * values[-1], values, 0.0))) @ vectors.T


def recorded_layers(depth: int, layers: Sequence[int] | None = None) -> NDArray[Any]:
    """Layers to report, ascending: those of `layers`, by default at most eleven spread evenly over 0..depth.

    Raises `InvalidInput` for layers outside 0 to depth.

    >>> recorded_layers(100).tolist(), recorded_layers(2, [2, 0]).tolist()
    ([0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100], [0, 2])
    """
    if layers is None:
        return np.unique(np.linspace(0, depth, RECORDS).round().astype(np.int64))
    return np.unique(np.array([whole_number("layers", layer, 0, depth) for layer in layers], np.int64))


def leaves_floats(layer: int, path: int) -> InvalidInput:
    """The error for a network whose covariance overflows or underflows at `layer`."""
    return InvalidInput(
        f"the covariance leaves the range of floats at layer {layer} (path {path}); "
        "a smaller radius, fewer layers or a smaller gamma keep it inside"
    )
