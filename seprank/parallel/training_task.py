"""The task that a small trained model learns: its sizes, and its strings as a function of the seed and the step."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seprank.errors import InvalidInput, TooLarge
from seprank.field.draw import residues
from seprank.validate import real_number, whole_number

MOST_TOKENS = 1 << 16  # letters of a batch: beyond, a step takes seconds
MOST_WIDTH = 1024
MOST_DEPTH = 64
MOST_BYTES = 1 << 31  # activations of a training step, estimated
_DRAWS = 2147483647  # a prime far above every alphabet: a draw modulo it, scaled down, is uniform to within 1e-5


@dataclass(frozen=True)
class HopTask:
    """Sizes of a model and of its training; the letters of the notation table, and these.

    `k` is the most hops: every string comes with a number of hops 0..k of its own, as its first token. `N` letters
    over ``0..alphabet-1`` follow, no two neighbours equal (the authors' distribution). `dx` is the width, `H` the
    heads, `batch` the strings of a step, `rate` AdamW's learning rate after `warmup` steps in which it grows linearly.
    `dropout` acts in training alone. Raises `InvalidInput` for an argument that breaks its rule.
    """

    k: int
    N: int
    depth: int
    alphabet: int = 4
    dx: int = 64
    H: int = 4
    batch: int = 64
    rate: float = 1e-3
    warmup: int = 200
    dropout: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        whole_number("k", self.k, most=1000)
        whole_number("N", self.N, least=2, most=4096)
        whole_number("depth", self.depth, most=MOST_DEPTH)
        whole_number("alphabet", self.alphabet, least=2, most=1000)
        whole_number("dx", self.dx, most=MOST_WIDTH)
        if self.dx % whole_number("H", self.H):
            raise InvalidInput(f"H must divide dx, got H={self.H} with dx={self.dx}")
        whole_number("batch", self.batch, most=max(1, MOST_TOKENS // self.N))
        real_number("rate", self.rate, positive=True, most=1.0)
        whole_number("warmup", self.warmup)
        if not 0 <= real_number("dropout", self.dropout, least=0.0) < 1:
            raise InvalidInput(f"dropout must be a number from 0 to below 1, got {self.dropout!r}")
        whole_number("seed", self.seed, least=0, most=2**62)
        undefined = self.alphabet + (self.alphabet - 1) * (self.k - 1)  # the most positions without an answer
        if self.N <= undefined:
            raise InvalidInput(
                f"N must be above {undefined}, so that hop_{self.k} over {self.alphabet} symbols has an answer in "
                f"every string, got {self.N}"
            )
        self._refuse_if_large()

    def _refuse_if_large(self) -> None:
        tokens = self.batch * (self.N + 1)
        numbers = self.depth * tokens * (24 * self.dx + 4 * self.H * (self.N + 1))
        if 4 * numbers > MOST_BYTES:
            raise TooLarge(
                f"a training step must keep its activations within {MOST_BYTES >> 30} GiB, estimated "
                f"{4 * numbers / 2**30:.1f} GiB for batch={self.batch}, N={self.N}, depth={self.depth}, dx={self.dx}"
            )

    @property
    def seconds_per_step(self) -> float:
        """A rough time of a step on one core, for announcements: 34 ms at depth 3, N = 32, dx = 64, batch 64."""
        tokens = self.batch * (self.N + 1)
        return 1e-3 + self.depth * tokens * (12 * self.dx**2 + 16 * self.dx * self.H * 4 + 60 * (self.N + 1)) / 9e9

    def plain(self) -> dict[str, Any]:
        """The fields as plain values, for the file of a checkpoint."""
        return asdict(self)


class Batch(NamedTuple):
    """Strings (batch, N), the hops of each (batch,), and the answers (batch, N), -1 where undefined."""

    X: NDArray[np.int64]
    hops: NDArray[np.int64]
    answers: NDArray[np.int64]


def training_batch(task: HopTask, step: int) -> Batch:
    """The batch of one step: a function of the seed and the step.

    >>> batch = training_batch(HopTask(k=2, N=8, depth=1, batch=3), step=0)
    >>> batch.X.shape, batch.hops.shape, batch.answers.shape
    ((3, 8), (3,), (3, 8))
    """
    draws = residues(task.seed, f"hop-training/{step}", (task.batch, task.N + 1), _DRAWS)
    X, hops = _strings(draws[:, : task.N], task.alphabet), draws[:, task.N] * (task.k + 1) // _DRAWS
    return Batch(X, hops, _answers(X, hops, task.alphabet))


def evaluation_batch(task: HopTask, hops: int, strings: int) -> Batch:
    """Strings for one number of hops, the same for every model of these sizes; training never draws them."""
    draws = residues(0, f"hop-evaluation/{hops}", (strings, task.N), _DRAWS)
    X, every = _strings(draws, task.alphabet), np.full(strings, hops)
    return Batch(X, every, _answers(X, every, task.alphabet))


def _strings(draws: NDArray[np.int64], alphabet: int) -> NDArray[np.int64]:
    """Rows of letters, no two neighbours equal: the first uniform, each further one uniform over the others."""
    steps = 1 + draws * (alphabet - 1) // _DRAWS
    steps[:, 0] = draws[:, 0] * alphabet // _DRAWS
    found: NDArray[np.int64] = np.cumsum(steps, axis=1) % alphabet
    return found


def _answers(X: NDArray[np.int64], hops: NDArray[np.int64], alphabet: int) -> NDArray[np.int64]:
    """hop of every row by its own number of hops, -1 where undefined; all rows side by side."""
    found = np.broadcast_to(np.arange(1, X.shape[1] + 1), X.shape).copy()
    links = np.hstack([np.zeros((len(X), 1), np.int64), links_of(X, alphabet)])
    for hop in range(1, int(hops.max()) + 1):
        found = np.where((hops >= hop)[:, None], np.take_along_axis(links, found, axis=1), found)
    letters = np.hstack([np.full((len(X), 1), -1), X])
    return np.take_along_axis(letters, found, axis=1)


def links_of(X: NDArray[np.int64], alphabet: int) -> NDArray[np.int64]:
    """``find^1`` of every position of every row (rows, N), positions from 1; 0 where undefined.

    >>> links_of(np.array([[0, 1, 2, 0, 1, 3, 2, 0]]), 4).tolist()
    [[0, 0, 0, 2, 3, 0, 4, 5]]
    """
    rows, after = np.arange(len(X)), np.zeros((len(X), alphabet), np.int64)
    links = np.zeros_like(X)
    for i in range(X.shape[1]):
        if i:
            after[rows, X[:, i - 1]] = i + 1
        links[:, i] = after[rows, X[:, i]]
    return links
