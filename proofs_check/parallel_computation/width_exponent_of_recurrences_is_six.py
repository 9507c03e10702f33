"""The exponent of Corollary 5.2 from its stated consequence.   Source: sanford2024log, Corollary 5.2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="PC.cor5.2.exponent",
    title="Width O(N^(1/7)) needs depth k up to k = N^(1/7): then m = Omega(N / k^a) has a = 6",
    statement=r"$N/k^a=N^{1/7}$ at $k=N^{1/7}$, so $1-\frac a7=\frac17$ and $a=6$.",
    source="sanford2024log, Corollary 5.2, its consequence in the text",
    scope="the exponent alone; constants, logarithms and the model are not in the text at hand",
    expected=Verdict.PROVED,
    paper="PC",
    note="PROVED by solving one linear equation. The corollary itself is PC.cor5.2.",
)


def cases(level: str) -> Iterable[int]:
    """The root of N in the consequence."""
    return [7]


def by_library(root: int) -> Fraction:
    """The library's exponent."""
    from seprank.parallel.contrasts import recurrent_exponent

    return Fraction(recurrent_exponent(root))


def by_solving(root: int) -> Fraction:
    """The equation in fractions."""
    return (1 - Fraction(1, root)) / Fraction(1, root)


def roads() -> Mapping[str, Road]:
    """The exponent, twice."""
    return {"library": by_library, "fractions": by_solving}


def holds(root: int, result: Fraction) -> bool:
    """It solves the equation."""
    return 1 - result / root == Fraction(1, root)


def mutants() -> Mapping[str, Claim]:
    """Other exponents."""
    return {"a = 5": lambda root, result: result == 5, "a = 7": lambda root, result: result == 7}
