"""The logit scales of the constructions leave three quarters of the rounding margin.   Source: docs/parallel.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from proofs_check.estimate import Estimate
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.hop-temperature",
    title="Logits that fall by ln(16 (N + 1)) per step read any number up to N to within 1/8 (two digits: 1/4)",
    statement=r"With $\lambda=\ln(16(N+1))$ the weight off the best key is at most $2e^{-\lambda}/(1-e^{-\lambda})$, "
    r"so a value in $[0,N]$ is read to within $1/8$; on the circle the scale $\lambda/(1-\cos\frac{2\pi}{N+1})$ gives "
    r"that fall. A look-up in two digits has four nearest competitors and twice the leak.",
    source="docs/parallel.md, temperatures",
    scope="N times the weight off the target of one look-up head, circle and two digits, N = 10 to 3000, "
    "float64 against 40 digits",
    expected=Verdict.HOLDS,
    paper="PC",
    note="float32: the circle fails at N = 10^4, plain counts of C2 at N = 1000; the library refuses both.",
)


class Case(NamedTuple):
    """Kind of look-up, and length."""

    kind: str
    N: int


def cases(level: str) -> Iterable[Case]:
    """Both kinds."""
    for N in (10, 30, 100, 300, *((1000, 3000) if level == "full" else ())):
        yield Case("circle", N)
        yield Case("digits", N)


def leak(case: Case, factor: float = 1.0, dtype: type = np.float64) -> float:
    """N times the weight off the target, the worst of up to 60 targets."""
    N, lam = case.N, np.log(16 * (case.N + 1)) * factor
    keys, worst = np.arange(1, N + 1), 0.0
    base = int(np.sqrt(N)) + 1
    for target in np.unique(np.linspace(1, N, 60).astype(int)):
        if case.kind == "circle":
            turn = 2 * np.pi / (N + 1)
            scale = lam / (1 - np.cos(turn))
            places: Any = np.stack([np.cos(turn * keys), np.sin(turn * keys)], axis=1).astype(dtype)
            query = (scale * np.array([np.cos(turn * target), np.sin(turn * target)])).astype(dtype)
        else:
            high, low = keys // base, keys % base
            places = np.stack([-(high**2) - low**2, high, low], axis=1).astype(dtype)
            query = (lam * np.array([1, 2 * (target // base), 2 * (target % base)])).astype(dtype)
        logits = places @ query
        weights = np.exp(logits - logits.max())
        weights /= weights.sum()
        worst = max(worst, N * float(weights[keys != target].sum()))
    return worst


def by_float64(case: Case) -> Estimate:
    """A softmax in float64."""
    return Estimate(leak(case))


def by_digits(case: Case) -> Estimate:
    """The same in 40 digits."""
    import mpmath

    ctx = mpmath.MPContext()
    ctx.dps = 40
    N, lam, worst = case.N, ctx.log(16 * (case.N + 1)), ctx.mpf(0)
    gap = 1 - ctx.cos(2 * ctx.pi / (N + 1))
    falls = [ctx.exp(-lam * (1 - ctx.cos(2 * ctx.pi * step / (N + 1))) / gap) for step in range(N + 1)]
    base = int(np.sqrt(N)) + 1
    squares = [ctx.exp(-lam * square) for square in range(2 * base**2 + 1)] if case.kind == "digits" else []
    for target in sorted({int(t) for t in np.linspace(1, N, 60)}):
        if case.kind == "circle":
            off = ctx.fsum(falls[abs(key - target)] for key in range(1, N + 1) if key != target)
        else:
            off = ctx.fsum(
                squares[(key // base - target // base) ** 2 + (key % base - target % base) ** 2]
                for key in range(1, N + 1)
                if key != target
            )
        worst = max(worst, N * off / (1 + off))
    return Estimate(float(worst))


def roads() -> Mapping[str, Road]:
    """N times the leak, twice."""
    return {"float64": by_float64, "40 digits": by_digits}


def agree(case: Case, first: Estimate, other: Estimate) -> bool:
    """Rounding of logits near N^2 log N."""
    return first.agrees(other, relative=1e-4)


def holds(case: Case, result: Estimate) -> bool:
    """The bound, and what it is for these N; the library's lead is this lambda."""
    from seprank.parallel.construction import lead

    lam = np.log(16 * (case.N + 1))
    sides = 2 if case.kind == "circle" else 4
    bound = case.N * sides * np.exp(-lam) / (1 - np.exp(-lam)) ** (sides // 2)
    return result.value <= bound * 1.001 < 0.27 and abs(lead(case.N) - lam) < 1e-12


def mutants() -> Mapping[str, Claim]:
    """Too cold or too coarse."""

    def float32_at(N: int) -> float:
        return leak(Case("circle", N), dtype=np.float32)

    return {
        "a fifth of the scale leaves the margin 1/2": lambda case, result: leak(case, 0.2) < 0.5,
        "the circle in float32 is right at N = 10^4": lambda case, result: case.N != 300 or float32_at(10_000) < 0.5,
        "plain counts in float32 are right at N = 1000": lambda case, result: case.N != 300 or _counts_in_float32(),
    }


def _counts_in_float32() -> bool:
    """Whether N times the leak of -S (a - s)^2 - lambda j, expanded in float32, stays below 1/2 at the first match."""
    N, lam = 1000, np.float32(np.log(16 * 1001))
    j = np.arange(1, N + 1).astype(np.float32)
    a, S, worst = (j - 1) // 2, lam * np.float32(N + 1), 0.0
    for s in range(1, 500):
        logits = -S * a * a + 2 * S * a * np.float32(s) - lam * j
        weights = np.exp(logits - logits.max())
        worst = max(worst, N * float(1 - weights[2 * s] / weights.sum()))
    return worst < 0.5
