"""Ranks over F_p of arrays and of their products, by python-flint."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import mul
from typing import Any

import flint
import numpy as np


def array_rank(array: Any, prime: int) -> int:
    """Rank over F_p of a two-dimensional integer array; `prime` must be prime."""
    return product_rank([array], prime)


def product_rank(factors: Sequence[Any], prime: int) -> int:
    """Rank over F_p of a product of two-dimensional integer arrays."""
    if any(0 in factor.shape for factor in factors):
        return 0
    return int(reduce(mul, [_matrix(factor, prime) for factor in factors]).rank())


def _matrix(array: Any, prime: int) -> Any:
    rows, columns = array.shape
    return flint.nmod_mat(rows, columns, (np.asarray(array) % prime).ravel().tolist(), prime)
