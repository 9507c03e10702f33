"""Norms of softmax networks follow uniform attention at small input scales only.   Source: noci2022signal, Fig. 11."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from proofs_check.plain.signal_deep_draws import Deep
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.fig11",
    title="Fig. 11: at the input scale 1/sqrt(d) norms of softmax networks are distributed as with uniform attention, "
    "at larger scales not; tails grow heavier with depth",
    statement=r"$\alpha=0.5$, linear branches, the same weights and tokens for both. Kolmogorov-Smirnov distance of "
    r"the squared norms of the output: at most 0.12 at $L=4$ and 0.2 at $L=16$ for $\sigma=1/\sqrt d$, at least 0.3 "
    r"for $\sigma=1$; the spread of the logarithm more than doubles from $L=4$ to $L=16$.",
    source="noci2022signal, Fig. 11 and appendix B.2",
    scope="no layer norm, n = 8, d = 32; 300 networks (quick: 150) at each of four settings",
    expected=Verdict.HOLDS,
    paper="SP",
    note="The figure's sizes are lost. `seprank plot signal-norm-density` draws it.",
)
CLOSE, APART = {4: 0.12, 16: 0.2}, 0.3


class Result(NamedTuple):
    """Kolmogorov-Smirnov distance, and standard deviation of the logarithm of the squared norm (uniform attention) over
    that behind four blocks."""

    distance: float
    growth: float

    def __str__(self) -> str:
        return f"distance {self.distance:.2f}, spread {self.growth:.1f} times that at L = 4"


def cases(level: str) -> Iterable[tuple[Deep, int]]:
    """Two input scales, two depths."""
    for sigma in (32**-0.5, 1.0):
        for L in (4, 16):
            yield Deep(L, "none", 0.5, 8, 32, sigma, False), 300 if level == "full" else 150


def _result(softmax: np.ndarray, uniform: np.ndarray, shallow: np.ndarray) -> Result:
    both = np.concatenate([softmax, uniform])
    first, second = (np.searchsorted(np.sort(each), both, side="right") / len(each) for each in (softmax, uniform))
    return Result(float(np.abs(first - second).max()), float(np.log(uniform).std() / np.log(shallow).std()))


@cache
def _library_norms(deep: Deep, count: int, attention: str) -> np.ndarray:
    from seprank.signal.depth_measure import measure
    from seprank.signal.network_sizes import NetworkSizes
    from seprank.signal.network_threads import one_thread
    from seprank.signal.tokens import GaussianTokens

    sizes = NetworkSizes(deep.L, deep.d, attention=attention, activation="linear", alpha1=0.5, alpha2=0.5)
    with one_thread():
        found = measure(sizes, GaussianTokens(deep.n, deep.d, 0.0, deep.sigma), range(count), backward=False)
    return found.tokens[-1].norm


def by_library(case: tuple[Deep, int]) -> Result:
    """The library's networks."""
    deep, count = case
    shallow = _library_norms(deep._replace(L=4), count, "uniform")
    return _result(_library_norms(deep, count, "softmax"), _library_norms(deep, count, "uniform"), shallow)


@cache
def _plain_norms(deep: Deep, count: int, uniform: bool) -> np.ndarray:
    from proofs_check.plain.signal_backprop import forward
    from proofs_check.plain.signal_deep_draws import blocks, input_and_loss

    X, _ = input_and_loss(deep, count, 133)
    for block in blocks(deep, count, 133):
        X, _ = forward(X, block._replace(Q=0.0 * block.Q) if uniform else block, deep)
    return np.asarray((X**2).sum(axis=(1, 2)))


def by_hand(case: tuple[Deep, int]) -> Result:
    """Blocks written out in numpy; attention is uniform where WQ = 0."""
    deep, count = case
    shallow = _plain_norms(deep._replace(L=4), count, True)
    return _result(_plain_norms(deep, count, False), _plain_norms(deep, count, True), shallow)


def roads() -> Mapping[str, Road]:
    """Distance and spread, twice."""
    return {"library, networks": by_library, "networks by hand": by_hand}


def agree(case: tuple[Deep, int], first: Result, other: Result) -> bool:
    """Other draws of a few hundred networks."""
    return abs(first.distance - other.distance) < 0.2 and 0.6 < first.growth / other.growth < 1.6


def holds(case: tuple[Deep, int], result: Result) -> bool:
    """Close at the small scale, apart at the large one, wider with depth."""
    deep, _ = case
    near = result.distance <= CLOSE[deep.L] if deep.sigma < 1.0 else result.distance >= APART
    return near and (result.growth > 2.0 if deep.L == 16 else result.growth == 1.0)


def mutants() -> Mapping[str, Claim]:
    """Close at every scale or at none, tails that stay as they are."""
    return {
        "close at every input scale": lambda case, result: result.distance <= 0.2,
        "apart at every input scale": lambda case, result: result.distance >= APART,
        "the spread does not grow": lambda case, result: result.growth < 1.5,
    }
