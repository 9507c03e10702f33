"""A differs from the identity by O(n^(-1/2)); only its mean by O(1/n).   Source: noci2023shaped, appendix C.2."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from proofs_check.plain.shaped_formulas import s1, s2
from proofs_check.plain.shaped_moments import mean_and_error
from proofs_check.plain.shaped_samples import attention_powers
from proofs_check.shaped_transformer._cases import STARTS
from proofs_check.shaped_transformer._results import Entries, are_entries
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.A",
    title="A = I + O(n^(-1/2)) with mean I + O(1/n); printed is A = delta + O(1/n)",
    statement=r"Printed: 'the desired form of $A^{\alpha\beta}=\delta_{\alpha\beta}+O(n^{-1})$'. Right: $\sqrt n\,"
    r"\mathrm{std}(A^{\alpha\delta})\to\sqrt{S_1^{\alpha\delta,\alpha\delta}}/(m\tau_0)$ and $n\,\mathbb E[A-I]\to "
    r"S_2/(2m\tau_0^2)$.",
    source="noci2023shaped, appendix C.2",
    scope="m = 3, tau_0 = 0.7, n = 250 and 4000, nk = 4: standard deviations within 5 standard errors and 1 %, means "
    "within 5 standard errors and 2 %",
    expected=Verdict.CORRECTED,
    paper="ST",
    note="True of the mean only. With fluctuations of 1/n there would be no noise term A in the limit.",
)
WIDTHS = (250, 4000)


class Case(NamedTuple):
    """Tokens, temperature constant, draws."""

    m: int
    tau0: float
    draws: int


class Sizes(NamedTuple):
    """sqrt(n) std and n mean at both widths."""

    deviations: tuple[Entries, Entries]
    means: tuple[Entries, Entries]

    def __str__(self) -> str:
        return f"sqrt(n) std: {self.deviations[0]}; {self.deviations[1]}"


def cases(level: str) -> Iterable[Case]:
    """Two widths, a factor 16 apart."""
    yield Case(3, 0.7, 400_000 if level == "full" else 60_000)


def by_layers(case: Case) -> Sizes:
    """Attention matrices drawn, over logits and their negatives."""
    deviations, means = [], []
    for n in WIDTHS:
        P = attention_powers(STARTS[case.m], case.tau0, n, 4, case.draws, 23).reshape(2, case.draws, -1)
        squares, errors = mean_and_error(n * P[0] ** 2)
        root = np.sqrt(squares)
        deviations.append(Entries(root, errors / (2 * root)))
        means.append(Entries(*mean_and_error(n * P.mean(axis=0))))
    return Sizes((deviations[0], deviations[1]), (means[0], means[1]))


def by_library(case: Case) -> Sizes:
    """The library's moments of A."""
    from seprank.shaped.moments import attention_mean, attention_second_moment

    V, m, one = STARTS[case.m], case.m, np.eye(case.m).ravel()
    deviations, means = [], []
    for n in WIDTHS:
        mean = np.ravel(attention_mean(V, n, case.tau0))
        square = np.diag(np.asarray(attention_second_moment(V, n, case.tau0)).reshape(m * m, m * m))
        deviations.append(Entries(np.sqrt(n * (square - one - 2 * one * mean))))
        means.append(Entries(n * mean))
    return Sizes((deviations[0], deviations[1]), (means[0], means[1]))


def roads() -> Mapping[str, Road]:
    """Sizes of fluctuations and means, twice."""
    return {"layers drawn": by_layers, "library": by_library}


def _near(first: Sizes, other: Sizes) -> bool:
    pairs = [(*pair, 0.01) for pair in zip(first.deviations, other.deviations, strict=True)]
    pairs += [(*pair, 0.02) for pair in zip(first.means, other.means, strict=True)]
    return all(one.agrees(two, relative=relative) for one, two, relative in pairs)


def agree(case: Case, first: Sizes, other: Sizes) -> bool:
    """Within the stated tolerances."""
    return _near(first, other)


def _formula(case: Case) -> tuple[np.ndarray, np.ndarray]:
    m, V = case.m, STARTS[case.m]
    square = np.einsum("adad->ad", s1(V)).ravel()
    return np.sqrt(square) / (m * case.tau0), s2(V).ravel() / (2 * m * case.tau0**2)


def holds(case: Case, result: Sizes) -> bool:
    """The mended form at both widths."""
    deviation, mean = (Entries(part) for part in _formula(case))
    return _near(result, Sizes((deviation, deviation), (mean, mean)))


def printed(case: Case, result: Sizes) -> bool:
    """A - I of order 1/n: sqrt(n) times its size falls by 4 from n = 250 to 4000."""
    small, large = result.deviations
    return Entries(small.values / math.sqrt(WIDTHS[1] / WIDTHS[0]), small.errors).agrees(large, relative=0.5)


def mutants() -> Mapping[str, Claim]:
    """Means of order n^(-1/2), and other constants."""

    def larger_mean(case: Case, result: Sizes) -> bool:
        small, large = result.means
        return Entries(4 * small.values, small.errors).agrees(large, relative=0.1)

    def no_bar(case: Case, result: Sizes) -> bool:
        return are_entries(lambda c: np.sqrt(c.m) * _formula(c)[0], 0.01)(case, result.deviations[1])

    return {"means of order n^(-1/2)": larger_mean, "std = sqrt(S1/m)/tau_0": no_bar}
