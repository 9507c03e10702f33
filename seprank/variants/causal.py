"""Attention under a causal mask, the partition written as a word: the variant ``causal``."""

from __future__ import annotations

from math import comb

from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.attention.weights import random_weights
from seprank.closed_forms.combinatorics import multiset
from seprank.closed_forms.staircase import narrow_forms
from seprank.errors import InvalidInput
from seprank.separation.network import Network
from seprank.variants.costs import refuse_deep, token_cost, token_memory
from seprank.variants.limits import monomial_blocks
from seprank.variants.reported import failing, plain_uppers
from seprank.variants.token_network import TokenNetwork, layers_of
from seprank.variants.variant import Grading, Upper, Variant, upper_from_blocks
from seprank.variants.words import checked_order, runs, sides

MASKED = "proved without a mask only: from layer 2 on the network sees the Gram matrices of prefixes"
PREFIX = "all weights, two layers, every N; counts the functions of the runs of the word"
MONOMIALS = "all weights; the number of monomials of the tokens of a side"


def causal(arch: Architecture, order: str) -> Variant:
    """The network of `arch` in which position i sees positions j <= i, read at the last position of `order`.

    `order` writes the side of every position, such as "AABB". (Read at position j it is the network of the first j
    letters.) Proposition 1 fails: the rank depends on the word. At one layer every bound of the plain network holds; at
    two layers the bound ``prefix``, linear in the number of runs. Raises `InvalidInput` for a bad word.

    >>> from seprank.variants.measure import variant_rank
    >>> [variant_rank(causal(Architecture(L=2, dx=2), order)).rank for order in ("AABB", "ABAB", "ABBA")]
    [18, 37, 26]
    """
    refuse_deep(arch.L)
    order = checked_order(order)
    if arch.residual:
        raise InvalidInput("residual must be False for the variant causal, got True")
    partition = sides(order)

    def network(prime: int, seed: int) -> Network:
        layers = layers_of(random_weights(arch, prime, seed), prime)
        return TokenNetwork(layers, order, len(order) - 1, True, prime)

    grading = Grading(int(order[-1] == "B"), 2, arch.C + 1, arch.degree) if arch.L <= 7 else None
    return Variant(
        network,
        arch.dx,
        partition,
        "causal",
        {"L": arch.L, "dx": arch.dx, "H": arch.H, "da": arch.da},
        order=order,
        grading=grading,
        bounds=_uppers(arch, order, grading),
        cost=token_cost(arch, len(order)),
        memory=token_memory(arch),
    )


def prefix_blocks(arch: Architecture, order: str) -> tuple[int, ...]:
    """Upper bounds on the parts of degree 2k, k = 0..4, in the side that does not hold the last position, at L = 2.

    With r runs of that side and q of the other, r' of the r after some run of the other side and q' of the q after
    some run of it: 1, s r, m s r - binom(m, 2) + d**2 r' + multiset(m, 2) (q' - 1), d s q, d, where layer 1 sees m
    forms of G. Proof in docs/variants.md.

    >>> prefix_blocks(Architecture(L=2, dx=2), "AABB")
    (1, 3, 6, 6, 2)
    """
    word = runs(order)
    own, d = word[-1], arch.dx
    r, q = len(word) - word.count(own), word.count(own)
    r_after, q_after = (r, q - 1) if word[0] == own else (r - 1, q)
    seen = narrow_forms(arch)
    middle = seen * arch.s * r - comb(seen, 2) + d**2 * r_after + multiset(seen, 2) * (q_after - 1)
    return 1, arch.s * r, middle, d * arch.s * q, d


def _uppers(arch: Architecture, order: str, grading: Grading | None) -> tuple[Upper, ...]:
    partition, own = sides(order), order.count(order[-1])
    plain = plain_uppers(arch, Partition(own, partition.N - own), ["gram", "staircase", "eq18"])
    if arch.L == 1:
        good = tuple(Upper(bound.id, bound.value, bound.scope) for bound in plain)
    else:
        good = failing(plain, MASKED)
    found = {}
    if arch.L == 2:
        blocks = prefix_blocks(arch, order)
        found["prefix"] = (blocks[::-1] if order.endswith("B") else blocks, PREFIX)
    if grading is not None:
        variables = arch.dx * partition.NA, arch.dx * partition.NB
        found["monomials"] = (monomial_blocks(*variables, grading.degree, grading.degrees()), MONOMIALS)
    return (*(upper_from_blocks(id, blocks, scope) for id, (blocks, scope) in found.items()), *good)
