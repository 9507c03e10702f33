"""Random weights give one rank, special weights a smaller one.   Source: levine2020depth, Theorem 1 (almost "
"everywhere)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proofs_check.plain.networks import Heads
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.attention.weights import random_weights
from seprank.separation.assignments import draw_assignments

PRIMES = (2147483629, 4194301)


STATEMENT = Statement(
    id="NEW.almost-everywhere",
    title="Random weights share one separation rank; special weights lie below it, never above",
    statement="Every minor of the value matrix is a polynomial in the weights, so the largest rank is reached outside "
    "the "
    "zero set of one polynomial. Random draws over two primes give one and the same rank. Lower or equal: identity "
    "matrices, equal heads, a zero key matrix, a layer that writes to one coordinate. Equal layers lose nothing here.",
    source="levine2020depth, Theorem 1 (almost everywhere in weight space)",
    scope="(L, dx, H; NA, NB) = (2, 2, 1; 1, 1), (2, 2, 1; 2, 2), (2, 2, 2; 2, 3), (2, 3, 1; 1, 2), (2, 4, 2; 2, 2): "
    "five "
    "draws each, two primes in turn, and five special settings",
    expected=Verdict.HOLDS,
    note="A draw modulo p is unlucky with a chance of about degree/p; none was. The rank of random draws is the "
    "generic "
    "rank wherever it meets a proved upper bound.",
)


class Draw(NamedTuple):
    """Sizes and which weights: a seed, or the name of a special setting."""

    L: int
    dx: int
    H: int
    NA: int
    NB: int
    weights: int | str


GENERIC = {(2, 2, 1, 1, 1): 15, (2, 2, 1, 2, 2): 18, (2, 2, 2, 2, 3): 17, (2, 3, 1, 1, 2): 39, (2, 4, 2, 2, 2): 107}
# The settings, and their ranks for the sizes above in order.
SPECIAL = {
    "identity": (15, 17, 5, 35, 17),
    "equal heads": (15, 18, 8, 39, 46),
    "zero key": (0, 0, 0, 0, 0),
    "one coordinate": (14, 17, 17, 33, 85),
    "equal layers": (15, 18, 17, 39, 107),
}


def cases(level: str) -> Iterable[Draw]:
    """Draws and special settings of every size."""
    sizes = list(GENERIC) if level == "full" else list(GENERIC)[:4]
    for size in sizes:
        yield from (Draw(*size, weights) for weights in (range(5) if level == "full" else range(3)))
        yield from (Draw(*size, weights) for weights in SPECIAL)


def matrices(case: Draw) -> tuple[list[NDArray[Any]], int]:
    """Query, key, value and output, and the prime."""
    seed = case.weights if isinstance(case.weights, int) else 0
    prime = PRIMES[seed % 2]
    arrays = [array.copy() for array in random_weights(Architecture(case.L, case.dx, case.H), prime, seed)]
    if case.weights == "identity":
        # The heads' matrices side by side are the identity.
        blocks = np.eye(case.dx, dtype=np.int64).reshape(case.H, -1, case.dx)
        for array in arrays[:3]:
            array[:] = blocks
        arrays[3][:] = blocks.swapaxes(1, 2)
    elif case.weights == "equal heads":
        for array in arrays:
            array[:] = array[:, :1]
    elif case.weights == "zero key":
        arrays[1][0] = 0
    elif case.weights == "one coordinate":
        arrays[3][0, :, 1:] = 0
    elif case.weights == "equal layers":
        for array in arrays:
            array[:] = array[:1]
    return arrays, prime


def tokens(case: Draw, prime: int) -> tuple[Any, Any]:
    """More assignments than the generic rank."""
    size = GENERIC[case[:5]] + 4
    return draw_assignments(Partition(case.NA, case.NB), case.dx, prime, 9, size)


def gram_form(case: Draw) -> int:
    """Gram form and elimination of the library."""
    from seprank.attention.weights import Weights
    from seprank.separation.full import full_rank
    from seprank.separation.network import network_function

    arrays, prime = matrices(case)
    return full_rank(network_function(Weights.from_arrays(*Heads(*arrays)), prime), *tokens(case, prime), prime).rank


def explicit_tokens(case: Draw) -> int:
    """Eq. 3 on explicit tokens and rank, in python-flint."""
    from proofs_check.plain.attention import layers_modulo, output_entry
    from proofs_check.plain.ranks import value_rank

    arrays, prime = matrices(case)
    layers = layers_modulo(*Heads(*arrays), prime)
    A, B = tokens(case, prime)
    return value_rank(lambda x: output_entry(layers, x, prime), A.tolist(), B.tolist(), prime)


def roads() -> Mapping[str, Road]:
    """The rank at the weights of the case, twice."""
    return {"Gram form, own elimination": gram_form, "eq. 3 on explicit tokens, flint": explicit_tokens}


def holds(case: Draw, result: int) -> bool:
    """The generic rank for random weights; for special ones the rank listed, at most the generic one."""
    size = case[:5]
    if isinstance(case.weights, int):
        return result == GENERIC[size]
    return result == SPECIAL[case.weights][list(GENERIC).index(size)] <= GENERIC[size]


def mutants() -> Mapping[str, Claim]:
    """Every weight setting alike, and special settings that are said to be harmless or fatal."""

    def equal_heads_are_harmless(case: Draw, result: int) -> bool:
        return case.weights != "equal heads" or result == GENERIC[case[:5]]

    def drop_is_to_zero(case: Draw, result: int) -> bool:
        return result in (0, GENERIC[case[:5]])

    return {
        "all weights have one rank": lambda case, result: result == GENERIC[case[:5]],
        "equal heads have the generic rank": equal_heads_are_harmless,
        "a special setting has the generic rank or 0": drop_is_to_zero,
    }
