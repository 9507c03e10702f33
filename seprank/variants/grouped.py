"""Keys and values shared by groups of heads (grouped-query attention): the variant ``gqa``."""

from __future__ import annotations

import numpy as np

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.attention.weights import Weights
from seprank.closed_forms.staircase import narrow_forms
from seprank.errors import InvalidInput
from seprank.field.draw import residues
from seprank.separation.network import Network, network_function
from seprank.validate import whole_number
from seprank.variants.costs import gram_cost, gram_memory, refuse_deep
from seprank.variants.layer_forms import layer_form_blocks
from seprank.variants.reported import FORM, plain_uppers, staircase_cover
from seprank.variants.variant import Grading, Upper, Variant, upper_from_blocks

SCOPES = {
    "staircase.groups": "all weights, every N; layer 1 sees the forms of G only that its shared keys and values allow",
    "layer-forms": "all weights, every N; by degrees in the few forms that every layer reads",
}


def grouped_weights(arch: Architecture, groups: int, prime: int, seed: int) -> Weights:
    """Random weights in which heads ``g H / groups`` to ``(g + 1) H / groups - 1`` share key and value number g.

    Queries and outputs are those of `random_weights`; the streams "K" and "V" fill arrays ``(L, groups, da, dx)``, so
    that as many groups as heads give the plain network. Raises `InvalidInput` unless `groups` divides H.
    """
    groups = checked_groups(arch, groups)
    read, shared = (arch.L, arch.H, arch.da, arch.dx), (arch.L, groups, arch.da, arch.dx)
    query, output = residues(seed, "Q", read, prime), residues(seed, "O", (arch.L, arch.H, arch.dx, arch.da), prime)
    key, value = (np.repeat(residues(seed, name, shared, prime), arch.H // groups, axis=1) for name in "KV")
    return Weights(arch, query, key, value, output)


def grouped(arch: Architecture, groups: int, partition: Partition | None = None) -> Variant:
    """The network of `arch` with keys and values shared by `groups` groups of heads of equal size.

    It is a plain network with H heads, so every upper bound of that one holds. Two better ones count the at most
    ``groups * da**2`` forms of G that layer 1 sees, and what later layers read. Raises `InvalidInput` unless
    `groups` divides H. Source of the layer: ainslie2023gqa.

    >>> from seprank.variants.measure import variant_rank
    >>> variant_rank(grouped(Architecture(L=2, dx=4, H=4), groups=1)).rank
    8
    """
    refuse_deep(arch.L)
    groups = checked_groups(arch, groups)
    sides = partition or Partition(arch.dx, arch.dx)

    def network(prime: int, seed: int) -> Network:
        return network_function(grouped_weights(arch, groups, prime, seed), prime)

    return Variant(
        network,
        arch.dx,
        sides,
        "gqa",
        {"L": arch.L, "dx": arch.dx, "H": arch.H, "da": arch.da, "groups": groups},
        gram=arch.C,
        grading=Grading(0, 2, arch.C + 1, arch.degree) if arch.L <= 7 else None,
        bounds=(*_shared(arch, groups), *plain_uppers(arch, sides, [*FORM, "eq18"])),
        cost=gram_cost(arch),
        memory=gram_memory(arch, sides),
    )


def checked_groups(arch: Architecture, groups: int) -> int:
    """`groups` if it divides the number of heads of a network without skip connections; else `InvalidInput`."""
    groups = whole_number("groups", groups)
    if arch.residual:
        raise InvalidInput("residual must be False for the variant gqa, got True")
    if arch.H % groups:
        raise InvalidInput(f"groups must divide H, got groups={groups}, H={arch.H}")
    return groups


def _shared(arch: Architecture, groups: int) -> tuple[Upper, ...]:
    """The bounds with the forms that `groups` pairs of key and value see."""
    seen = narrow_forms(Architecture(arch.L, arch.dx, groups, arch.da))
    found = {
        "staircase.groups": staircase_cover(arch.L, arch.dx, seen),
        "layer-forms": layer_form_blocks(arch.L, arch.dx, groups * arch.da**2),
    }
    return tuple(upper_from_blocks(id, blocks, SCOPES[id]) for id, blocks in found.items() if blocks is not None)
