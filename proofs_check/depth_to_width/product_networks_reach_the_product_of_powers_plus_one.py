"""Product networks have rank prod (3^(L-l) + 1).   Source: docs/theory.md, Product networks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from math import prod
from random import Random
from typing import Any, NamedTuple

import numpy as np

from proofs_check.plain.networks import product_network
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.partition import Partition
from seprank.field.draw import residues
from seprank.separation.assignments import draw_assignments

PRIME = 2147483629

STATEMENT = Statement(
    id="NEW.product",
    title="Networks with H = dx whose layers multiply by one linear form each have rank prod (3^(L-l) + 1)",
    statement=r"Some weights with $H=d$ give $y_p=x_p\prod_l\ell_l(G)^{3^{L-l}}$ with free linear forms $\ell_l$. For "
    r"$t=\min(L,s)$ "
    r"independent forms, the last repeated, "
    r"$\mathrm{sep}=\prod_{l<t}(3^{L-l}+1)\cdot\bigl(\tfrac{3^{L-t+1}-1}2+1\bigr)$, "
    r"$s=d(d+1)/2$.",
    source="docs/theory.md, Product networks",
    scope="d = 2: L = 2..5 (8, 80, 1400, 32144); d = 3: L = 3, 4 (80, 2240), and L = 4 at NA = NB = 1 (2240); the "
    "function itself at d = 2, L = 5 and at d = 4, L = 17",
    expected=Verdict.HOLDS,
    note="All forms are independent up to L = s; at d = 2, L = 4, 5 the forms from layer 3 on are equal. Proved for "
    "all "
    "sizes in docs/theory.md.",
)


class Network(NamedTuple):
    """Width (= heads), depth, tokens on each side; what is measured: "rank", "rank by eq. 3" too, or the "value"."""

    d: int
    L: int
    N: int
    what: str = "rank"

    @property
    def forms(self) -> int:
        """Number of different linear forms."""
        return min(self.L, self.d * (self.d + 1) // 2)


def cases(level: str) -> Iterable[Network]:
    """Ranks with and without a repeated form, then values of deep networks."""
    yield from (Network(2, 2, 2, "rank by eq. 3"), Network(2, 3, 2, "rank by eq. 3"), Network(2, 4, 2))
    if level == "full":
        yield from (Network(d, L, d, "rank by eq. 3") for d, L in ((2, 4), (3, 3)))
        yield from (Network(2, 5, 2), Network(3, 4, 3), Network(3, 4, 1))
    yield from (Network(2, 5, 2, "value"), Network(4, 17, 3, "value"))


def forms(case: Network) -> tuple[Any, Any]:
    """v_l and k_l of every layer, those from the last form on equal."""
    v, k = residues(1, "forms", (2, case.L, case.d), 97)
    v[case.forms :], k[case.forms :] = v[case.forms - 1], k[case.forms - 1]
    return v, k


def tokens(case: Network) -> np.ndarray:
    """One input of 2 N tokens."""
    return residues(5, "input", (2 * case.N, case.d), PRIME)


def gram_form(case: Network) -> int | None:
    """Rank of the network block by block, by the library's Gram form and elimination."""
    if case.what == "value":
        return None
    from seprank.attention.weights import Weights
    from seprank.field.elimination import pivots
    from seprank.separation.blocks import block_matrices
    from seprank.separation.network import network_function

    function = network_function(Weights.from_arrays(*product_network(*forms(case))), PRIME)
    sizes = _sizes(case)
    A, B = draw_assignments(Partition(case.N, case.N), case.d, PRIME, 3, max(sizes))
    return sum(pivots(matrix, PRIME).rank for _, matrix in block_matrices(function, A, B, sizes, PRIME))


def _sizes(case: Network) -> list[int]:
    """A few more than the rank that block k can have: the number of ways to split k over the forms."""
    return [count + 5 for count in _splits(case)]


def _splits(case: Network) -> list[int]:
    """Coefficients of prod (1 + x + ... + x^e) over the forms and their exponents e."""
    L, t, ways = case.L, case.forms, [1]
    for e in [3 ** (L - layer) for layer in range(1, t)] + [(3 ** (L - t + 1) - 1) // 2]:
        ways = [sum(ways[max(0, k - e) : k + 1]) for k in range(len(ways) + e)]
    return ways


def attention(case: Network) -> int | None:
    """Eq. 3 on explicit tokens in python-flint: the value, or the rank block by block."""
    from proofs_check.plain.attention import layers_modulo, output_entry
    from proofs_check.plain.ranks import block_ranks

    layers = layers_modulo(*product_network(*forms(case)), PRIME)
    if case.what == "value":
        return output_entry(layers, tokens(case).tolist(), PRIME)
    if case.what == "rank":
        return None
    sizes = _sizes(case)
    A, B = draw_assignments(Partition(case.N, case.N), case.d, PRIME, 4, max(sizes))
    function = partial(output_entry, layers, prime=PRIME)
    return sum(block_ranks(function, A.tolist(), B.tolist(), len(sizes) - 1, PRIME, sizes))


def monomials(case: Network) -> int | None:
    """From y = x_p prod l(G)^e: its value, or the rank of the coefficients of the product in G_A and G_B."""
    v, k = forms(case)
    exponents = [3 ** (case.L - layer) for layer in range(1, case.L + 1)]
    if case.what == "value":
        x = tokens(case).astype(object)
        G = x.T @ x
        powers = (pow(int(a @ G @ b), e, PRIME) for a, b, e in zip(v, k, exponents, strict=True))
        return int(x[0, 0]) * prod(powers) % PRIME
    return _coefficient_rank(v, k, exponents, _splits(case)) if case.d == 2 else None


def _coefficient_rank(v: Any, k: Any, exponents: list[int], most: list[int]) -> int:
    """Sum over k of the rank of f[a + b] (a + b)!/(a! b!), rows a of degree C - k, columns b of degree k; d = 2.

    A random choice of rows and columns, a few more than the rank can be, is enough to reach it.
    """
    import flint

    context = flint.nmod_mpoly_ctx.get(("g00", "g01", "g11"), modulus=PRIME)
    f = context.constant(1)
    for a, b, e in zip(v.tolist(), k.tolist(), exponents, strict=True):
        form: dict[tuple[int, ...], int] = {
            (1, 0, 0): a[0] * b[0],
            (0, 1, 0): a[0] * b[1] + a[1] * b[0],
            (0, 0, 1): a[1] * b[1],
        }
        f *= context.from_dict(form) ** e
    C, terms = sum(exponents), f.to_dict()
    factorial = [1]
    for i in range(1, C + 1):
        factorial.append(factorial[-1] * i % PRIME)
    # Multiplied by a! b! on rows and columns the entry is the scaled coefficient of a + b alone.
    scaled = {m: int(c) * prod(factorial[i] for i in m) % PRIME for m, c in terms.items()}
    total = 0
    for degree in range(C // 2 + 1):
        rows, columns = (_some_monomials(part, most[degree] * 6 // 5 + 5) for part in (C - degree, degree))
        flat = [scaled.get((a[0] + b[0], a[1] + b[1], a[2] + b[2]), 0) for a in rows for b in columns]
        total += (1 if 2 * degree == C else 2) * int(flint.nmod_mat(len(rows), len(columns), flat, PRIME).rank())
    return total


def _some_monomials(degree: int, count: int) -> list[tuple[int, int, int]]:
    monomials = [(i, j, degree - i - j) for i in range(degree + 1) for j in range(degree + 1 - i)]
    return Random(degree).sample(monomials, min(count, len(monomials)))


def closed_form(case: Network) -> int | None:
    """The library's formula."""
    if case.what == "value":
        return None
    from seprank.closed_forms.explicit import product_bound

    pair = product_bound(Architecture(case.L, case.d, case.d), Partition(case.d, case.d)).pair
    return None if pair is None else int(pair[0])


def roads() -> Mapping[str, Road]:
    """Two or three ways to a rank, two to a value."""
    return {
        "Gram form, block by block": gram_form,
        "eq. 3 in flint": attention,
        "y = x_p prod l(G)^e, flint": monomials,
        "closed form": closed_form,
    }


RANKS = {(2, 2): 8, (2, 3): 80, (2, 4): 1400, (2, 5): 32144, (3, 3): 80, (3, 4): 2240}


def holds(case: Network, result: int) -> bool:
    """The listed rank, and the formula; for values the agreement of the roads is the claim."""
    if case.what == "value":
        return True
    t, L = case.forms, case.L
    formula = prod(3 ** (L - layer) + 1 for layer in range(1, t)) * ((3 ** (L - t + 1) - 1) // 2 + 1)
    return result == RANKS[case.d, L] == formula


def mutants() -> Mapping[str, Claim]:
    """Wrong counts and a wrong function."""

    def without_the_ones(case: Network, result: int) -> bool:
        return case.what == "value" or result == prod(3 ** (case.L - layer) for layer in range(1, case.L + 1))

    def single_power_for_the_last_form(case: Network, result: int) -> bool:
        t, L = case.forms, case.L
        wrong = prod(3 ** (L - layer) + 1 for layer in range(1, t + 1))
        return case.what == "value" or result == wrong

    def one_power_less(case: Network, result: int) -> bool:
        return case.what != "value" or result == _value_with_less(case)

    return {
        "prod 3^(L-l)": without_the_ones,
        "3^(L-t) + 1 for the repeated form (1120 at d = 2, L = 4)": single_power_for_the_last_form,
        "exponent C(L - l) in place of 3^(L-l) in the function": one_power_less,
    }


def _value_with_less(case: Network) -> int:
    v, k = forms(case)
    x = tokens(case).astype(object)
    G = x.T @ x
    exponents = [(3 ** (case.L - layer) - 1) // 2 for layer in range(1, case.L + 1)]
    powers = (pow(int(a @ G @ b), e, PRIME) for a, b, e in zip(v, k, exponents, strict=True))
    return int(x[0, 0]) * prod(powers) % PRIME
