"""What a construction of the k-hop task is: layers, how a string enters and the answer is read, and its margin."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.errors import InvalidInput, OutOfScope
from seprank.parallel.decoder import Array, Layer, Rows, Run, run_layers

DTYPES: dict[str, Any] = {"float64": np.float64, "float32": np.float32}


@dataclass(frozen=True, eq=False)
class Construction:
    """A causal transformer that computes hop_k on strings of length `N` over ``0..alphabet-1``.

    `layers` hold every weight; `embed` makes the state ``(..., rows, width)`` out of symbols ``(..., N)``, `read` the
    answer, -1 where it is undefined, out of the last state. `depth_formula` is the depth that is claimed; a run counts
    the true one. `largest_logit` bounds every attention logit, `gap` is the lead of the best key (natural log).
    """

    name: str
    k: int
    N: int
    alphabet: int
    dtype: str
    layers: tuple[Layer, ...]
    width: int
    depth_formula: int
    largest_logit: float
    gap: float
    embed: Callable[[NDArray[np.int64]], NDArray[np.float64]]
    read: Callable[[Array, Rows], Array]

    @property
    def heads(self) -> int:
        """The most heads in a layer."""
        return max(len(layer.heads) for layer in self.layers)

    def run(self, X: ArrayLike, keep_weights: bool = False) -> tuple[NDArray[np.int64], Run]:
        """hop_k of `X`, shape ``(..., N)``, by attention, with the run: depth, worst rounding, weights if kept.

        Raises `InvalidInput` for strings of another length or with a symbol outside the alphabet.
        """
        symbols = self.checked(X)
        state = self.embed(symbols).astype(DTYPES[self.dtype])
        done = run_layers(self.layers, state, keep_weights)
        return self.read(done.state, Rows(np)).astype(np.int64), done

    def checked(self, X: ArrayLike) -> NDArray[np.int64]:
        """`X` as int64; raises `InvalidInput` for another length or a symbol outside the alphabet."""
        symbols = np.asarray(X)
        if symbols.ndim < 1 or symbols.shape[-1] != self.N or symbols.dtype.kind not in "iu":
            raise InvalidInput(f"X must hold whole numbers in shape (..., {self.N}), got {symbols.shape}")
        if symbols.size and not 0 <= symbols.min() <= symbols.max() < self.alphabet:
            raise InvalidInput(
                f"X must hold symbols from 0 to {self.alphabet - 1}, got {symbols.min()} to {symbols.max()}"
            )
        return symbols.astype(np.int64)


def lead(N: int) -> float:
    """The gap ``ln(16 (N + 1))`` by which the best key leads, so that values up to N are read to within 1/8.

    >>> round(lead(100), 3)
    7.388
    """
    return math.log(16 * (N + 1))


def circle_gap(n: int) -> float:
    """``1 - cos(2 pi / n)``: the least loss of an inner product of two of n points of the circle; 1 for n = 1."""
    return 1 - math.cos(2 * math.pi / n) if n > 1 else 1.0


def code_gap(alphabet: int) -> float:
    """What a symbol's code loses against another symbol's, or against the zero vector that stands for none."""
    return min(1.0, circle_gap(alphabet))


def resolution(dtype: str) -> float:
    """The spacing of numbers near 1 of a number type.

    Raises `InvalidInput` unless it is "float64" or "float32".
    """
    if dtype not in DTYPES:
        raise InvalidInput(f"dtype must be one of {', '.join(DTYPES)}, got {dtype!r}")
    return float(np.finfo(DTYPES[dtype]).eps)


def meets_margin(largest_logit: float, dtype: str) -> bool:
    """Whether `dtype` resolves logits of that size: an error of ln 4 in a lead of ``ln(16 (N+1))`` uses up the margin.

    With the full lead a value is read to within 1/8, and every ln 2 of error doubles that; 1/2 is the limit.
    """
    return largest_logit * resolution(dtype) <= math.log(4)


def refuse_without_margin(
    name: str, largest_logit: float, k: int, N: int, alphabet: int, dtype: str, in_two_digits: float = math.inf
) -> None:
    """Raise `OutOfScope`, with what would work, when `meets_margin` fails.

    `in_two_digits` is the largest logit of the same construction with counts in two digits, where there is one.
    """
    if meets_margin(largest_logit, dtype):
        return
    cures = ["dtype float64"] if dtype != "float64" and meets_margin(largest_logit, "float64") else []
    cures += ["digits 2"] if in_two_digits < largest_logit and meets_margin(in_two_digits, dtype) else []
    most = math.log(4) / resolution(dtype)
    raise OutOfScope(
        f"{name} with k={k}, N={N}, alphabet={alphabet} needs logits up to {largest_logit:.1e}, and {dtype} resolves "
        f"the margin up to {most:.1e} only; {' or '.join([*cures, 'a smaller N'])} would work"
    )


def columns(names: Sequence[tuple[str, int]]) -> tuple[dict[str, int], int]:
    """First column of every named part of a state, and the width.

    >>> columns([("one", 1), ("place", 2), ("code", 2)])
    ({'one': 0, 'place': 1, 'code': 3}, 5)
    """
    at, width = {}, 0
    for name, size in names:
        at[name] = width
        width += size
    return at, width


def matrix(width: int, entries: Sequence[tuple[int, float]] | NDArray[Any]) -> NDArray[np.float64]:
    """A ``(width, m)`` matrix whose column c takes ``factor`` times state column ``entries[c][0]``.

    >>> matrix(3, [(2, 1.0), (0, 5.0)]).tolist()
    [[0.0, 5.0], [0.0, 0.0], [1.0, 0.0]]
    """
    found = np.zeros((width, len(entries)))
    for column, (row, factor) in enumerate(entries):
        found[int(row), column] = factor
    return found
