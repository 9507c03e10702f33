"""The network is a sum of (H (da + 1))^C separable terms.   Source: levine2020depth, eq. 18 (A.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np

from proofs_check.depth_to_width._ranks import SPARE, attention_rank, library_rank, weights_of_kind
from proofs_check.plain.schur import gram_bound
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.weights import Weights, random_weights
from seprank.field.draw import residues

SMALL = 11  # weights and tokens of the exact values are integers below it

STATEMENT = Statement(
    id="D2W.eq18",
    title="Eq. 18: the separation rank is at most (H (da + 1))^C, one separable term per head word and crossing",
    statement=r"$\mathrm{sep}(y^i_p)\le\bigl(H(d_a+1)\bigr)^{C(L)}$ for every $L\ge1$, $N>1$, every partition and all "
    r"weights: each of the $C$ gaps is crossed through one of $d_a$ bottleneck indices or not at all, $H$ heads each.",
    source="levine2020depth, eq. 18 (A.2)",
    scope="the printed sum of separable terms, term by term in exact integers: eleven sizes at L = 1, 2 with H, da "
    "<= 3 (H da may differ from dx), and H = da = 1 at L = 3; measured ranks at random weights, every H dividing dx: "
    "L = 1 with dx <= 6, L = 2 with dx <= 4, L = 3 with dx = 2",
    expected=Verdict.HOLDS,
    note="The sum of terms is the printed proof itself. NEW.gram-vs-18: the Gram bound is never above eq. 18.",
)


class Sizes(NamedTuple):
    """Sizes; `rank` says whether the rank is measured or the value at one input computed."""

    L: int
    dx: int
    H: int
    da: int
    NA: int
    NB: int
    rank: bool = False


def cases(level: str) -> Iterable[Sizes]:
    """Values of the sum of terms, then ranks."""
    yield from (Sizes(1, dx, H, da, 1, 2) for dx, H, da in [(1, 1, 1), (3, 3, 1), (4, 2, 2), (3, 1, 3), (2, 3, 2)])
    yield from (Sizes(2, dx, H, da, 2, 1) for dx, H, da in [(2, 1, 2), (2, 2, 1), (3, 1, 3), (3, 2, 1)])
    for dx in range(1, 7) if level == "full" else (2, 4):
        yield from (Sizes(1, dx, H, dx // H, 1, 2, True) for H in range(1, dx + 1) if dx % H == 0)
    yield from (Sizes(2, dx, H, dx // H, 2, 2, True) for dx, H in [(1, 1), (2, 1), (2, 2), (3, 3)])
    if level == "full":
        yield from (Sizes(2, 4, H, da, 2, 2) for H, da in [(2, 2), (3, 1)])
        yield from (Sizes(3, dx, 1, 1, 1, 1) for dx in (1, 2))
        yield Sizes(2, 3, 1, 3, 1, 2, True)
        yield from (Sizes(2, 4, H, 4 // H, 3, 4, True) for H in (1, 2, 4))
        yield from (Sizes(3, 2, H, 2 // H, 2, 1, True) for H in (1, 2))


def _weights(case: Sizes) -> Weights:
    arch = Architecture(case.L, case.dx, case.H, case.da)
    return weights_of_kind("random", arch) if case.rank else random_weights(arch, SMALL, 0)


def _tokens(case: Sizes) -> np.ndarray:
    return residues(0, "tokens", (case.NA + case.NB, case.dx), SMALL) - SMALL // 2


def _words(weights: Weights) -> Iterator[list[Any]]:
    """Lemma 1: the matrices of every word over heads, "G" where a Gram matrix stands, "|" at the bottlenecks."""
    Q, K, V, O = (array.astype(object) for array in weights)

    def layer(level: int) -> Iterator[list[Any]]:
        for h in range(len(Q[level])):
            for middle in gram(level):
                yield [O[level][h], "|", V[level][h], *middle, K[level][h].T, "|", Q[level][h]]

    def gram(level: int) -> Iterator[list[Any]]:
        if level == 0:
            yield ["G"]
            return
        for left, middle, right in product(layer(level - 1), gram(level - 1), layer(level - 1)):
            yield [*left, *middle, *(part if isinstance(part, str) else part.T for part in reversed(right))]

    chains = [layer(level) for level in reversed(range(len(Q)))]
    yield from ([part for chain in word for part in chain] for word in product(*chains))


def separable_terms(case: Sizes) -> list[tuple[int, int]]:
    """Pairs (function of the tokens of A, function of those of B): words, crossing sets, bottleneck indices."""
    x = _tokens(case).astype(object)
    gram_of = {"A": x[: case.NA].T @ x[: case.NA], "B": x[case.NA :].T @ x[case.NA :]}
    terms = []
    for word in _words(_weights(case)):
        links = _links(word)
        for sides in product("AB", repeat=len(links) - 1):
            terms += _crossings(links, [*sides, "A"], gram_of, x[0])
    return terms


def _links(word: list[Any]) -> list[list[Any]]:
    """The parts of a word between its Gram matrices."""
    links: list[list[Any]] = [[]]
    for part in word:
        if isinstance(part, str) and part == "G":
            links.append([])
        else:
            links[-1].append(part)
    return links


def _crossings(links: list[list[Any]], sides: list[str], gram_of: dict[str, Any], x: Any) -> list[tuple[int, int]]:
    """The terms with Gram matrix c on side `sides[c]`: one bottleneck index for every change of sides."""
    rows = [(_through(links[0])[0], {"A": 1, "B": 1})]
    for (here, there), link in zip(pairwise(sides), links[1:], strict=True):
        grown = []
        for row, factors in rows:
            before = row @ gram_of[here]
            if here == there:
                grown.append((before @ _through(link), factors))
                continue
            left, right = _bottleneck(link)
            passed = before @ left
            grown += [(right[r], {**factors, here: factors[here] * passed[r]}) for r in range(len(right))]
        rows = grown
    return [(factors["A"] * (row @ x), factors["B"]) for row, factors in rows]


def _through(link: list[Any]) -> Any:
    parts = [part for part in link if not isinstance(part, str)]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole @ part
    return whole


def _bottleneck(link: list[Any]) -> tuple[Any, Any]:
    cut = next(i for i, part in enumerate(link) if isinstance(part, str))
    return _through(link[:cut]), _through(link[cut + 1 :])


def sum_of_terms(case: Sizes) -> int:
    """The sum over the separable terms; or the rank by eq. 3 on explicit tokens."""
    if case.rank:
        return attention_rank(_weights(case), case.NA, case.NB, gram_bound(case.L, case.dx, case.NA, case.NB) + SPARE)
    return int(sum(a * b for a, b in separable_terms(case)))


def network(case: Sizes) -> int:
    """The library's forward pass in whole numbers; or the rank of its Gram form."""
    from seprank.attention.layer import forward_integers

    if case.rank:
        return library_rank(_weights(case), case.NA, case.NB, gram_bound(case.L, case.dx, case.NA, case.NB) + SPARE)
    return int(forward_integers(_weights(case), _tokens(case))[0, 0])


def roads() -> Mapping[str, Road]:
    """The sum against the network."""
    return {"sum of separable terms, or rank by eq. 3": sum_of_terms, "forward pass, or rank of the Gram form": network}


@cache
def _count(case: Sizes) -> int:
    return len(separable_terms(case))


def _at_most(case: Sizes, result: int, base: int) -> bool:
    """The number of terms, or the measured rank, against a power."""
    return (result if case.rank else _count(case)) <= base ** ((3**case.L - 1) // 2)


def holds(case: Sizes, result: int) -> bool:
    """Exactly (H (da + 1))^C terms; no rank above."""
    base = case.H * (case.da + 1)
    return _at_most(case, result, base) and (case.rank or _count(case) == base ** ((3**case.L - 1) // 2))


def mutants() -> Mapping[str, Claim]:
    """Smaller counts."""
    return {
        "(H da)^C: every gap crossed": lambda case, result: _at_most(case, result, case.H * case.da),
        "(da + 1)^C: heads not counted": lambda case, result: _at_most(case, result, case.da + 1),
        "(dx + 1)^C terms in the printed sum": lambda case, result: _at_most(case, result, case.dx + 1),
    }
