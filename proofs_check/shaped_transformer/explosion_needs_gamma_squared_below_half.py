"""Two tokens explode in finite time exactly for gamma^2 < 1/2.   Source: own, on noci2023shaped, section 4.4."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from scipy.integrate import quad
from scipy.linalg import solve_banded

from proofs_check.plain.shaped_networks import source
from proofs_check.shaped_transformer._results import Entries
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.explosion",
    title="Shaped attention on two tokens: D explodes with positive probability if and only if gamma^2 < 1/2",
    statement=r"$D=V^{11}+V^{22}-2V^{12}$ follows $dD=aD^3dt+\sqrt{2sD^2+b_2D^4}\,dB$, "
    r"$a=\frac{\gamma^2}{16\tau_0^2}$, $b_2=\frac{\gamma^4}{4\tau_0^2}$, $s=\gamma^2(2-\gamma^2)$; $P(\mathrm{hit}\ "
    r"r\ \mathrm{before}\ \epsilon)=\frac{p(D_0)-p(\epsilon)}{p(r)-p(\epsilon)}$ with "
    r"$p(x)=\int_0^x(b_2u^2+2s)^{-k}du$, $k=\frac1{4\gamma^2}$; $p(\infty)\lt\infty$ iff $\gamma^2\lt\frac12$.",
    source="noci2023shaped, section 4.4 (finite-time stability; the criterion is own)",
    scope="D_0 = 1.6, epsilon = 0.01, r = 20, 200 and 200000, gamma = 0.3, 0.5, 0.8 and 0.9, to 1e-3 relative on a "
    "grid; paths drawn at r = 20 within 5 standard errors and 3 % for the steps",
    expected=Verdict.HOLDS,
    paper="ST",
    note="Two parts: Feller's test is the argument, the check covers the hitting probabilities. The paper attributes "
    "instability to a large gamma: it makes crossings faster but rarer; beyond gamma^2 = 1/2 the noise A prevents "
    "explosion. Its start V_0 near 100 lies outside the range norm(V) << tau_0 sqrt(n) in which the SDE describes "
    "networks of moderate width; finite networks never explode in finite depth.",
)
RADII = (20.0, 200.0, 2e5)
D0, EPSILON = 1.6, 0.01


class Case(NamedTuple):
    """gamma, tau_0, paths drawn (0: the grid only)."""

    gamma: float
    tau0: float
    paths: int


def cases(level: str) -> Iterable[Case]:
    """Both sides of the threshold; paths for one case on either side."""
    paths = 10_000 if level == "full" else 2000
    yield from (Case(gamma, 1.0, 0) for gamma in (0.3, 0.5, 0.8))
    yield Case(0.9, 0.5, 0)
    yield Case(0.5, 1.0, paths)
    yield Case(0.8, 1.0, paths)


def _coefficients(case: Case) -> tuple[float, float, float]:
    g, t = case.gamma, case.tau0
    return g**2 / (16 * t**2), g**4 / (4 * t**2), g**2 * (2 - g**2)


def _radii(case: Case) -> tuple[float, ...]:
    return RADII[:1] if case.paths else RADII


def by_grid(case: Case) -> Entries:
    """The backward equation for the hitting probability in log D, a tridiagonal system."""
    a, b, s = _coefficients(case)
    found = []
    for r in _radii(case):
        below, above = math.log(D0 / EPSILON), math.log(r / D0)
        h = below / 6000
        above_cells = max(1, round(above / h))
        x = np.concatenate([np.linspace(math.log(EPSILON), math.log(D0), 6001)])
        x = np.concatenate([x, math.log(D0) + above / above_cells * np.arange(1, above_cells + 1)])
        left, right = np.diff(x)[:-1], np.diff(x)[1:]
        y = np.exp(2 * x[1:-1])
        variance, drift = 2 * s + b * y, a * y - s - b * y / 2
        up = (variance + drift * left) / (right * (left + right))
        down = (variance - drift * right) / (left * (left + right))
        bands = np.zeros((3, len(y)))
        bands[0, 1:], bands[1], bands[2, :-1] = up[:-1], -(up + down), down[1:]
        side = np.zeros(len(y))
        side[-1] = -up[-1]
        found.append(solve_banded((1, 1), bands, side)[5999])
    return Entries(np.array(found))


def by_paths(case: Case) -> Entries | None:
    """Paths of log D with steps that shrink like D^-2 and the crossing probability of a bridge."""
    if not case.paths:
        return None
    a, b, s = _coefficients(case)
    draw, x, hits, top = source(38), np.full(case.paths, math.log(D0)), 0, math.log(RADII[0])
    while len(x):
        y = np.exp(2 * x)
        dt = np.minimum(0.02, 0.01 * case.tau0**2 / case.gamma**4 / y)
        spread = (2 * s + b * y) * dt
        new = x + (a * y - s - b * y / 2) * dt + np.sqrt(spread) * draw.standard_normal(len(x))
        chance = np.exp(-2 * np.maximum(top - x, 0) * np.maximum(top - new, 0) / spread)
        crossed = draw.random(len(x)) < chance
        hits += int(crossed.sum())
        x = new[~crossed & (new > math.log(EPSILON))]
    p = hits / case.paths
    return Entries(np.array([p]), math.sqrt(p * (1 - p) / case.paths))


def by_library(case: Case) -> Entries:
    """The library's closed form."""
    from seprank.shaped.stability import hitting_probability

    return Entries(np.array([hitting_probability(D0, r, case.gamma, case.tau0, EPSILON) for r in _radii(case)]))


def roads() -> Mapping[str, Road]:
    """Hitting probabilities, up to three times."""
    return {"grid in log D": by_grid, "library, closed form": by_library, "paths drawn": by_paths}


def agree(case: Case, first: Entries, other: Entries) -> bool:
    """1e-3 for the grid; paths within 5 standard errors and 3 %."""
    return first.agrees(other, relative=0.03 if np.any(other.errors) else 1e-3)


def _scale(case: Case, k: float, s_factor: float = 1.0) -> Entries:
    _, b, s = _coefficients(case)

    def p(low: float, high: float) -> float:  # the integral in log u
        inner = quad(lambda v: math.exp(v) * (b * math.exp(2 * v) + 2 * s_factor * s) ** -k, low, high, limit=200)
        return float(inner[0])

    low, start = math.log(EPSILON), math.log(D0)
    return Entries(np.array([p(low, start) / p(low, math.log(r)) for r in _radii(case)]))


def _explodes(case: Case, result: Entries) -> bool:
    """Whether the probability hardly falls between r = 200 and 200000."""
    return bool(result.values[2] > result.values[1] / 2)


def holds(case: Case, result: Entries) -> bool:
    """The scale function with k = 1/(4 gamma^2), and the threshold."""
    right = result.agrees(_scale(case, 1 / (4 * case.gamma**2)), relative=1e-3)
    return right and (bool(case.paths) or _explodes(case, result) == (case.gamma**2 < 0.5))


def mutants() -> Mapping[str, Claim]:
    """Another exponent, other noise, instability from a large gamma."""
    return {
        "k = 1/(2 gamma^2)": lambda case, result: result.agrees(_scale(case, 1 / (2 * case.gamma**2)), relative=1e-3),
        "noise 2 gamma^2 Sigma_lin": lambda case, result: result.agrees(
            _scale(case, 1 / (4 * case.gamma**2), 2 / (2 - case.gamma**2)), relative=1e-3
        ),
        "a large gamma is what explodes": lambda case, result: (
            bool(case.paths) or _explodes(case, result) == (case.gamma**2 > 0.5)
        ),
    }
