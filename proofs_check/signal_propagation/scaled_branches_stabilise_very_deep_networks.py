"""With 1/sqrt(L) branches norm and correlation of very deep networks are stable.   Source: noci2022signal, Fig. 9."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from proofs_check.estimate import Estimate
from proofs_check.plain.signal_deep_draws import Deep
from proofs_check.plain.signal_draws import mean_and_error
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.fig9",
    title="Fig. 9: scaling by 1/sqrt(L) stabilises norm and correlation of very deep networks without layer norm",
    statement=r"$L$ blocks, $\sigma=1/\sqrt d$: with $\alpha=1/\sqrt L$ the squared norm grows by $10^{0.2}$ to "
    r"$10^{1.2}$ and the mean cosine stays below 0.75; with $\alpha=1$ it grows by more than $10^{L/2}$ and the cosine "
    r"exceeds 0.99.",
    source="noci2022signal, Fig. 9 and appendix B.1",
    scope="true softmax, no layer norm, n = 8, d = 32; linear and ReLU, L = 80 (full: 200), 8 seeds",
    expected=Verdict.HOLDS,
    paper="SP",
    note="The figure's sizes are lost. `seprank plot signal-very-deep` draws it. Stable means a factor that does not "
    "grow with depth, here e^2 in the linear limit, not a factor of 1.",
)


class Result(NamedTuple):
    """log10 of the growth of the squared norm, and mean cosine of the output."""

    growth: Estimate
    cosine: Estimate


def cases(level: str) -> Iterable[Deep]:
    """Scaled and unscaled, linear and ReLU."""
    L = 200 if level == "full" else 80
    for relu in (False, True):
        for alpha in (1.0, L**-0.5):
            yield Deep(L, "none", alpha, 8, 32, 32**-0.5, relu)


@cache
def by_library(case: Deep) -> Result:
    """The library's networks, forward only."""
    from seprank.signal.depth_measure import measure
    from seprank.signal.network_sizes import NetworkSizes
    from seprank.signal.network_threads import one_thread
    from seprank.signal.tokens import GaussianTokens

    activation = "relu" if case.relu else "linear"
    sizes = NetworkSizes(L=case.L, d=case.d, activation=activation, alpha1=case.alpha, alpha2=case.alpha)
    with one_thread():
        found = measure(sizes, GaussianTokens(case.n, case.d, 0.0, case.sigma), range(8), backward=False)
    growth = np.log10(found.tokens[-1].norm / found.tokens[0].norm)
    return Result(Estimate(*mean_and_error(growth)), Estimate(*mean_and_error(1.0 - found.tokens[-1].gap)))


@cache
def by_hand(case: Deep) -> Result:
    """Blocks written out in numpy."""
    from proofs_check.plain.signal_backprop import forward
    from proofs_check.plain.signal_deep_draws import blocks, input_and_loss, pair_cosine

    X, _ = input_and_loss(case, 8, 132)
    first = (X**2).sum(axis=(1, 2))
    for block in blocks(case, 8, 132):
        X, _ = forward(X, block, case)
    growth = np.log10((X**2).sum(axis=(1, 2)) / first)
    return Result(Estimate(*mean_and_error(growth)), Estimate(*mean_and_error(pair_cosine(X))))


def roads() -> Mapping[str, Road]:
    """Norm and cosine of the output, twice."""
    return {"library, networks": by_library, "networks by hand": by_hand}


def agree(case: Deep, first: Result, other: Result) -> bool:
    """Other draws: 5 joint standard errors and 1 %."""
    return all(a.agrees(b, sigmas=5.0, relative=0.01) for a, b in zip(first, other, strict=True))


def holds(case: Deep, result: Result) -> bool:
    """Stable where scaled, exploding and collapsed where not."""
    if case.alpha == 1.0:
        return result.growth.value > case.L / 2 and result.cosine.value > 0.99
    return 0.2 < result.growth.value < 1.2 and result.cosine.value < 0.75


def mutants() -> Mapping[str, Claim]:
    """The norm kept exactly, no effect of the scale, collapse in any case."""
    return {
        "scaled branches leave the norm as it is": lambda case, result: abs(result.growth.value) < 0.1,
        "norms explode with scaled branches, too": lambda case, result: result.growth.value > case.L / 2,
        "tokens collapse with scaled branches, too": lambda case, result: result.cosine.value > 0.99,
    }
