"""V alone is a Markov chain, drawn at a cost independent of n.   Source: own, on noci2023shaped, sections 3 and 4."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from proofs_check.plain.shaped_moments import entries
from proofs_check.plain.shaped_networks import (
    attention_step,
    full_residual,
    full_step,
    logits,
    residual_step,
    root,
    shaped,
    source,
)
from proofs_check.shaped_transformer._cases import THREE
from proofs_check.shaped_transformer._results import Samples
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.trick",
    title="Networks with every weight and the chain of m x m Gram matrices have the same law of V'",
    statement=r"$V'\overset d=(\lambda R+\gamma n^{-1/2}LE)(\lambda R+\gamma "
    r"n^{-1/2}LE)^\top+\frac{\gamma^2}nL\mathcal WL^\top$, $V=RR^\top$, $LL^\top=AVA^\top$ (or $K$), $E$ an $m\times "
    r"m$ Gaussian, $\mathcal W\sim$ Wishart$_m(n-m,I)$ independent; logits from $m\times n_k$ Gaussians.",
    source="noci2023shaped, sections 3 and 4 (the chain is own)",
    scope="one layer of attention and one residual block, m = 3, n = 24, nk = 4, gamma = 0.8, tau_0 = 0.5; six "
    "entries of V', distances within chance (1e-6)",
    expected=Verdict.HOLDS,
    paper="ST",
    note="Exact at every n >= 2m; attention does not break it, since W_Q and W_K enter by m x m logits and are "
    "independent of W_V. Only the weights behind the activation are free: hidden units are drawn one by one.",
)
N, NK, GAMMA, TAU0, C = 24, 4, 0.8, 0.5, (0.0, -2.0)


class Case(NamedTuple):
    """Block, networks."""

    block: str
    networks: int


def cases(level: str) -> Iterable[Case]:
    """Both blocks."""
    networks = 40_000 if level == "full" else 8000
    yield Case("attention", networks)
    yield Case("residual", networks)


def by_weights(case: Case) -> Samples:
    """Every weight matrix drawn."""
    draw = source(42)
    if case.block == "attention":
        return Samples(entries(full_step(THREE, GAMMA, TAU0, N, NK, case.networks, draw)[0]).T)
    return Samples(entries(full_residual(THREE, GAMMA, C, N, case.networks, draw)).T)


def by_library(case: Case) -> Samples:
    """The library's chain, one layer."""
    from seprank.shaped.finite import simulate
    from seprank.shaped.setup import Setup

    setup = Setup(
        3, N, 1, GAMMA, TAU0, case.block, head_dim=NK, c_plus=C[0], c_minus=C[1], V0=THREE, radius=1e9,
        paths=4 * case.networks, seed=43,
    )  # fmt: skip
    return Samples(entries(np.asarray(simulate(setup, (0, 1)).covariances)[:, 1]).T)


def roads() -> Mapping[str, Road]:
    """The law of V', twice."""
    return {"weights drawn": by_weights, "library, Gram matrices": by_library}


def agree(case: Case, first: Samples, other: Samples) -> bool:
    """Distances within chance."""
    return first.agrees(other)


@cache
def _columns(case: Case) -> Samples:
    draw, count = source(44), 2 * case.networks
    if case.block == "attention":
        return Samples(entries(attention_step(THREE, GAMMA, TAU0, N, NK, count, draw)).T)
    return Samples(entries(residual_step(THREE, GAMMA, C, N, N, count, draw)).T)


def holds(case: Case, result: Samples) -> bool:
    """The law of columns drawn around sqrt(n) [R, 0]."""
    return result.agrees(_columns(case))


@cache
def _wrong(case: Case, degrees: int, cross: bool) -> Samples:
    """The chain with other degrees of freedom, with or without the part E along the tokens."""
    draw, R, count = source(45), root(THREE), 2 * case.networks
    L = (np.eye(3) + shaped(logits(R, NK, count, draw), TAU0 * math.sqrt(N * NK))) @ R
    far = L @ draw.standard_normal((count, 3, degrees))
    near = math.sqrt(1 - GAMMA**2) * R + cross * GAMMA / math.sqrt(N) * L @ draw.standard_normal((count, 3, 3))
    V = near @ np.swapaxes(near, 1, 2) + GAMMA**2 / N * far @ np.swapaxes(far, 1, 2)
    return Samples(entries(V).T)


def mutants() -> Mapping[str, Claim]:
    """No cross term, degrees of freedom counted twice."""

    def law(degrees: int, cross: bool) -> Claim:
        return lambda case, result: case.block != "attention" or result.agrees(_wrong(case, degrees, cross))

    return {"Wishart(n) and no E": law(N, False), "Wishart(n) beside E": law(N, True)}
