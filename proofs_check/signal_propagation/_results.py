"""Matrices and estimates as results of roads: how they are shown, compared, and held against a formula."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from proofs_check.estimate import Estimate
from proofs_check.verdict import Claim

ROUNDING = 1e-11


@dataclass(frozen=True, eq=False)
class Matrix:
    """A matrix that is right up to rounding."""

    array: np.ndarray

    def __str__(self) -> str:
        return f"{' x '.join(map(str, self.array.shape))}, norm {np.linalg.norm(self.array):.6g}"

    def near(self, other: Any, relative: float = ROUNDING) -> bool:
        """Whether the difference is at most `relative` times the norm; never for another shape."""
        theirs = other.array if isinstance(other, Matrix) else np.asarray(other)
        if theirs.shape != self.array.shape:
            return False
        scale = max(1e-300, float(np.linalg.norm(self.array)), float(np.linalg.norm(theirs)))
        return bool(np.linalg.norm(self.array - theirs) <= relative * scale)


def same_matrix(case: Any, first: Matrix, other: Matrix) -> bool:
    """Agreement of roads that give matrices."""
    return first.near(other)


def is_matrix(formula: Callable[[Any], Any], relative: float = ROUNDING) -> Claim:
    """The claim that a result is the matrix of a formula."""
    return lambda case, result: result.near(formula(case), relative)


def is_number(formula: Callable[[Any], float], relative: float = 0.0, sigmas: float = 5.0) -> Claim:
    """The claim that an estimate is the value of a formula, up to its errors and a stated relative part."""
    return lambda case, result: result.agrees(Estimate(float(formula(case))), sigmas, relative)


def all_numbers(
    formula: Callable[[Any], tuple[float, ...]], relative: float = 0.0, sigmas: float = 5.0
) -> Callable[[Any, tuple[Estimate, ...]], bool]:
    """The same for several estimates at once."""

    def claim(case: Any, result: tuple[Estimate, ...]) -> bool:
        values = formula(case)
        return len(values) == len(result) and all(
            found.agrees(Estimate(float(value)), sigmas, relative) for found, value in zip(result, values, strict=True)
        )

    return claim
