"""Deep networks at initialisation by the library and by hand, each with draws of its own: what figures claim."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from proofs_check.estimate import Estimate
from proofs_check.plain.signal_deep_draws import Deep
from proofs_check.plain.signal_draws import mean_and_error

Case = tuple[Deep, int]  # network, seeds


class Profile(NamedTuple):
    """Mean cosine of what enters layer L/4, L/2 and the last one; log10 of the squared query and value gradients of
    the last layer over those of the first, and of queries over values in the last."""

    quarter: Estimate
    half: Estimate
    last: Estimate
    query: Estimate
    value: Estimate
    ratio: Estimate


@cache
def by_library(case: Case) -> Profile:
    """The library's networks and its pass back."""
    from seprank.signal.depth_measure import measure
    from seprank.signal.network_sizes import NetworkSizes
    from seprank.signal.network_threads import one_thread
    from seprank.signal.tokens import GaussianTokens

    deep, seeds = case
    scales: dict[str, Any] = {"alpha1": deep.alpha, "alpha2": deep.alpha}
    activation = "relu" if deep.relu else "linear"
    sizes = NetworkSizes(L=deep.L, d=deep.d, norm=deep.norm, activation=activation, **scales)
    with one_thread():
        found = measure(sizes, GaussianTokens(deep.n, deep.d, 0.0, deep.sigma), range(seeds))
    return _profile([1.0 - row.gap for row in found.tokens[:-1]], found.gradients[0], found.gradients[2])


@cache
def by_hand(case: Case) -> Profile:
    """Derivatives written out in numpy."""
    from proofs_check.plain.signal_backprop import measure

    found = measure(*case, seed=131)
    return _profile(found.cosine, np.log10(found.query), np.log10(found.value))


def _profile(cosines: Sequence[Any] | np.ndarray, query: np.ndarray, value: np.ndarray) -> Profile:
    L = len(cosines)
    samples = [cosines[L // 4], cosines[L // 2], cosines[L - 1], query[-1] - query[0], value[-1] - value[0]]
    return Profile(*(Estimate(*mean_and_error(each)) for each in (*samples, query[-1] - value[-1])))


def agree(case: Any, first: Profile, other: Profile) -> bool:
    """Other draws: 5 joint standard errors and 2 %."""
    return all(a.agrees(b, sigmas=5.0, relative=0.02) for a, b in zip(first, other, strict=True))
