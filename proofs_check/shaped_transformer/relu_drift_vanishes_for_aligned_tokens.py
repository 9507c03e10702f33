"""The drift of the shaped ReLU has (c_+ - c_-)^2 and a minus sign.   Source: noci2023shaped, appendix B (nu)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import NamedTuple

from scipy.integrate import quad

from proofs_check.estimate import Estimate
from proofs_check.plain.shaped_formulas import normaliser, nu, nu_printed
from proofs_check.shaped_transformer import _library
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="ST.nu",
    title="nu has the factor (c_+ - c_-)^2 and the sign - before rho arccos(rho); both are printed +",
    statement=r"Printed: $\nu(\rho)=\frac{(c_++c_-)^2}{2\pi}(\sqrt{1-\rho^2}+\rho\arccos\rho)$. Right, and exact at "
    r"every width: $n(c_n\mathbb E\varphi_s(g)\varphi_s(\hat g)-\rho)=c_n\nu(\rho)$ with "
    r"$\nu(\rho)=\frac{(c_+-c_-)^2}{2\pi}(\sqrt{1-\rho^2}-\rho\arccos\rho)$ for $s_\pm=1+c_\pm n^{-1/2}$.",
    source="noci2023shaped, appendix B (nu)",
    scope="rho = -0.9, 0, 0.5, 0.99, four pairs of slopes (one linear), n = 100 and 10000; quadrature to 1e-9",
    expected=Verdict.CORRECTED,
    paper="ST",
    note="For c_+ = c_- the activation is linear and the drift must vanish; (c_+ + c_-)^2 fits the other convention "
    "s_- = 1 - c_- n^(-1/2) only. No convention rescues the sign: the drift is never negative, the printed form is for "
    "rho < -0.4421. At rho = 0 with c_+ = 0 the two forms agree. nu(1) = 0, nu(0) = (c_+ - c_-)^2/(2 pi), nu(-1) = "
    "(c_+ - c_-)^2/2.",
)


class Case(NamedTuple):
    """Correlation, slopes, width."""

    rho: float
    c_plus: float
    c_minus: float
    n: int


def cases(level: str) -> Iterable[Case]:
    """Correlations of both signs; a linear activation among them."""
    widths = (100, 10000) if level == "full" else (100,)
    slopes = ((0.0, -1.0), (1.0, -1.0), (1.0, 1.0), (0.0, -2.0))
    yield from (Case(rho, *pair, n) for n in widths for pair in slopes for rho in (-0.9, 0.0, 0.5, 0.99))


def by_quadrature(case: Case) -> Estimate:
    """E phi(g) phi(g') in polar coordinates: the radius gives 2, the angle is integrated between the kinks."""
    s = [1 + c / math.sqrt(case.n) for c in (case.c_plus, case.c_minus)]
    shift = math.asin(case.rho)

    def phi(x: float) -> float:
        return s[0] * x if x > 0 else s[1] * x

    def integrand(angle: float) -> float:
        return phi(math.cos(angle)) * phi(math.sin(angle + shift)) - math.cos(angle) * math.sin(angle + shift)

    kinks = sorted({x % (2 * math.pi) for x in (0.0, math.pi / 2, 3 * math.pi / 2, -shift, math.pi - shift)})
    ends = [*kinks, kinks[0] + 2 * math.pi]
    parts = [quad(integrand, a, b, epsabs=1e-14, epsrel=1e-13)[0] for a, b in pairwise(ends)]
    c = 2 / (s[0] ** 2 + s[1] ** 2)
    product = sum(parts) / math.pi + case.rho
    return Estimate(case.n * (product - case.rho / c))


def by_library(case: Case) -> Estimate:
    """The library's nu."""
    return Estimate(float(_library.nu(case.rho, case.c_plus, case.c_minus)))


def roads() -> Mapping[str, Road]:
    """n (E phi phi - rho / c_n), twice."""
    return {"quadrature": by_quadrature, _library.ROAD: by_library}


def _near(result: Estimate, value: float) -> bool:
    return abs(result.value - value) <= 1e-9


def agree(case: Case, first: Estimate, other: Estimate) -> bool:
    """To 1e-9."""
    return _near(first, other.value)


def holds(case: Case, result: Estimate) -> bool:
    """The mended form."""
    return _near(result, float(nu(case.rho, (case.c_plus - case.c_minus) ** 2)))


def printed(case: Case, result: Estimate) -> bool:
    """The printed form."""
    return _near(result, float(nu_printed(case.rho, (case.c_plus + case.c_minus) ** 2)))


def mutants() -> Mapping[str, Claim]:
    """Each of the two misprints alone, and the finite-width factor applied twice."""

    def sign(case: Case, result: Estimate) -> bool:
        return _near(result, float(nu_printed(case.rho, (case.c_plus - case.c_minus) ** 2)))

    def factor(case: Case, result: Estimate) -> bool:
        return _near(result, float(nu(case.rho, (case.c_plus + case.c_minus) ** 2)))

    def width(case: Case, result: Estimate) -> bool:
        right = float(nu(case.rho, (case.c_plus - case.c_minus) ** 2))
        return _near(result, right * normaliser(case.c_plus, case.c_minus, case.n))

    return {"the sign + alone": sign, "(c_+ + c_-)^2 alone": factor, "without dividing by c_n": width}
