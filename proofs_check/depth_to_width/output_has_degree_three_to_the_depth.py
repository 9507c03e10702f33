"""Depth L is eq. 3 composed L times: homogeneous of degree 3^L.   Source: levine2020depth, eq. 4."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from proofs_check.plain.attention import layers_modulo, output_entry
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.weights import random_weights
from seprank.field.draw import residues

PRIME = 2147483629

STATEMENT = Statement(
    id="D2W.eq4",
    title="The depth-L network is homogeneous of degree 3^L in its tokens",
    statement=r"$y^i(t x^1,\dots,t x^N)=t^{\,3^L}\,y^i(x^1,\dots,x^N)$, for eq. 3 composed $L$ times.",
    source="levine2020depth, eq. 4",
    scope="L <= 3, dx <= 4, all H dividing dx, N = 3, random weights and tokens modulo a prime",
    expected=Verdict.HOLDS,
)


class Sizes(NamedTuple):
    """An architecture and the factor t."""

    L: int
    dx: int
    H: int
    t: int


def cases(level: str) -> Iterable[Sizes]:
    """All small sizes, two factors each."""
    depths, factors = ((1, 2, 3), (2, 5)) if level == "full" else ((1, 2), (2,))
    sizes = [(dx, H) for dx in (1, 2, 3, 4) for H in range(1, dx + 1) if dx % H == 0]
    return [Sizes(L, dx, H, t) for L in depths for dx, H in sizes for t in factors]


def tokens(case: Sizes) -> np.ndarray:
    """Three random tokens, multiplied by t."""
    return residues(1, "tokens", (3, case.dx), PRIME) * case.t % PRIME


def gram_form(case: Sizes) -> int:
    """The library's Gram form."""
    from seprank.attention.gram import GramNetwork

    network = GramNetwork(random_weights(Architecture(case.L, case.dx, case.H), PRIME, 0), PRIME)
    x = tokens(case)
    return int(network.evaluate(network.side_A(x[None, :1]), network.side_B(x[None, 1:]))[0, 0])


def explicit_tokens(case: Sizes) -> int:
    """Eq. 3 on explicit tokens, in python-flint."""
    weights = random_weights(Architecture(case.L, case.dx, case.H), PRIME, 0)
    layers = layers_modulo(weights.query, weights.key, weights.value, weights.output, PRIME)
    return output_entry(layers, tokens(case).tolist(), PRIME)


def roads() -> Mapping[str, Road]:
    """The value at the scaled tokens, twice."""
    return {"Gram form": gram_form, "eq. 3 on explicit tokens": explicit_tokens}


def _scaled_by(case: Sizes, degree: int) -> int:
    return explicit_tokens(case._replace(t=1)) * pow(case.t, degree, PRIME) % PRIME


def holds(case: Sizes, result: int) -> bool:
    """Degree 3^L."""
    return result == _scaled_by(case, 3**case.L)


def mutants() -> Mapping[str, Claim]:
    """Other degrees."""
    return {
        "degree 2 C(L)": lambda case, result: result == _scaled_by(case, 3**case.L - 1),
        "degree 3 L": lambda case, result: result == _scaled_by(case, 3 * case.L),
    }
