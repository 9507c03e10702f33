"""Networks whose layers add their input: the variant ``residual``."""

from __future__ import annotations

from dataclasses import replace

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.attention.weights import random_weights
from seprank.separation.network import Network, network_function
from seprank.variants.costs import gram_cost, gram_memory, refuse_deep
from seprank.variants.reported import plain_uppers
from seprank.variants.variant import Variant


def residual(arch: Architecture, partition: Partition | None = None) -> Variant:
    """The network of `arch` with skip connections: layer l maps x to ``x + M_l(G_l) x``.

    It has mixed degrees, so one matrix is measured. Every upper bound that is proved with skip connections holds, the
    Gram and the staircase bound among them. Source: levine2020depth, Lemma 5.

    >>> from seprank.variants.measure import variant_rank
    >>> variant_rank(residual(Architecture(L=2, dx=2))).rank
    18
    """
    refuse_deep(arch.L)
    arch = replace(arch, residual=True)
    sides = partition or Partition(arch.dx, arch.dx)

    def network(prime: int, seed: int) -> Network:
        return network_function(random_weights(arch, prime, seed), prime)

    return Variant(
        network,
        arch.dx,
        sides,
        "residual",
        {"L": arch.L, "dx": arch.dx, "H": arch.H, "da": arch.da},
        gram=arch.C,
        bounds=plain_uppers(arch, sides),
        cost=gram_cost(arch),
        memory=gram_memory(arch, sides),
    )
