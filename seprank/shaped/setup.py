"""What is simulated (`Setup`) and the law that comes out (`Law`), shared by every engine of this room."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.errors import InvalidInput
from seprank.validate import real_number, whole_number

BLOCKS = ("residual", "attention", "full")
LEVELS = (5, 25, 50, 75, 95)
RADIUS_FACTOR = 20.0
ROUNDING = 1e-10


@dataclass(frozen=True, eq=False)
class Setup:
    """A shaped network of width `n` and `depth` blocks on `m` tokens, its start and the paths asked for.

    `gamma` in (0, 1] weighs the branches (skip weight sqrt(1 - gamma^2)), `tau0` > 0 is the temperature constant,
    `block` one of "residual", "attention", "full" (attention, then residual, counted as one block). `mask` is an
    m x m Boolean array (row: token that looks, column: token looked at) or None for all tokens; `heads` concatenated
    heads with `head_dim` query and key columns (default n / heads); hidden width `mlp_ratio` n; slopes
    1 + c_plus / sqrt(n) and 1 + c_minus / sqrt(n). `V0` is the m x m start, by default unit variances and correlation
    0.2. Paths stop when the Frobenius norm of V reaches `radius` (None: see `stopping_radius`).

    Raises `InvalidInput` for anything outside these rules, an asymmetric or indefinite `V0`, a token of norm 0, a
    mask of another size or with an empty row, and a radius that does not exceed the norm of `V0`.

    >>> Setup(m=2, n=100, depth=50, gamma=0.5, tau0=1.0).T
    0.5
    """

    m: int
    n: int
    depth: int
    gamma: float
    tau0: float
    block: str = "full"
    mask: NDArray[Any] | None = None
    heads: int = 1
    head_dim: int | None = None
    mlp_ratio: float = 1.0
    c_plus: float = 0.0
    c_minus: float = -1.0
    V0: NDArray[Any] | None = None
    radius: float | None = None
    seed: int = 0
    paths: int = 16384

    def __post_init__(self) -> None:
        for name in ("m", "n", "depth", "heads", "paths"):
            self._set(name, whole_number(name, getattr(self, name)))
        self._set("seed", whole_number("seed", self.seed, 0, 2**64 - 1))
        self._set("gamma", real_number("gamma", self.gamma, most=1.0, positive=True))
        for name in ("tau0", "mlp_ratio"):
            self._set(name, real_number(name, getattr(self, name), positive=True))
        for name in ("c_plus", "c_minus"):
            self._set(name, real_number(name, getattr(self, name)))
        if self.block not in BLOCKS:
            raise InvalidInput(f"block must be one of {', '.join(BLOCKS)}, got {self.block!r}")
        default = max(1, self.n // self.heads)
        self._set("head_dim", default if self.head_dim is None else whole_number("head_dim", self.head_dim))
        self._set("V0", equicorrelated(self.m, 0.2) if self.V0 is None else checked_covariance(self.V0, self.m))
        self._set("mask", None if self.mask is None else checked_mask(self.mask, self.m))
        self._set("radius", None if self.radius is None else self._checked_radius())

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _checked_radius(self) -> float:
        radius, norm = real_number("radius", self.radius, positive=True), self.start_norm
        if radius <= norm:
            raise InvalidInput(f"radius must exceed the Frobenius norm of V0, {norm:.6g}, got {radius:g}")
        return radius

    @property
    def T(self) -> float:
        """The horizon depth / n."""
        return self.depth / self.n

    @property
    def start(self) -> NDArray[Any]:
        """`V0` as an array, never None."""
        return np.asarray(self.V0, np.float64)

    @property
    def start_norm(self) -> float:
        """The Frobenius norm of `V0`."""
        return float(np.linalg.norm(self.start))

    @property
    def attends(self) -> bool:
        """Whether the block has attention."""
        return self.block != "residual"

    @property
    def activates(self) -> bool:
        """Whether the block has the shaped ReLU."""
        return self.block != "attention"

    @property
    def stopping_radius(self) -> float:
        """`radius`; by default 20 times the norm of `V0` with attention, whose drift is cubic, else infinity."""
        if self.radius is not None:
            return self.radius
        return RADIUS_FACTOR * self.start_norm if self.attends else math.inf

    @property
    def allowed(self) -> NDArray[Any]:
        """The mask as an m x m Boolean array, all True without one."""
        return np.ones((self.m, self.m), bool) if self.mask is None else self.mask

    @property
    def validity_scale(self) -> float:
        """tau0 sqrt(n): the limit describes the network while the norm of V is far below it (noci2023shaped)."""
        return self.tau0 * math.sqrt(self.n)


@dataclass(frozen=True, eq=False)
class Law:
    """The law of the stopped covariance at `times`, from paths or from a density.

    `times` (k,) in units of depth / n; `covariances` (paths, k, m, m), or None where only quantiles are known;
    `stopped` (paths,) Booleans, whether the path met the radius by the last time; `clip_rate` the share of paths on
    which a step lost positivity and was clipped (an estimate from more than 0.001 of them is not to be trusted);
    `validity` the largest Frobenius norm met over tau0 sqrt(n), far below 1 where the limit describes a network.
    `quantiles` maps an entry such as ``V11`` or ``rho12`` to its (k, 5) quantiles at `LEVELS` per cent, where paths
    are not kept. `stopped_probability` stands in for `stopped` where there are no paths.
    """

    times: NDArray[Any]
    covariances: NDArray[Any] | None
    stopped: NDArray[Any] | None
    clip_rate: float
    validity: float
    quantiles: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    stopped_probability: float | None = None

    @property
    def stopped_fraction(self) -> float:
        """The share of paths (or the probability) that met the radius."""
        if self.stopped_probability is not None:
            return self.stopped_probability
        return 0.0 if self.stopped is None else float(np.mean(self.stopped))


def equicorrelated(m: int, rho0: float) -> NDArray[Any]:
    """Unit variances and correlation `rho0`: the m x m start of a simulation.

    Raises `InvalidInput` unless -1 / (m - 1) <= rho0 <= 1.

    >>> equicorrelated(2, 0.2).tolist()
    [[1.0, 0.2], [0.2, 1.0]]
    """
    m = whole_number("m", m)
    least = -1.0 if m == 1 else -1.0 / (m - 1)
    rho0 = real_number("rho0", rho0, least, 1.0)
    V = np.full((m, m), rho0)
    np.fill_diagonal(V, 1.0)
    return V


def causal_mask(m: int) -> NDArray[Any]:
    """Token a looks at tokens 1 to a: the m x m lower triangle.

    >>> causal_mask(2).tolist()
    [[True, False], [True, True]]
    """
    return np.tril(np.ones((whole_number("m", m),) * 2, bool))


def checked_covariance(V: ArrayLike, m: int | None = None, name: str = "V0") -> NDArray[Any]:
    """`V` as a symmetric positive semidefinite float64 array with a positive diagonal; `InvalidInput` otherwise."""
    matrix = _real_matrix(V, name)
    size = m if m is not None else matrix.shape[0] if matrix.ndim else 1
    if size < 1 or matrix.shape != (size, size):
        shape = " x ".join(map(str, matrix.shape))
        raise InvalidInput(f"{name} must be a matrix of {size} x {size} numbers, got {shape or 'a single number'}")
    if not np.isfinite(matrix).all():
        raise InvalidInput(f"{name} must hold finite numbers, got {matrix[~np.isfinite(matrix)][0]}")
    scale = float(np.abs(matrix).max())
    gap = float(np.abs(matrix - matrix.T).max())
    if gap > ROUNDING * scale:
        raise InvalidInput(f"{name} must be symmetric, got entries that differ by {gap:.6g} from their mirror images")
    if (smallest := float(np.diag(matrix).min())) <= 0:
        raise InvalidInput(f"{name} must have a positive diagonal, got {smallest:.6g} on it")
    if (lowest := float(np.linalg.eigvalsh(matrix)[0])) < -ROUNDING * scale * size:
        raise InvalidInput(f"{name} must be positive semidefinite, got the eigenvalue {lowest:.6g}")
    return (matrix + matrix.T) / 2


def _real_matrix(V: ArrayLike, name: str) -> NDArray[Any]:
    try:
        matrix = np.asarray(V)
        if matrix.dtype.kind not in "fiu":
            raise TypeError
        return matrix.astype(np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must be a square matrix of real numbers, got {type(V).__name__}") from None


def checked_mask(mask: ArrayLike, m: int) -> NDArray[Any]:
    """`mask` as an m x m Boolean array in which every row allows some token; `InvalidInput` otherwise."""
    allowed = np.asarray(mask)
    if allowed.shape != (m, m):
        shape = " x ".join(map(str, allowed.shape))
        raise InvalidInput(f"mask must be {m} x {m} for m = {m}, got {shape or 'a single value'}")
    if allowed.dtype.kind != "b" and not np.isin(allowed, (0, 1)).all():
        raise InvalidInput("mask must hold True and False only, got other values")
    allowed = allowed.astype(bool)
    if empty := [str(row + 1) for row in np.flatnonzero(~allowed.any(axis=1))]:
        raise InvalidInput(f"mask must allow at least one token in every row, got an empty row {empty[0]}")
    return allowed
