"""Attention weights of one string as maps with their titles: what the figures of attention are drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seprank.errors import InvalidInput
from seprank.parallel.inspection import SPREAD, HeadLook, inspect_weights, target_positions, trained_weights
from seprank.validate import whole_number

if TYPE_CHECKING:
    from seprank.parallel.construction import Construction
    from seprank.parallel.training import HopTraining


MOST_N = 2000  # of a string whose weights are kept


@dataclass(frozen=True, eq=False)
class AttentionMap:
    """One head on one string: `weights` (N, N) between the letters, what it looks at, and where that is.

    `targets[i - 1]` is the position (from 1) of the target of position i, 0 where there is none; all 0 for a head
    that looks at nothing in particular.
    """

    weights: NDArray[np.float64]
    look: HeadLook
    targets: NDArray[np.int64]


def construction_maps(built: Construction, X: ArrayLike) -> list[AttentionMap]:
    """The maps of every head of a construction on one string `X` (N,).

    Raises `InvalidInput` for another length, or one above `MOST_N`.
    """
    letters = np.asarray(X)
    if letters.size > MOST_N:
        raise InvalidInput(f"N must be at most {MOST_N} where all attention weights are kept, got {letters.size}")
    _, run = built.run(letters[None], keep_weights=True)
    return attention_maps(run.weights, letters, built.k)


def trained_maps(run: HopTraining, X: ArrayLike, k: int) -> list[AttentionMap]:
    """The maps of every head of a trained model asked for hop_k on one string `X` (N,); raises `InvalidInput`."""
    return attention_maps(trained_weights(run, X, k), X, k)


def attention_maps(weights: Sequence[Sequence[NDArray[Any]]], X: ArrayLike, k: int) -> list[AttentionMap]:
    """The maps of weights ``[layer][head]`` (1, tokens, tokens) on one string `X` (N,); targets up to find^(k+1)."""
    letters = np.asarray(X, np.int64)
    N = len(letters)
    looks = inspect_weights(weights, letters, whole_number("k", k, least=0) + 1)
    places = target_positions(letters, k + 1)
    flat = [np.asarray(head[0], np.float64)[-N:, -N:] for heads in weights for head in heads]
    nowhere = np.zeros(N, np.int64)
    return [
        AttentionMap(A, look, nowhere if look.looks_at == SPREAD else places[look.looks_at][0])
        for A, look in zip(flat, looks, strict=True)
    ]


def furthest(maps: Sequence[AttentionMap]) -> list[AttentionMap]:
    """Of every layer the map of the head that looks furthest: at find^j with the largest j, else at another target.

    Of several such heads it is the one with the largest share.

    >>> from seprank.parallel.constructions import hop_construction
    >>> built = hop_construction("C3", k=2, N=8, alphabet=3)
    >>> [each.look.head for each in furthest(construction_maps(built, [0, 1, 2, 0, 1, 2, 0, 1]))]
    [1, 1, 1]
    """
    layers = sorted({each.look.layer for each in maps})
    return [max((m for m in maps if m.look.layer == layer), key=_reach) for layer in layers]


def _reach(each: AttentionMap) -> tuple[int, float]:
    """Hops of the target, 0 for the previous token and the token itself, -1 for none; and the share."""
    hops = each.look.looks_at.partition("^")[2]
    return int(hops) if hops else -(each.look.looks_at == SPREAD), each.look.share
