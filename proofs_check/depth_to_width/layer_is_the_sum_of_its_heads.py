"""The layer computed is eq. 3 as printed, and its heads add up.   Source: levine2020depth, eq. 3."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import NamedTuple

import numpy as np

from proofs_check.plain.attention import output_entry
from proofs_check.plain.draws import head_counts, small_tokens, small_weights, weight_matrices
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.weights import Weights

PRIME = 2147483629  # the outputs are smaller than half of it

STATEMENT = Statement(
    id="D2W.eq3",
    title="The layer computed is the layer as printed, in three arithmetics, and its heads add up",
    statement=r"$f^i=\sum_hW^{O,h}\sum_j\langle W^{Q,h}x^i,W^{K,h}x^j\rangle W^{V,h}x^j$: float64, Python integers and "
    r"residues modulo a prime give the sum over $h$, $j$ and all coordinates, at every position $i$; the layer is the "
    r"sum of the layers of its heads.",
    source="levine2020depth, eq. 3",
    scope="dx <= 4, all H dividing dx and two head sizes with H da != dx, N <= 3, whole numbers: "
    "weights from -2 to 2, tokens from -3 to 3; float64 is exact there",
    expected=Verdict.HOLDS,
)


class Sizes(NamedTuple):
    """A layer, the number of tokens, and the seed of the weights and tokens."""

    dx: int
    H: int
    da: int
    N: int
    seed: int


Values = tuple[int, ...]


def cases(level: str) -> Iterable[Sizes]:
    """All small sizes, with one seed or four."""
    heads = [(dx, H, dx // H) for dx in (1, 2, 3, 4) for H in head_counts(dx)] + [(3, 2, 2), (4, 3, 1)]
    seeds = range(4 if level == "full" else 1)
    return [Sizes(*sizes, N, seed) for sizes in heads for N in (1, 2, 3) for seed in seeds]


def weights_of(case: Sizes) -> Weights:
    """Small whole weights."""
    return small_weights(Architecture(1, case.dx, case.H, case.da), case.seed)


def library(case: Sizes) -> Values | str:
    """The library's three forward passes, which must agree."""
    from seprank.attention.layer import forward_float, forward_integers, forward_mod

    weights, tokens = weights_of(case), small_tokens(case.N, case.dx, case.seed)
    exact = forward_integers(weights, tokens)
    same_float = bool((forward_float(weights, tokens) == exact.astype(float)).all())
    same_mod = bool((forward_mod(weights, np.array(tokens), PRIME) == exact % PRIME).all())
    return tuple(int(x) for x in exact.ravel()) if same_float and same_mod else "the three disagree"


def python_flint(case: Sizes) -> Values:
    """Matrix products over F_p in python-flint, lifted to whole numbers."""
    layers = weight_matrices(weights_of(case), PRIME)
    tokens = small_tokens(case.N, case.dx, case.seed)
    found = [output_entry(layers, tokens, PRIME, position=i, entry=p) for i in range(case.N) for p in range(case.dx)]
    return tuple(x - PRIME if 2 * x > PRIME else x for x in found)


def summed(case: Sizes, heads: Iterable[int] | None = None, variant: str = "") -> Values:
    """The sum over heads, positions and coordinates, one product of seven numbers at a time."""
    arrays = [array[0].tolist() for array in weights_of(case)]
    if variant:
        arrays = [arrays["QKVO".index(name)] for name in variant]
    x = small_tokens(case.N, case.dx, case.seed)
    Q, K, V, O = arrays
    coordinates = list(product(range(case.dx), repeat=3))
    inner = list(product(range(case.da), repeat=2))

    def entry(i: int, p: int) -> int:
        return sum(
            O[h][p][e] * Q[h][a][alpha] * x[i][alpha] * K[h][a][beta] * x[j][beta] * V[h][e][gamma] * x[j][gamma]
            for h in (range(case.H) if heads is None else heads)
            for j in range(case.N)
            for a, e in inner
            for alpha, beta, gamma in coordinates
        )

    return tuple(entry(i, p) for i in range(case.N) for p in range(case.dx))


def roads() -> Mapping[str, Road]:
    """All outputs of the layer, three times."""
    return {
        "library, three arithmetics": library,
        "sum over h, j and coordinates": summed,
        "python-flint": python_flint,
    }


def holds(case: Sizes, result: Values) -> bool:
    """The heads add up."""
    return result == tuple(map(sum, zip(*(summed(case, heads=[h]) for h in range(case.H)), strict=True)))


def mutants() -> Mapping[str, Claim]:
    """Other readings of eq. 3."""
    return {
        "W^Q and W^K exchanged (scores transposed)": lambda case, result: result == summed(case, variant="KQVO"),
        "W^K and W^V exchanged": lambda case, result: result == summed(case, variant="QVKO"),
        "the first head only": lambda case, result: result == summed(case, heads=[0]),
        "the mean of the heads": lambda case, result: tuple(case.H * x for x in result) == summed(case),
    }
