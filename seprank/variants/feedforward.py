"""A feed-forward block with a polynomial activation after every attention layer: the variant ``feedforward``."""

from __future__ import annotations

from itertools import product
from math import prod
from operator import mul

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.attention.weights import random_weights
from seprank.closed_forms.combinatorics import multiset, multiset_run
from seprank.closed_forms.staircase import narrow_forms
from seprank.errors import InvalidInput
from seprank.field.draw import residues
from seprank.separation.network import Network
from seprank.validate import whole_number
from seprank.variants.costs import refuse_deep, token_cost, token_memory
from seprank.variants.limits import monomial_blocks
from seprank.variants.reported import FORM, failing, plain_uppers
from seprank.variants.token_network import FeedForward, TokenNetwork, layers_of
from seprank.variants.variant import Grading, Upper, Variant, upper_from_blocks

MOST_WORK = 30_000_000  # terms of a sum times the digits that they may have
MOST_PARTS = 1200
MOST_POWER = 1000
ACTIVATED = "proved without an activation only: higher moments of the tokens enter, too"
ABSORBED = "power 1: the block is absorbed in W^O, so the network is a plain one"
MOMENTS = "all weights, every N; by degrees in the moments of the tokens that every layer sees"
MONOMIALS = "all weights; the number of monomials of the tokens of a side"


def feedforward(
    arch: Architecture, power: int = 2, hidden: int | None = None, partition: Partition | None = None
) -> Variant:
    """The network of `arch` with a block ``z -> W2 (W1 z)^power`` after the attention of every layer.

    The power is taken entry by entry, on `hidden` entries (dx if left out). Power 1 is a plain network. The streams
    "W1" and "W2" fill ``(L, hidden, dx)`` and ``(L, dx, hidden)``. `partition` None stands for dx tokens on each side;
    higher moments may go on gaining from more. Raises `InvalidInput` for a power below 1 or above 1000.

    >>> from seprank.variants.measure import variant_rank
    >>> found = variant_rank(feedforward(Architecture(L=1, dx=2), power=2))
    >>> found.rank, found.certified_exact
    (7, True)
    """
    refuse_deep(arch.L)
    power = whole_number("power", power, most=MOST_POWER)
    inner = arch.dx if hidden is None else whole_number("hidden", hidden)
    if arch.residual:
        raise InvalidInput("residual must be False for the variant feedforward, got True")
    sides = partition or Partition(arch.dx, arch.dx)

    def network(prime: int, seed: int) -> Network:
        order = "A" * sides.NA + "B" * sides.NB
        up = residues(seed, "W1", (arch.L, inner, arch.dx), prime)
        down = residues(seed, "W2", (arch.L, arch.dx, inner), prime)
        blocks = tuple(FeedForward(up[layer], down[layer], power) for layer in range(arch.L))
        return TokenNetwork(layers_of(random_weights(arch, prime, seed), prime, blocks), order, 0, False, prime)

    grading = _grading(arch, power)
    return Variant(
        network,
        arch.dx,
        sides,
        "feedforward",
        {"L": arch.L, "dx": arch.dx, "H": arch.H, "da": arch.da, "power": power, "hidden": inner},
        gram=arch.C if power == 1 else None,
        grading=grading,
        bounds=_uppers(arch, power, sides, grading),
        cost=token_cost(arch, sides.N, inner),
        memory=token_memory(arch, inner),
    )


def moment_blocks(L: int, d: int, power: int, seen: int) -> tuple[int, ...] | None:
    """Upper bound on every part, of degree 2k in side B, k = 0 .. power**L (3**L - 1) / 2, for power at least 2.

    Layer l sees the moments of order ``2 power**(l-1)`` of the tokens (layer 1 `seen` linear forms of G), and the
    output has degree ``power (3 power)**(L-l)`` in them. Proof in docs/variants.md. None where the sum is too long.

    >>> moment_blocks(1, 2, 2, seen=3)
    (1, 3, 3)
    """
    if L > 6:
        return None
    degrees = [power * (3 * power) ** (L - 1 - l) for l in range(L)]
    weights = [power**l for l in range(L)]
    terms, digits = prod(degree + 1 for degree in degrees), sum(map(mul, weights, degrees)) * d.bit_length()
    if terms * digits > MOST_WORK:
        return None
    forms = [seen] + [multiset(d, 2 * weight) for weight in weights[1:]]
    counts = [multiset_run(count, degree) for count, degree in zip(forms, degrees, strict=True)]
    own = multiset(d, power**L)
    blocks = [0] * (sum(map(mul, weights, degrees)) + 1)
    for powers in product(*(range(degree + 1) for degree in degrees)):
        side_B = prod(run[k] for run, k in zip(counts, powers, strict=True))
        side_A = own * prod(run[degree - k] for run, degree, k in zip(counts, degrees, powers, strict=True))
        blocks[sum(map(mul, weights, powers))] += min(side_A, side_B)
    return tuple(blocks)


def _grading(arch: Architecture, power: int) -> Grading | None:
    if arch.L > 7 or power**arch.L * arch.C >= MOST_PARTS:
        return None
    return Grading(0, 2, power**arch.L * arch.C + 1, (3 * power) ** arch.L)


def _uppers(arch: Architecture, power: int, sides: Partition, grading: Grading | None) -> tuple[Upper, ...]:
    if power == 1:
        plain = plain_uppers(arch, sides, FORM)
        return tuple(Upper(bound.id, bound.value, ABSORBED, blocks=bound.blocks) for bound in plain)
    found = []
    blocks = moment_blocks(arch.L, arch.dx, power, narrow_forms(arch))
    if blocks is not None and grading is not None:
        found.append(upper_from_blocks("moments", blocks, MOMENTS))
    if grading is not None:
        variables = arch.dx * sides.NA, arch.dx * sides.NB
        counted = monomial_blocks(*variables, grading.degree, grading.degrees())
        found.append(upper_from_blocks("monomials", counted, MONOMIALS))
    return (*found, *failing(plain_uppers(arch, sides, ["gram", "staircase"]), ACTIVATED))
