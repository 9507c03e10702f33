"""Eq. 19 is false for deep networks on three or more tokens a side.   Source: levine2020depth, eq. 19 (A.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from proofs_check.depth_to_width._ranks import PRIME, SPARE, attention_rank, library_rank
from proofs_check.plain.attention import layers_modulo, output_entry
from proofs_check.plain.explicit_networks import (
    Arrays,
    diagonal_weights,
    monomial,
    monomial_rank,
    product_rank,
    product_weights,
    shifts,
)
from proofs_check.plain.printed_bounds import choices, eq19, gaps, long_gram
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.weights import Weights, random_weights
from seprank.field.draw import residues

STATEMENT = Statement(
    id="D2W.eq19",
    title="Eq. 19 fails for deep networks; with pairs of coordinates counted it holds",
    statement=r"Printed: $\mathrm{sep}\le d\left(\!\binom d{2C}\!\right)(\frac{2C}d+1)^d$ for every $L\ge1$, $N>1$. "
    r"Mended: $\mathrm{sep}\le$ Gram bound $\le d\left(\!\binom sC\!\right)(\frac Cs+1)^s$, $s=d(d+1)/2$. With one "
    r"head for each coordinate networks compute $x_p\prod G_{ab}^{e_{ab}}$ and $x_p\prod_l\ell_l(G)^{3^{L-l}}$, of "
    r"ranks $\prod(e_{ab}+1)$ and, for $L\le s$ independent forms $\ell_l$, $\prod_l(3^{L-l}+1)$.",
    source="levine2020depth, eq. 19 (A.3)",
    scope="exact ranks on long input from L = 1 to the first depth past eq. 19: shift schedule with d = H = 3 to 10 "
    "and 16 (at d = 5, L = 7 log3 is 54.31 against 54.26), product network with d = 3 to 6, 8, 16; ranks by "
    "attention at d <= 3, L <= 3; value by eq. 3 = product of powers of entries of G, or of linear forms in them, at "
    "each of those first depths, modulo 2147483629; random weights, H = 1, at L = 2, d = 2, 3, 4",
    expected=Verdict.CORRECTED,
    note="Ranks of the explicit networks are proved in docs/theory.md; one weight setting bounds almost all from "
    "below, so the violation is almost everywhere. At d = 3, L = 12 the rank is 1.98 times eq. 19. Eq. 19 is true "
    "for min(NA, NB) <= 2 and for d <= 2 (NEW.eq19-true); all first depths: NEW.eq19-false.",
)
FIRST = {
    "shift": {3: 12, 4: 8, 5: 7, 6: 7, 7: 7, 8: 7, 9: 7, 10: 8, 16: 8},
    "product": {3: 18, 4: 17, 5: 19, 6: 22, 8: 30, 16: 61},
}


class Network(NamedTuple):
    """A network (d heads of size 1 but for "random", one head), its size, and what is computed of it."""

    kind: str
    d: int
    L: int
    what: str = "rank"  # "rank" in closed form, "measured" rank, "value" at one input


def cases(level: str) -> Iterable[Network]:
    """Measured ranks, values past the violation, closed ranks up to it."""
    yield from (Network("random", d, 2, "measured") for d in (2, 3, 4))
    deepest = {1: 3, 2: 3, 3: 3 if level == "full" else 2}
    for kind in FIRST:
        for d in deepest if kind == "shift" else (2, 3):
            yield from (Network(kind, d, L, "measured") for L in range(1, deepest[d] + 1))
        for d, first in FIRST[kind].items():
            if level == "full" or d <= 5:
                yield Network(kind, d, first, "value")
                yield from (Network(kind, d, L) for L in range(1, first + 1))
    yield Network("shift", 5, 7)


def _forms(case: Network) -> tuple[Any, Any]:
    v, k = (residues(0, name, (case.L, case.d), PRIME) for name in ("v", "k"))
    forms = case.d * (case.d + 1) // 2  # beyond so many the last one is repeated
    v[forms:], k[forms:] = v[forms - 1 : forms], k[forms - 1 : forms]
    return v, k


def _weights(case: Network) -> Weights:
    if case.kind == "random":
        return random_weights(Architecture(case.L, case.d), PRIME, 0)
    shift = case.kind == "shift"
    arrays: Arrays = diagonal_weights(case.L, case.d, shifts(case.d)) if shift else product_weights(*_forms(case))
    return Weights(Architecture(case.L, case.d, case.d), *arrays)


def _points(case: Network) -> int:
    return (long_gram(case.d, gaps(case.L)) if case.kind == "random" else _closed_rank(case)) + SPARE


def _closed_rank(case: Network) -> int:
    if case.kind == "shift":
        return monomial_rank(monomial(case.L, case.d, shifts(case.d)))
    return product_rank(case.L, case.d * (case.d + 1) // 2)


def _tokens(case: Network) -> Any:
    return residues(0, "tokens", (3, case.d), PRIME).tolist()


def library(case: Network) -> int:
    """The library's closed forms, its measured rank, or the product of entries of G from its exponents."""
    from seprank.closed_forms import explicit

    if case.what == "measured":
        return library_rank(_weights(case), case.d, case.d, _points(case))
    exponents = explicit.diagonal_exponents(case.L, case.d, explicit.shift_schedule(case.d))
    if case.what == "rank":
        arch = Architecture(case.L, case.d, case.d)
        exact = (
            explicit.diagonal_rank(exponents) if case.kind == "shift" else explicit.product_bound(arch, None)
        ).exact
        return -1 if exact is None else int(exact()[0])
    x = _tokens(case)
    gram = [[sum(token[a] * token[b] for token in x) % PRIME for b in range(case.d)] for a in range(case.d)]
    if case.kind == "shift":
        factors = [pow(gram[a][b], exponent, PRIME) for (a, b), exponent in exponents.items()]
    else:
        rows, columns = _forms(case)
        forms = (_bilinear(row.tolist(), gram, column.tolist()) for row, column in zip(rows, columns, strict=True))
        factors = [pow(form, 3 ** (case.L - 1 - l), PRIME) for l, form in enumerate(forms)]
    value = x[0][0]
    for factor in factors:
        value = value * factor % PRIME
    return int(value)


def _bilinear(v: list[int], gram: list[list[int]], k: list[int]) -> int:
    return sum(v[a] * gram[a][b] * k[b] for a in range(len(v)) for b in range(len(k))) % PRIME


def plain(case: Network) -> int:
    """Exponents carried forward, or eq. 3 on explicit tokens: its rank, its value."""
    if case.what == "measured":
        return attention_rank(_weights(case), case.d, case.d, _points(case))
    if case.what == "rank":
        return _closed_rank(case)
    weights = _weights(case)
    return output_entry(
        layers_modulo(weights.query, weights.key, weights.value, weights.output, PRIME), _tokens(case), PRIME
    )


def roads() -> Mapping[str, Road]:
    """Ranks and values, twice."""
    return {"library, or product of entries of G": library, "forward recursion, or eq. 3 on explicit tokens": plain}


def _below(case: Network, result: int, bound: Fraction | int) -> bool:
    return case.what == "value" or result <= bound


def printed(case: Network, result: int) -> bool:
    """Eq. 19 as printed."""
    return _below(case, result, eq19(case.d, gaps(case.L)))


def holds(case: Network, result: int) -> bool:
    """The mended form, the Gram bound below it, and measured ranks equal to the closed ones."""
    s, C = case.d * (case.d + 1) // 2, gaps(case.L)
    gram = long_gram(case.d, C)
    mended = case.d * choices(s, C) * (Fraction(C, s) + 1) ** s
    as_proved = case.kind == "random" or case.what != "measured" or result == _closed_rank(case)
    return _below(case, result, gram) and gram <= mended and as_proved


def mutants() -> Mapping[str, Claim]:
    """Other repairs."""

    def with_residual_factor(case: Network, result: int) -> bool:
        return _below(case, result, 2 * case.d * eq19(case.d, gaps(case.L)))

    def powers_of_one_gram(case: Network, result: int) -> bool:
        C = gaps(case.L)
        return _below(case, result, case.d * choices(case.d, C) * (Fraction(C, case.d) + 1) ** case.d)

    return {"a factor 2 d repairs eq. 19": with_residual_factor, "C in place of 2C in eq. 19": powers_of_one_gram}
