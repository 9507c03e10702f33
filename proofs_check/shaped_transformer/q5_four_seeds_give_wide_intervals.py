"""Reviewers' question 5: how many seeds, and what intervals.   Source: noci2023shaped, public reviews."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit
from scipy.stats import norm

from proofs_check.estimate import Estimate
from proofs_check.plain.shaped_networks import source
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.Q5",
    title="Question 5: how many seeds does a comparison of training losses need?",
    statement=r"With losses of standard deviation $\sigma$: the 95 % t-interval has half-width $9.0\,\hat\sigma$ from "
    r"2 seeds and $1.6\,\hat\sigma$ from 4; to see a gap $\Delta$ with 80 % power at 5 % one needs about "
    r"$15.7\sigma^2/\Delta^2$ seeds per arm. The order-statistic interval $Np\pm1.96\sqrt{Np(1-p)}$ covers a quantile "
    r"in 95 % of runs.",
    source="noci2023shaped, public reviews (two seeds are not enough)",
    scope="normal losses: coverage of the t-interval, power at the stated number of seeds, coverage for the 95 % "
    "quantile of N = 1000 draws; simulations within 5 standard errors and 1 percentage point",
    expected=Verdict.HOLDS,
    paper="ST",
    note="Answer: at initialisation seeds are nearly free, use 2^14 networks and the intervals of order statistics; "
    "for training, 2 or 4 seeds resolve gaps of several standard deviations only.",
)


class Case(NamedTuple):
    """What is simulated, seeds (or draws), repetitions."""

    what: str
    seeds: int
    repetitions: int


def cases(level: str) -> Iterable[Case]:
    """Intervals from 2 and 4 seeds, power for a gap of sigma/2, a quantile."""
    count = 100_000 if level == "full" else 20_000
    yield Case("interval", 2, count)
    yield Case("interval", 4, count)
    yield Case("power", math.ceil(15.7 / 0.5**2), count)
    yield Case("quantile", 1000, count // 5)


def by_draws(case: Case) -> Estimate:
    """The share of repetitions in which the interval covers, or the test sees the gap."""
    draw, count = source(54), case.repetitions
    if case.what == "interval":
        x = draw.standard_normal((count, case.seeds))
        half = {2: 12.706, 4: 3.182}[case.seeds] / math.sqrt(case.seeds) * x.std(axis=1, ddof=1)
        hit = np.abs(x.mean(axis=1)) <= half
    elif case.what == "power":
        hit = np.abs(0.5 + draw.standard_normal(count) * math.sqrt(2 / case.seeds)) > 1.96 * math.sqrt(2 / case.seeds)
    else:
        x = np.sort(draw.standard_normal((count, case.seeds)), axis=1)
        low, high = (math.floor(950 + sign * 1.96 * math.sqrt(47.5)) for sign in (-1, 1))
        hit = (x[:, low - 1] <= 1.6448536) & (x[:, high] >= 1.6448536)
    p = float(hit.mean())
    return Estimate(p, math.sqrt(p * (1 - p) / count))


def by_formula(case: Case) -> Estimate:
    """Coverage 95 %, or the power of a normal test."""
    if case.what == "power":
        shift = 0.5 / math.sqrt(2 / case.seeds)
        return Estimate(float(norm.cdf(shift - 1.959964) + norm.cdf(-shift - 1.959964)))
    if case.what == "interval":
        return Estimate(0.95)
    from scipy.stats import binom

    low, high = (math.floor(950 + sign * 1.96 * math.sqrt(47.5)) for sign in (-1, 1))
    return Estimate(float(binom.cdf(high, 1000, 0.95) - binom.cdf(low - 1, 1000, 0.95)))


def roads() -> Mapping[str, Road]:
    """The share, twice."""
    return {"repetitions drawn": by_draws, "distribution functions": by_formula}


def agree(case: Case, first: Estimate, other: Estimate) -> bool:
    """Within 5 standard errors and 1 %."""
    return first.agrees(other, relative=0.01)


def holds(case: Case, result: Estimate) -> bool:
    """The stated half-widths, coverage and power."""
    widths = [abs(stdtrit(k - 1, 0.975) / math.sqrt(k) - value) < 0.05 for k, value in ((2, 9.0), (4, 1.6))]
    return all(widths) and result.agrees(Estimate(0.8 if case.what == "power" else 0.95), relative=0.02)


def mutants() -> Mapping[str, Claim]:
    """The normal quantile in place of Student's, one arm in place of two."""

    def normal(case: Case, result: Estimate) -> bool:
        if case.what != "interval":
            return True
        share = 2 * _student(1.96, case.seeds - 1) - 1
        return result.agrees(Estimate(share), relative=0.02)

    def one_arm(case: Case, result: Estimate) -> bool:
        if case.what != "power":
            return True
        return result.agrees(Estimate(float(norm.cdf(0.5 * math.sqrt(case.seeds) - 1.96))), relative=0.02)

    return {"1.96 in place of Student's quantile": normal, "the noise of one arm only": one_arm}


def _student(x: float, degrees: int) -> float:
    from scipy.special import stdtr

    return float(stdtr(degrees, x))
