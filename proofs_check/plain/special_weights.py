"""Weights with structure, at which blocks lose rank: a claim for all weights must hold there too."""

from __future__ import annotations

import numpy as np

from seprank.attention.architecture import Architecture
from seprank.attention.weights import Weights, random_weights

KINDS = ("random", "zero", "small", "sparse", "identity", "diagonal", "symmetric", "rank one", "one head", "tied")


def structured(kind: str, L: int, dx: int, H: int, prime: int, seed: int = 0) -> Weights:
    """Weights of a kind in `KINDS`.

    "identity": all links I; "tied": all layers and heads alike; "sparse": half of the entries zero; "one head": the
    others zero; "diagonal": all links diagonal; "symmetric": (W^K)^T W^Q symmetric; "rank one": a rank-one query
    in layer 1; "small": entries 0 and 1; "zero": all queries zero in the last layer.
    """
    arch = Architecture(L, dx, H)
    drawn = random_weights(arch, prime, seed)
    query, key, value, output = (array.copy() for array in drawn)
    blocks = np.eye(dx, dtype=np.int64).reshape(H, arch.da, dx)
    if kind == "identity":
        query[:] = key[:] = value[:] = blocks
        output[:] = np.swapaxes(blocks, 1, 2)
    elif kind == "tied":
        query, key, value, output = (array[:1, :1] + 0 * array for array in (query, key, value, output))
    elif kind == "sparse":
        query, key, value, output = (array * (array % 2) for array in (query, key, value, output))
    elif kind == "one head":
        output[:, 1:] = 0
    elif kind == "diagonal":
        query, key, value = (array * blocks for array in (query, key, value))
        output *= np.swapaxes(blocks, 1, 2)
    elif kind == "symmetric":
        key[:] = query
    elif kind == "rank one":
        query[0, :, 1:] = 0
    elif kind == "small":
        query, key, value, output = (array % 2 for array in (query, key, value, output))
    elif kind == "zero":
        query[-1] = 0
    elif kind != "random":
        raise ValueError(f"no such kind of weights: {kind}")
    return Weights(arch, query, key, value, output)
