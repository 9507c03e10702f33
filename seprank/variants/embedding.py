"""Networks behind a low-rank input embedding, the vocabulary bottleneck: the variant ``embedding``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.attention.weights import random_weights
from seprank.errors import InvalidInput
from seprank.field.draw import residues
from seprank.field.products import matmul
from seprank.separation.network import Network, network_function
from seprank.validate import whole_number
from seprank.variants.costs import gram_cost, gram_memory, refuse_deep
from seprank.variants.reported import FORM, plain_uppers
from seprank.variants.variant import Grading, Variant

Residues = NDArray[np.int64]


def embedding(arch: Architecture, rank: int, partition: Partition | None = None) -> Variant:
    """The network of `arch` on tokens ``x = E u`` with u of `rank` entries and E of shape ``(dx, rank)``.

    The separation rank is that of the function of the u. It is at most every bound that the Gram form gives a network
    of width `rank` with these heads: the first layer sees ``V_h E``, ``K_h E`` and ``Q_h E`` only. Weights are those
    of the plain network, E is the stream "E". `partition` None stands for `rank` tokens on each side, the shortest
    long input. Raises `InvalidInput` unless ``1 <= rank <= dx``. Source: wies2021vocabulary.

    >>> from seprank.variants.measure import variant_rank
    >>> found = variant_rank(embedding(Architecture(L=2, dx=4), rank=2))
    >>> found.rank, found.certified_exact
    (18, True)
    """
    refuse_deep(arch.L)
    rank = whole_number("rank", rank, most=arch.dx)
    if arch.residual:
        raise InvalidInput("residual must be False for the variant embedding, got True")
    sides = partition or Partition(rank, rank)
    narrow = Architecture(arch.L, rank, arch.H, arch.da)

    def network(prime: int, seed: int) -> Network:
        matrix = residues(seed, "E", (arch.dx, rank), prime)
        return Embedded(network_function(random_weights(arch, prime, seed), prime), matrix, prime)

    return Variant(
        network,
        rank,
        sides,
        "embedding",
        {"L": arch.L, "dx": arch.dx, "H": arch.H, "da": arch.da, "rank": rank},
        gram=arch.C,
        grading=Grading(0, 2, arch.C + 1, arch.degree) if arch.L <= 7 else None,
        bounds=tuple(
            replace(bound, scope=f"as for dx = {rank}: {bound.scope}")
            for bound in plain_uppers(narrow, sides, [*FORM, "eq18"])
        ),
        cost=gram_cost(arch),
        memory=gram_memory(arch, sides),
    )


@dataclass(frozen=True, eq=False)
class Embedded:
    """`network` on the tokens ``matrix u``, modulo `prime`; `matrix` of shape ``(dx, rank)``."""

    network: Network
    matrix: Residues
    prime: int

    def __call__(self, tokens_A: Residues, tokens_B: Residues, /) -> NDArray[Any]:
        return self.network(self._embedded(tokens_A), self._embedded(tokens_B))

    def _embedded(self, tokens: Residues) -> Residues:
        flat = matmul(tokens.reshape(-1, tokens.shape[2]), self.matrix.T, self.prime)
        return flat.reshape(*tokens.shape[:2], self.matrix.shape[0])
