"""Written out, the network is a sum over C positions j_1, ..., j_C.   Source: levine2020depth, eq. 16."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import combinations_with_replacement, permutations, product
from typing import NamedTuple

from proofs_check.plain.draws import small_tokens, small_weights
from proofs_check.plain.words import Links, apply, network_words
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture

STATEMENT = Statement(
    id="D2W.eq16",
    title="Written out, an output entry is a sum over C positions of products of bilinear forms",
    statement=r"$y^i_p=\sum_{j_1,\dots,j_C}\sum_{h\in[H]^C}(B^{(0,h)}x^{j_1})_p\prod_{c<C}\langle "
    r"x^{j_c},B^{(c,h)}x^{j_{c+1}}\rangle\,\langle x^{j_C},B^{(C,h)}x^i\rangle$, $(NH)^C$ terms.",
    source="levine2020depth, eq. 16 and eq. 4",
    scope="L = 1 with H <= 3, L = 2 with H <= 2, N <= 3, L = 3 with H = 1, N <= 2; dx <= 3, exact integers",
    expected=Verdict.HOLDS,
    note="The summand for fixed positions is the function g^L of eq. 4. The displayed equation is restored from its "
    "description. It follows from Lemma 1 for all sizes.",
)


class Sizes(NamedTuple):
    """A network, the number of tokens, the output position and entry."""

    L: int
    dx: int
    H: int
    N: int
    position: int
    entry: int


def cases(level: str) -> Iterable[Sizes]:
    """All positions of the output occur, and both ends of the entries."""
    small = [Sizes(1, dx, H, N, N - 1, dx - 1) for dx, H in ((1, 1), (2, 2), (3, 3), (3, 1)) for N in (1, 2, 3)]
    deep = [Sizes(2, 2, 1, 3, 1, 0), Sizes(2, 2, 2, 2, 0, 1), Sizes(2, 1, 1, 2, 0, 0), Sizes(3, 1, 1, 2, 0, 0)]
    more = [Sizes(2, 2, 2, 3, 2, 0), Sizes(2, 3, 1, 3, 0, 2), Sizes(3, 2, 1, 2, 1, 0), Sizes(3, 2, 1, 1, 0, 1)]
    return small + deep + (more if level == "full" else [])


def network(case: Sizes) -> tuple[int, int]:
    """Terms by formula, and the library's eq. 3 in Python integers."""
    from seprank.attention.layer import forward_integers

    arch = Architecture(case.L, case.dx, case.H)
    y = forward_integers(small_weights(arch, 0), small_tokens(case.N, case.dx, 0))
    return (case.N * case.H) ** arch.C, int(y[case.position, case.entry])


def over_positions(case: Sizes, positions: Iterable[tuple[int, ...]] | None = None) -> tuple[int, int]:
    """Number of terms, and their sum, over all choices of C positions or over those given."""
    links = Links(small_weights(Architecture(case.L, case.dx, case.H), 0))
    x = small_tokens(case.N, case.dx, 0)
    words = network_words(case.L, case.H)
    chosen = list(positions or product(range(case.N), repeat=len(words[0]) - 1))
    total = 0
    for word in words:
        first = [apply(links.matrix(word[0]), token)[case.entry] for token in x]
        forms = [_bilinear(links.matrix(link), x) for link in word[1:]]
        for js in chosen:
            path = zip(forms, js, (*js[1:], case.position), strict=True)
            total += first[js[0]] * math.prod(form[j][k] for form, j, k in path)
    return len(words) * len(chosen), total


def _bilinear(matrix: list[list[int]], x: list[list[int]]) -> list[list[int]]:
    images = [apply(matrix, token) for token in x]
    return [[sum(map(int.__mul__, token, image)) for image in images] for token in x]


def roads() -> Mapping[str, Road]:
    """The network and the written-out sum."""
    return {"eq. 3 composed L times": network, "sum over j_1..j_C and heads": over_positions}


def holds(case: Sizes, result: tuple[int, int]) -> bool:
    """The number of terms."""
    return result[0] == (case.N * case.H) ** ((3**case.L - 1) // 2)


def mutants() -> Mapping[str, Claim]:
    """Sums over fewer positions."""

    def C(case: Sizes) -> int:
        return (3**case.L - 1) // 2

    def distinct(case: Sizes, result: tuple[int, int]) -> bool:
        js = [j for j in product(range(case.N), repeat=C(case)) if len(set(j)) == min(case.N, C(case))]
        return result[1] == over_positions(case, js)[1]

    def unordered(case: Sizes, result: tuple[int, int]) -> bool:
        return result[1] == over_positions(case, combinations_with_replacement(range(case.N), C(case)))[1]

    def once(case: Sizes, result: tuple[int, int]) -> bool:
        js = list(permutations(range(case.N), C(case)))
        return bool(js) and result[1] == over_positions(case, js)[1]

    return {
        "every position at least once": distinct,
        "j_1 <= ... <= j_C": unordered,
        "no position twice": once,
        "(N H)^L terms": lambda case, result: result[0] == (case.N * case.H) ** case.L,
    }
