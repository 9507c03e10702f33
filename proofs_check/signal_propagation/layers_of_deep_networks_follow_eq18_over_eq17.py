"""The gradient ratio of a deep network's layers is eq. 18 over eq. 17.   Source: derived from noci2022signal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from math import log
from typing import Any

import numpy as np

from proofs_check.estimate import Estimate
from proofs_check.plain.signal_deep_draws import Deep, Measured
from proofs_check.plain.signal_draws import mean_and_error
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.sp.layers",
    title="In deep networks each layer's squared query gradient over the value gradient is eq. 18 over eq. 17 at its "
    "own tokens",
    statement=r"With the correlation $\rho_l$ and entry variance $\sigma_l^2$ of what enters attention in layer $l$: "
    r"$\frac{\|\partial\mathcal L/\partial W_Q^l\|^2}{\|\partial\mathcal L/\partial "
    r"W_V^l\|^2}\approx\frac{\sigma_l^4(n-1)(n+d)(1-\rho_l)^2}"
    r"{nd(1+(n-1)\rho_l)}$ up to a factor 2 beyond the first three layers, and 8 in them.",
    source="noci2022signal, eq. 17 and 18, Fig. 3; docs/signal.md, Deep networks",
    scope="true softmax, L = 12, n = 16, d = 64, ReLU, loss <G, X_L> with Gaussian G; POST-LN, PRE-LN and no layer "
    "norm, alpha = 1 and "
    "1/sqrt(L); geometric means over 20 seeds (quick: 8), with 5 standard errors",
    expected=Verdict.HOLDS,
    paper="SP",
    note="The ratio itself runs over six powers of ten under POST-LN with alpha = 1. Early layers fall below 1, "
    "since the gradient that "
    "comes back to them is not spread equally over the tokens.",
)


class Logs(tuple[Estimate, ...]):
    """Natural logarithm of measured over predicted, layer by layer."""

    def __str__(self) -> str:
        return ", ".join(f"{x.value:.2f}" for x in self)


def cases(level: str) -> Iterable[tuple[Deep, int]]:
    """Networks with the number of seeds."""
    seeds, scaled = (20, 12**-0.5) if level == "full" else (8, 12**-0.5)
    yield Deep(12, "post", 1.0), seeds
    yield Deep(12, "post", scaled), seeds
    yield Deep(12, "pre", 1.0), seeds
    if level == "full":
        yield Deep(12, "none", scaled), seeds


def _logs(measured: Measured, predicted: Any) -> Logs:
    return Logs(Estimate(*mean_and_error(row)) for row in np.log(measured.query / measured.value / predicted))


def _formula(measured: Measured, deep: Deep) -> Any:
    n, d, rho = deep.n, deep.d, measured.cosine
    return measured.variance**2 * (n - 1) * (n + d) * (1 - rho) ** 2 / (n * d * (1 + (n - 1) * rho))


@cache
def by_autograd(case: tuple[Deep, int]) -> Logs:
    """torch differentiates; the prediction written out."""
    from proofs_check.plain.signal_deep import measure

    measured = measure(*case, seed=101)
    return _logs(measured, _formula(measured, case[0]))


@cache
def by_hand(case: tuple[Deep, int]) -> Logs:
    """Derivatives written out in numpy; the library's prediction."""
    from proofs_check.plain.signal_backprop import measure
    from seprank.signal.imbalance import gradient_ratio
    from seprank.signal.sizes import LayerSizes

    deep, _ = case
    measured = measure(*case, seed=101)
    pairs = zip(measured.cosine.flat, measured.variance.flat, strict=True)
    predicted = [gradient_ratio(deep.n, 1.0 - rho, variance, LayerSizes(deep.d)) or 0.0 for rho, variance in pairs]
    return _logs(measured, np.array(predicted).reshape(measured.cosine.shape))


def roads() -> Mapping[str, Road]:
    """log of measured over predicted, layer by layer, twice."""
    return {"autograd": by_autograd, "derivatives by hand, prediction of the library": by_hand}


def agree(case: tuple[Deep, int], first: Logs, other: Logs) -> bool:
    """The same networks; the library's prediction has the exact factor 1 + 4 (1 - rho)/(n d), at most 1.004."""
    return all(abs(a.value - b.value) <= 0.005 for a, b in zip(first, other, strict=True))


def _within(result: Logs, shift: Any = 0.0) -> bool:
    allowed = [log(8.0) if layer < 3 else log(2.0) for layer in range(len(result))]
    shifts = np.broadcast_to(shift, len(result))
    return all(
        abs(found.value + move) <= most + 5 * found.error
        for found, most, move in zip(result, allowed, shifts, strict=True)
    )


def holds(case: tuple[Deep, int], result: Logs) -> bool:
    """A factor 8 in the first three layers, then 2."""
    return _within(result)


def mutants() -> Mapping[str, Claim]:
    """(1 - rho) to the first power, and the predicted ratio not squared."""

    def gaps(case: tuple[Deep, int]) -> Any:
        from proofs_check.plain.signal_backprop import measure

        return np.log(1 - measure(*case, seed=101).cosine).mean(axis=1)

    return {
        "1 - rho to the first power": lambda case, result: _within(result, gaps(case)),
        "1 - rho to the third power": lambda case, result: _within(result, -gaps(case)),
    }
