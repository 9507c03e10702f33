"""The shaped ReLU is normalised by 2 / (s_plus^2 + s_minus^2).   Source: noci2023shaped, section 2."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from scipy.integrate import quad

from proofs_check.estimate import Estimate
from proofs_check.plain.shaped_formulas import normaliser
from proofs_check.shaped_transformer import _library
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.D1",
    title="The normaliser of the shaped ReLU is c_n = 2/(s_+^2 + s_-^2)",
    statement=r"$c_n\,\mathbb E\varphi_s(g)^2=1$ for $\varphi_s(x)=s_+\max(x,0)+s_-\min(x,0)$, "
    r"$s_\pm=1+c_\pm n^{-1/2}$, gives $c_n=\frac2{s_+^2+s_-^2}=1-\frac{c_++c_-}{\sqrt n}+O(n^{-1})$.",
    source="noci2023shaped, section 2",
    scope="four pairs of slopes, n = 1 to 10000, the plain ReLU included; quadrature to 1e-12",
    expected=Verdict.HOLDS,
    paper="ST",
    note="The printed c = 1 + O(n^(-1/2)) is consistent with it.",
)


class Case(NamedTuple):
    """Slopes and width."""

    c_plus: float
    c_minus: float
    n: int


def cases(level: str) -> Iterable[Case]:
    """The plain ReLU (n = 1, slopes 1 and 0) and shaped ones."""
    yield Case(0.0, -1.0, 1)
    yield from (Case(p, q, n) for p, q in ((0.0, -1.0), (1.0, -1.0), (0.5, 0.5), (2.0, -3.0)) for n in (100, 10000))


def by_quadrature(case: Case) -> Estimate:
    """1 / E phi(g)^2 by adaptive quadrature on the two half lines."""
    slopes = [1 + c / math.sqrt(case.n) for c in (case.c_plus, case.c_minus)]
    half = quad(lambda x: x * x * math.exp(-x * x / 2) / math.sqrt(2 * math.pi), 0, 40, epsabs=1e-14)[0]
    return Estimate(1 / (slopes[0] ** 2 * half + slopes[1] ** 2 * half))


def by_library(case: Case) -> Estimate:
    """The library's normaliser."""
    return Estimate(float(_library.normaliser(*case)))


def roads() -> Mapping[str, Road]:
    """c_n, twice."""
    return {"quadrature": by_quadrature, _library.ROAD: by_library}


def agree(case: Case, first: Estimate, other: Estimate) -> bool:
    """To 1e-12."""
    return first.agrees(other, relative=1e-12)


def holds(case: Case, result: Estimate) -> bool:
    """The closed form."""
    return result.agrees(Estimate(normaliser(*case)), relative=1e-12)


def mutants() -> Mapping[str, Claim]:
    """No normaliser, and its leading order."""

    def one(case: Case, result: Estimate) -> bool:
        return result.agrees(Estimate(1.0), relative=1e-12)

    def leading(case: Case, result: Estimate) -> bool:
        return result.agrees(Estimate(1 - (case.c_plus + case.c_minus) / math.sqrt(case.n)), relative=1e-12)

    return {"c = 1": one, "c = 1 - (c_+ + c_-)/sqrt(n) exactly": leading}
