"""Entries of matrices and laws as results of roads: how they are shown, compared, and held against a formula."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from proofs_check.estimate import Estimate
from proofs_check.plain.shaped_formulas import packed, pairs
from proofs_check.plain.shaped_laws import distance, distance_to
from proofs_check.verdict import Claim

EXACT = 1e-12
LOST = 7.25  # log(2 / 1e-6) / 2: a distance that a right law exceeds once in a million


@dataclass(frozen=True, eq=False)
class Entries:
    """Numbers with standard errors; they are compared relative to the largest of them."""

    values: Any
    errors: Any = 0.0

    def __str__(self) -> str:
        flat = np.ravel(self.values).astype(float)
        errors = np.broadcast_to(np.ravel(self.errors), flat.shape)
        least = 1e-9 * max(1e-300, float(np.abs(flat).max()))  # digits below depend on the machine
        shown = [
            str(Estimate(float(v) if abs(v) > least else 0.0, float(e) if e > least else 0.0))
            for v, e in zip(flat[:3], errors[:3], strict=True)
        ]
        return ", ".join(shown) + (f" and {len(flat) - 3} more" if len(flat) > 3 else "")

    def agrees(self, other: Entries, sigmas: float = 5.0, relative: float = 0.0) -> bool:
        """Whether every entry differs by at most `sigmas` standard errors plus `relative` times the largest entry."""
        mine, theirs = np.ravel(self.values), np.ravel(other.values)
        if mine.shape != theirs.shape or not (np.isfinite(mine).all() and np.isfinite(theirs).all()):
            return False
        errors = np.hypot(np.ravel(self.errors), np.ravel(other.errors))
        scale = max(float(np.abs(mine).max()), float(np.abs(theirs).max()))
        return bool((np.abs(mine - theirs) <= sigmas * errors + relative * scale).all())


def upper(matrix: Any) -> Any:
    """The entries a <= b of a matrix."""
    return np.asarray(matrix)[pairs(np.shape(matrix)[-1])]


def upper_noise(noise: Any) -> Any:
    """The distinct entries of a covariance of entries."""
    return upper(packed(np.asarray(noise)))


def are_entries(formula: Callable[[Any], Any], relative: float = EXACT) -> Claim:
    """The claim that a result has the entries of a formula, within 5 standard errors and a relative part."""
    return lambda case, result: result.agrees(Entries(formula(case)), relative=relative)


@dataclass(frozen=True, eq=False)
class Samples:
    """Draws of several numbers, (numbers, paths)."""

    values: Any
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.values.shape[1]} paths, medians " + ", ".join(f"{v:.2f}" for v in np.median(self.values, axis=1))

    def distance(self, other: Samples | Grid) -> float:
        """The largest Kolmogorov-Smirnov distance over the numbers."""
        if isinstance(other, Grid):
            return distance_to(self.values[0], other.points, other.cdf)
        return max(distance(x, y) for x, y in zip(self.values, other.values, strict=True))

    def allowed(self, other: Samples | Grid, bias: float) -> float:
        """What chance explains (once in a million for one number), plus a stated bias."""
        inverse = 1 / self.values.shape[1] + (0 if isinstance(other, Grid) else 1 / other.values.shape[1])
        return math.sqrt(LOST * inverse) + bias

    def agrees(self, other: Samples | Grid, bias: float = 0.0) -> bool:
        """Whether the distance is within `allowed`."""
        return self.distance(other) <= self.allowed(other, bias)


@dataclass(frozen=True, eq=False)
class Grid:
    """A distribution function at ascending points."""

    points: Any
    cdf: Any
    facts: tuple[float, ...] = field(default=())

    def __str__(self) -> str:
        keep = np.concatenate([[True], np.diff(self.cdf) > 1e-15])
        shown = np.interp((0.05, 0.5, 0.95), self.cdf[keep], self.points[keep])
        return "5 %, 50 %, 95 %: " + ", ".join(f"{v:.4f}" for v in shown)
