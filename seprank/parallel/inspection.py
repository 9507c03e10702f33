"""Where attention looks: the share of every head's weight on find^j(i), on the previous token, on the token itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.errors import InvalidInput
from seprank.parallel.strings import string_without_repeats
from seprank.parallel.training_task import links_of
from seprank.validate import whole_number

if TYPE_CHECKING:
    from seprank.parallel.training import HopTraining

PREVIOUS, SELF, SPREAD = "previous", "self", "spread"
CLEAR = 0.3  # a head looks at a target from this share on
FIRST = 0.2  # positions before this share of the string are left out: there every key is near


@dataclass(frozen=True)
class HeadLook:
    """One head of one layer (both counted from 1): the share of weight on each target, and the authors' cosine.

    `shares` maps "previous", "self", "find^1", ... to the mean weight on that token, over positions where it exists;
    `uniform` is what equal weights on all earlier tokens would give; `cosines` maps the same names to
    ``<A, F> / sqrt(<F, F> <A, A>)`` with F the 0/1 matrix of the target.
    """

    layer: int
    head: int
    shares: dict[str, float]
    cosines: dict[str, float]
    uniform: float

    @property
    def best(self) -> str:
        """The target with the largest share."""
        return max(self.shares, key=self.shares.__getitem__)

    @property
    def share(self) -> float:
        """The largest share."""
        return self.shares[self.best]

    @property
    def looks_at(self) -> str:
        """The target with the largest share, or "spread" where that share is below `CLEAR`."""
        return self.best if self.share >= CLEAR else SPREAD


def target_positions(X: ArrayLike, most_hops: int) -> dict[str, NDArray[np.int64]]:
    """Position from 1 of every target for every position of every row of `X` (rows, N); 0 where there is none.

    >>> found = target_positions([[0, 1, 0, 1, 0]], most_hops=2)
    >>> found["previous"].tolist(), found["find^1"].tolist(), found["find^2"].tolist()
    ([[0, 1, 2, 3, 4]], [[0, 0, 2, 3, 4]], [[0, 0, 0, 2, 3]])
    """
    rows = np.atleast_2d(np.asarray(X, np.int64))
    places = np.broadcast_to(np.arange(1, rows.shape[1] + 1), rows.shape)
    links = np.hstack([np.zeros((len(rows), 1), np.int64), links_of(rows, int(rows.max()) + 1)])
    found = {PREVIOUS: places - 1, SELF: places}
    reached = places
    for j in range(1, whole_number("most_hops", most_hops) + 1):
        reached = np.take_along_axis(links, reached, axis=1)
        found[f"find^{j}"] = reached
    return found


def inspect_weights(weights: Sequence[Sequence[NDArray[Any]]], X: ArrayLike, most_hops: int) -> list[HeadLook]:
    """What every head looks at, from its weights ``weights[layer][head]`` of shape (rows, tokens, tokens).

    Parameters
    ----------
    X : letters (rows, N); tokens before the first letter (a task or a start token) are told by ``tokens - N``.
    most_hops : targets find^1 .. find^most_hops.

    Estimates over the strings given, exact for these. Positions in the first fifth of a string are left out. Raises
    `InvalidInput` for weights of another shape. Source: sanford2024log, Section 4 (the comparison with find^j).
    """
    letters = np.atleast_2d(np.asarray(X, np.int64))
    rows, N = letters.shape
    targets, start = target_positions(letters, most_hops), int(FIRST * N)
    found = []
    for layer, heads in enumerate(weights, start=1):
        for head, full in enumerate(heads, start=1):
            before = full.shape[-1] - N
            if full.shape[:-2] != (rows,) or full.shape[-2] != full.shape[-1] or before < 0:
                raise InvalidInput(
                    f"weights must have shape ({rows}, tokens, tokens), tokens at least {N}, got {full.shape}"
                )
            A = np.asarray(full, np.float64)[:, before:, before:][:, start:]
            shares, cosines = {}, {}
            for name, places in targets.items():
                defined = places[:, start:] > 0
                if not defined.any():
                    continue
                on = np.take_along_axis(A, np.maximum(places[:, start:] - 1, 0)[..., None], axis=2)[..., 0][defined]
                shares[name] = float(on.mean())
                cosines[name] = float(on.sum() / np.sqrt(defined.sum() * (A**2).sum())) if A.any() else 0.0
            uniform = float(np.mean(1 / np.arange(start + 1 + before, N + 1 + before)))
            found.append(HeadLook(layer, head, shares, cosines, uniform))
    return found


def inspect_run(run: HopTraining, k: int, strings: int = 20, seed: int = 0) -> list[HeadLook]:
    """What every head of a trained model looks at when asked for hop_k: means over fresh strings, dropout off.

    Targets are find^1 .. find^(k+1), of which those that no string has are left out. Raises `InvalidInput`.
    """
    count = whole_number("strings", strings, most=10_000)
    X = np.stack([string_without_repeats(run.task.N, run.task.alphabet, seed + each) for each in range(count)])
    return inspect_weights(trained_weights(run, X, k), X, k + 1)


def trained_weights(run: HopTraining, X: ArrayLike, hops: int) -> list[list[NDArray[Any]]]:
    """Attention weights ``[layer][head]`` (rows, N + 1, N + 1) of a trained model, dropout off; token 0 is `hops`.

    Raises `InvalidInput` for strings of another length or alphabet, or more hops than the model was trained for.
    """
    import torch

    from seprank.parallel.training import torch_alone

    task, letters = run.task, np.atleast_2d(np.asarray(X, np.int64))
    if letters.shape[1] != task.N or not 0 <= letters.min() <= letters.max() < task.alphabet:
        raise InvalidInput(
            f"X must be {task.N} symbols from 0 to {task.alphabet - 1} for this model, got {letters.shape[1]} "
            f"from {letters.min()} to {letters.max()}"
        )
    hops = whole_number("k", hops, least=0, most=task.k)
    kept: list[torch.Tensor] = []
    run.model.eval()
    with torch_alone(), torch.no_grad():
        run.model(torch.from_numpy(letters), torch.full((len(letters),), hops), kept)
    return [[layer[:, head].double().numpy() for head in range(task.H)] for layer in kept]
