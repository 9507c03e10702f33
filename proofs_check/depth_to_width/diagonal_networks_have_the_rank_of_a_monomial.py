"""Diagonal networks compute x_p times a monomial in G, of rank prod (e_ab + 1).   Source: docs/theory.md, Diagonal "
"networks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from math import prod
from typing import NamedTuple

import numpy as np

from proofs_check.plain.networks import Schedule, diagonal_network
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.partition import Partition
from seprank.field.draw import residues
from seprank.separation.assignments import draw_assignments

PRIME = 2147483629
Exponents = tuple[tuple[tuple[int, int], int], ...]

STATEMENT = Statement(
    id="NEW.diagonal",
    title="Networks of diagonal layers compute x_p times a monomial in the entries of G, of rank prod (e_ab + 1)",
    statement=r"With head $h$ of layer $l$ reading the pair $(a_l(h),b_l(h))$ and writing to coordinate $h$, "
    r"$y_p=x_p\prod_{a\le b}G_{ab}^{e_{ab}}$ and $\mathrm{sep}=\prod(e_{ab}+1)$ for $N_A,N_B\ge d$, where "
    r"$n_L=\delta_p$, layer $l$ "
    r"adds $n_l(h)$ to $e_{a_l(h)b_l(h)}$, and $n_{l-1}(c)=n_l(c)+\sum_hn_l(h)([a_l(h)=c]+[b_l(h)=c])$; $\sum "
    r"e_{ab}=C(L)$.",
    source="docs/theory.md, Diagonal networks",
    scope="ranks: d = 2, L = 2, 3; d = 3, L = 2, 3; d = 4, H = 2 and 4, L = 2; shift and two random schedules each "
    "(ranks up "
    "to 486); values by eq. 3: shift schedule at d = 3..16 with the depths of the eq. 19 and Theorem 2 tables (L up "
    "to 32)",
    expected=Verdict.HOLDS,
    note="Proved for all sizes in docs/theory.md: different entries of G are free on both sides.",
)

# First depths at which the shift schedule exceeds eq. 19 and Theorem 2 (docs/theory.md, Where eq. 19 holds).
DEPTHS = {
    3: (12,),
    4: (8, 32),
    5: (7, 13),
    6: (7, 10),
    7: (7, 9),
    8: (7, 9),
    9: (7, 9),
    10: (8, 9),
    12: (8, 9),
    16: (8, 9),
}


class Network(NamedTuple):
    """Depth, width, heads, the schedule ("shift" or a seed), and what is compared: "rank" or "value"."""

    L: int
    d: int
    H: int
    schedule: int | str
    what: str


def cases(level: str) -> Iterable[Network]:
    """Ranks of small networks, values of those in the tables."""
    full = level == "full"
    small = ((2, 2, 2), (3, 2, 2), (2, 3, 3), (2, 4, 2)) + (((2, 4, 4), (3, 3, 3), (3, 3, 1)) if full else ())
    for L, d, H in small:
        yield from (Network(L, d, H, schedule, "rank") for schedule in (("shift", 1, 2) if full else ("shift", 1)))
    for d, depths in DEPTHS.items():
        yield from (Network(L, d, d, "shift", "value") for L in (depths if full else depths[:1]))
        if full:
            yield Network(depths[0], d, max(1, d // 2), 3, "value")


def schedule(case: Network) -> Schedule:
    """The pair that head h reads in layer l."""
    H = case.H
    if case.schedule == "shift":
        return lambda layer, head: (head, (head + layer - 1) % H)
    drawn = residues(int(case.schedule), "schedule", (case.L, H, 2), 2147483629) % H
    return lambda layer, head: (int(drawn[layer - 1, head, 0]), int(drawn[layer - 1, head, 1]))


def tokens(case: Network) -> np.ndarray:
    """One input of five tokens."""
    return residues(5, "input", (5, case.d), PRIME)


def attention(case: Network) -> tuple[Exponents, int]:
    """Exponents by counting the words of the network top down; rank or value by eq. 3 on tokens, in flint."""
    from proofs_check.plain.attention import layers_modulo, output_entry
    from proofs_check.plain.ranks import value_rank

    layers = layers_modulo(*diagonal_network(case.L, case.d, case.H, schedule(case)), PRIME)
    function = partial(output_entry, layers, prime=PRIME)
    exponents = _unfolded(case)
    if case.what == "value":
        return exponents, function(tokens(case).tolist())
    size = prod(e + 1 for _, e in exponents) + 4
    A, B = draw_assignments(Partition(case.d, case.d), case.d, PRIME, 3, size)
    return exponents, value_rank(function, A.tolist(), B.tolist(), PRIME)


def _unfolded(case: Network) -> Exponents:
    """Exponents from the first layer to the last: G_l[a, b] as a monomial, then the factors of y."""
    pair, H = schedule(case), case.H
    gram = {(a, b): Counter({(min(a, b), max(a, b)): 1}) for a in range(H) for b in range(H)}
    links = [Counter[tuple[int, int]]() for _ in range(H)]
    for layer in range(1, case.L + 1):
        factors = [gram[pair(layer, head)] for head in range(H)]
        links = [link + factor for link, factor in zip(links, factors, strict=True)]
        gram = {(a, b): factors[a] + gram[a, b] + factors[b] for a, b in gram}
    return tuple(sorted(links[0].items()))


def recursion(case: Network) -> tuple[Exponents, int]:
    """The library's exponents; the rank of its formula, or the value of the monomial."""
    from seprank.closed_forms.explicit import diagonal_exponents, diagonal_rank

    exponents = diagonal_exponents(case.L, case.H, schedule(case))
    listed = tuple(sorted((key, e) for key, e in exponents.items() if e))
    if case.what == "rank":
        pair = diagonal_rank(exponents).pair
        return listed, -1 if pair is None else int(pair[0])
    x = tokens(case).astype(object)
    G = x.T @ x
    return listed, int(x[0, 0]) * prod(pow(int(G[key]), e, PRIME) for key, e in listed) % PRIME


def gram_form(case: Network) -> tuple[Exponents, int] | None:
    """Ranks only: the library's Gram form and elimination."""
    if case.what == "value":
        return None
    from seprank.attention.weights import Weights
    from seprank.separation.full import full_rank
    from seprank.separation.network import network_function

    exponents = _unfolded(case)
    weights = Weights.from_arrays(*diagonal_network(case.L, case.d, case.H, schedule(case)))
    size = prod(e + 1 for _, e in exponents) + 4
    A, B = draw_assignments(Partition(case.d, case.d), case.d, PRIME, 4, size)
    return exponents, full_rank(network_function(weights, PRIME), A, B, PRIME).rank


def roads() -> Mapping[str, Road]:
    """Exponents and a number, two or three times."""
    return {"eq. 3 in flint": attention, "recursion for the exponents": recursion, "Gram form": gram_form}


def holds(case: Network, result: tuple[Exponents, int]) -> bool:
    """The exponents add up to C, and the rank is the product of e + 1."""
    exponents, number = result
    total = sum(e for _, e in exponents)
    return total == (3**case.L - 1) // 2 and (case.what == "value" or number == prod(e + 1 for _, e in exponents))


def mutants() -> Mapping[str, Claim]:
    """Wrong recursions and a wrong rank."""

    def one_copy_less(case: Network, result: tuple[Exponents, int]) -> bool:
        if case.schedule != "shift":
            return True
        total, copies = 0, [1] + [0] * (case.H - 1)
        for layer in range(case.L, 0, -1):
            total += sum(copies)
            copies = [copies[c] + copies[(c - layer + 1) % case.H] for c in range(case.H)]
        return total == sum(e for _, e in result[0])

    def without_the_ones(case: Network, result: tuple[Exponents, int]) -> bool:
        return case.what == "value" or result[1] == prod(e for _, e in result[0])

    return {
        "n_(l-1) = (1 + S^delta) n_l": one_copy_less,
        "rank prod e_ab": without_the_ones,
        "all exponents equal": lambda case, result: len({e for _, e in result[0]}) == 1,
    }
