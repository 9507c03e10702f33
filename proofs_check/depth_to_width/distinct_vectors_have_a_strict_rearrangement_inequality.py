"""The sum of inner products is strictly largest at the identity permutation.   Source: levine2020depth, Lemma 8."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations, permutations, product
from typing import NamedTuple

from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.field.draw import residues

STATEMENT = Statement(
    id="D2W.lemma8",
    title="Vector rearrangement inequality: strict for distinct vectors, with the least squared distance as its gap",
    statement=r"$\sum_j\langle q_j,q_{\sigma(j)}\rangle<\sum_j|q_j|^2$ for distinct $q_j$ and $\sigma\ne\mathrm{id}$. "
    r"More exactly "
    r"$\sum_j|q_j|^2-\max_{\sigma\ne\mathrm{id}}\sum_j\langle q_j,q_{\sigma(j)}\rangle=\min_{i<j}|q_i-q_j|^2$.",
    source="levine2020depth, Lemma 8",
    scope="all permutations of: every set of 2..6 vectors in {-1, 0, 1}^2, every set of 2..4 in {0, 1, 2}^2, the "
    "paper's "
    "vectors (all q >= 0 with sum lambda, at most 6 of them), random integer vectors in dimension 3, lists with "
    "repeats",
    expected=Verdict.HOLDS,
    note="Proved for all real vectors, not only non-negative ones: twice the gap is the sum of |q_j - q_sigma(j)|^2, a "
    "cycle of m >= 2 steps has at least m times the least square. The value of the gap is new here.",
)


class Vectors(NamedTuple):
    """Integer vectors, distinct or not."""

    q: tuple[tuple[int, ...], ...]

    @property
    def distinct(self) -> bool:
        """Whether no vector is repeated."""
        return len(set(self.q)) == len(self.q)


def cases(level: str) -> Iterable[Vectors]:
    """Sets of grid points, the vectors of the paper's proof, random ones, lists with repeats."""
    full = level == "full"
    small = list(product((-1, 0, 1), repeat=2))
    for size in range(2, 7 if full else 5):
        yield from (Vectors(chosen) for chosen in combinations(small, size))
    if full:
        other = list(product(range(3), repeat=2))
        for size in range(2, 5):
            yield from (Vectors(chosen) for chosen in combinations(other, size))
    for d, total in ((2, 1), (2, 3), (2, 5), (3, 1), (3, 2), (6, 1)):
        yield Vectors(tuple(q for q in product(range(total + 1), repeat=d) if sum(q) == total))
    for seed in range(12 if full else 3):
        yield Vectors(tuple(tuple(row) for row in (residues(seed, "q", (5, 3), 41) - 20).tolist()))
    yield from (Vectors(((1, 2), (1, 2))), Vectors(((0, 1), (3, 0), (0, 1), (2, 2))))


def all_permutations(case: Vectors) -> int:
    """The gap, from every permutation."""
    gram = [[sum(map(int.__mul__, a, b)) for b in case.q] for a in case.q]
    sums = [sum(gram[j][s] for j, s in enumerate(order)) for order in permutations(range(len(case.q)))]
    return sums[0] - max(sums[1:])


def over_subsets(case: Vectors) -> int:
    """The gap by dynamic programming over the set of images used, with a mark for having left the identity."""
    q = case.q
    best = {(0, False): 0}
    for j, a in enumerate(q):
        found: dict[tuple[int, bool], int] = {}
        for (used, moved), value in best.items():
            for image, b in enumerate(q):
                if not used >> image & 1:
                    state = used | 1 << image, moved or image != j
                    total = value + sum(map(int.__mul__, a, b))
                    found[state] = max(found.get(state, total), total)
        best = found
    every = (1 << len(q)) - 1
    return best[every, False] - best[every, True]


def least_distance(case: Vectors) -> int:
    """The least squared distance of two of the vectors."""
    return min(sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) for a, b in combinations(case.q, 2))


def roads() -> Mapping[str, Road]:
    """Three ways to the gap."""
    return {
        "all permutations": all_permutations,
        "dynamic programming": over_subsets,
        "least squared distance": least_distance,
    }


def holds(case: Vectors, result: int) -> bool:
    """Strict for distinct vectors, an equality for repeated ones."""
    return result > 0 if case.distinct else result == 0


def mutants() -> Mapping[str, Claim]:
    """Strictness for repeated vectors; a wider gap."""
    return {
        "strict for repeated vectors, too": lambda case, result: result > 0,
        "a gap of at least 2 for distinct integer vectors": lambda case, result: not case.distinct or result >= 2,
    }
