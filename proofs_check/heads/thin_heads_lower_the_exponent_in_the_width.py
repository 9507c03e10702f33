"""At fixed depth the staircase bound of H = dx heads grows like dx^(3^(L-1)), the Gram bound like dx^C.

Source: docs/theory.md, Staircase bound
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import NamedTuple

from proofs_check.plain import staircase
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict
from seprank.attention.architecture import Architecture

STATEMENT = Statement(
    id="NEW.staircase-exponent",
    title="As many heads as coordinates lower the exponent of the separation rank in the width from C to 3^(L-1)",
    statement="For fixed $L$ the staircase bound at $H=d$ is, from some width on, a polynomial in $d$ of degree "
    "$3^{L-1}$, while the Gram bound ($H=1$) has degree $C=(3^L-1)/2$: 3 against 4 at $L=2$, 9 against "
    "13 at $L=3$, 27 against 40 at $L=4$. Eq. 18, $(d+H)^C$, rises with $H$ instead.",
    source="docs/theory.md, Staircase bound",
    scope="L = 1, 2, 3, 4; exact degrees, from the differences of 45 consecutive exact values, from width 10 on at "
    "L <= 2, 10^6 at L = 3, 10^20 at L = 4",
    expected=Verdict.HOLDS,
    note="Degrees of the upper bounds. The bound for H = dx is reached at L = 2 (NEW.theorem-C) and in the cases of "
    "NEW.staircase-reached; the Gram bound for H = 1 at L = 2 (NEW.theorem-A). The exponent is an asymptotic one: "
    "at L = 4 the 45 values from width 10^4 on lie on a polynomial of degree 29.",
)
VALUES = 45


class Window(NamedTuple):
    """A depth, and the first of the consecutive widths."""

    L: int
    first: int


def cases(level: str) -> Iterable[Window]:
    """Widths small and large."""
    found = [Window(1, 10), Window(2, 10), Window(3, 10**6), Window(4, 10**20)]
    return [*found, Window(2, 200), Window(3, 10**20), Window(4, 10**40)] if level == "full" else found


def _degree(values: list[int]) -> int | None:
    """Degree of the polynomial through equally spaced values; None when the differences do not vanish."""
    for degree in range(-1, len(values) - 1):
        if not any(values):
            return degree
        values = [b - a for a, b in pairwise(values)]
    return None


def library(window: Window) -> Result:
    """Degrees of the library's bounds, H = dx first."""
    from seprank.closed_forms.gram import gram_blocks
    from seprank.closed_forms.staircase import staircase_blocks

    widths = range(window.first, window.first + VALUES)
    thin = [sum(staircase_blocks(Architecture(window.L, d, d))) for d in widths]
    return _degree(thin), _degree([sum(gram_blocks(Architecture(window.L, d), None)) for d in widths])


def matching(window: Window) -> Result:
    """Degrees of the largest matchings, H = dx first."""
    widths = range(window.first, window.first + VALUES)
    thin = [sum(staircase.bounds(window.L, _sizes(d, d))) for d in widths]
    return _degree(thin), _degree([sum(staircase.bounds(window.L, _sizes(d, d * (d + 1) // 2))) for d in widths])


def _sizes(d: int, seen: int) -> staircase.Forms:
    return staircase.Forms(d, seen, d * (d + 1) // 2)


def roads() -> Mapping[str, Road]:
    """Both degrees, from two ways to the bounds."""
    return {"minimum over t": library, "largest matching": matching}


def holds(window: Window, result: Result) -> bool:
    """3^(L-1) against C."""
    return result == (3 ** (window.L - 1), (3**window.L - 1) // 2)


def mutants() -> Mapping[str, Claim]:
    """Other exponents."""
    return {
        "C for thin heads, too": lambda window, result: result[0] == (3**window.L - 1) // 2,
        "C(L-1) + 1 for thin heads": lambda window, result: result[0] == (3 ** (window.L - 1) + 1) // 2,
    }
