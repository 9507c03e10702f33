"""At the weights of B.2 the output is a power of an inner product.   Source: levine2020depth, Lemma 6."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb
from typing import NamedTuple

from proofs_check.plain.attention import output_entry
from proofs_check.plain.draws import weight_matrices
from proofs_check.plain.lower_bound_weights import Arrays, complex_tokens, complex_weights
from proofs_check.plain.ranks import rank
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.weights import Weights
from seprank.field.draw import residues

PRIME = 2147483629  # 1 modulo 4: it has a square root of -1

STATEMENT = Statement(
    id="D2W.lemma6",
    title="At the weights and templates of B.2 the output is a power of an inner product, of the full multiset rank",
    statement=r"There are weights and templates with value $N^{(3^{L-1}-1)/2}\,(4\langle "
    r"v_\alpha,v_\beta\rangle)^{3^{L-2}}$ for $v_\alpha,v_\beta$ with $(d_x-H)/2$ entries; for generic $v$ the matrix "
    r"has rank $\left(\!\binom{(d_x-H)/2}{3^{L-2}}\!\right)$.",
    source="levine2020depth, Lemma 6 and appendix B.2",
    scope="odd da, H <= 3, N = 2 and 4, L = 2, 3, 4, over a prime field with a square root of -1; random v",
    expected=Verdict.HOLDS,
    note="The displayed weights are restored from their description and from the exponents in the text; the last layer "
    "must let all heads write to one entry (the first wrong variant). Whole numbers and i map to the prime field, so "
    "the identity of values is that of the complex numbers, and the rank there is at least as large. For even da the "
    "segments of B.2 cannot be split in two; NEW.real-weights has no such restriction.",
)


class Sizes(NamedTuple):
    """A network with head size da and N tokens, half of them on each side."""

    L: int
    da: int
    H: int
    N: int

    @property
    def n(self) -> int:
        """(dx - H) / 2."""
        return self.H * (self.da - 1) // 2

    @property
    def full_rank(self) -> int:
        """The multiset coefficient of n and 3^(L-2)."""
        return comb(self.n + 3 ** (self.L - 2) - 1, self.n - 1)


class Found(NamedTuple):
    """Rank of the value matrix, and its first three rows and columns."""

    rank: int
    values: tuple[tuple[int, ...], ...]


def cases(level: str) -> Iterable[Sizes]:
    """One and several heads at each depth."""
    quick = [(2, 3, 1, 2), (2, 3, 2, 2), (2, 5, 1, 4), (3, 3, 1, 2), (3, 3, 2, 4), (4, 3, 2, 2)]
    more = [(2, 3, 3, 4), (3, 5, 2, 2), (3, 7, 1, 2), (3, 3, 3, 2), (4, 5, 1, 4), (4, 3, 3, 2)]
    return [Sizes(*sizes) for sizes in quick + (more if level == "full" else [])]


def vectors(case: Sizes, stream: str) -> list[list[int]]:
    """Random vectors v, two more than the rank."""
    drawn: list[list[int]] = residues(0, stream, (case.full_rank + 2, case.n), PRIME).tolist()
    return drawn


def setting(case: Sizes, own_constants: bool = False) -> tuple[Arrays, list[list[list[int]]], list[list[list[int]]]]:
    """Weights, and the tokens of both sides."""
    size = (case.full_rank + 2, case.n)
    v, w = (residues(0, stream, size, PRIME) for stream in ("v", "w"))
    tokens = (complex_tokens(x, side, case.H, case.N, PRIME).tolist() for x, side in ((v, "A"), (w, "B")))
    return complex_weights(case.L, case.H, case.da, case.N, PRIME, own_constants), *tokens


def library(case: Sizes) -> Found:
    """The Gram form and the library's elimination."""
    import numpy as np

    from seprank.field import rank as field_rank
    from seprank.separation.network import network_function

    arrays, A, B = setting(case)
    matrix = network_function(Weights.from_arrays(*arrays), PRIME)(np.array(A), np.array(B))
    return Found(field_rank(matrix, PRIME), tuple(tuple(map(int, row[:3])) for row in matrix[:3]))


def explicit_tokens(case: Sizes, own_constants: bool = False) -> Found:
    """Eq. 3 on explicit tokens, and the rank, in python-flint."""
    arrays, A, B = setting(case, own_constants)
    layers = weight_matrices(arrays, PRIME)
    matrix = [[output_entry(layers, [*a, *b], PRIME) for b in B] for a in A]
    return Found(rank(matrix, PRIME), tuple(tuple(row[:3]) for row in matrix[:3]))


def roads() -> Mapping[str, Road]:
    """Value matrix and rank, twice."""
    return {"Gram form": library, "eq. 3 on explicit tokens": explicit_tokens}


def power(case: Sizes, exponent: int) -> tuple[tuple[int, ...], ...]:
    """The formula for the first three rows and columns, with the exponent of the inner product as given."""
    factor = pow(case.N, (3 ** (case.L - 1) - 1) // 2, PRIME)
    v, w = vectors(case, "v")[:3], vectors(case, "w")[:3]
    inner = [[4 * sum(map(int.__mul__, a, b)) for b in w] for a in v]
    return tuple(tuple(factor * pow(x, exponent, PRIME) % PRIME for x in row) for row in inner)


def holds(case: Sizes, result: Found) -> bool:
    """The values and the rank."""
    return result.values == power(case, 3 ** (case.L - 2)) and result.rank == case.full_rank


def mutants() -> Mapping[str, Claim]:
    """Heads that do not add up, and other powers."""
    return {
        "every head writes to its own constant, L = 2": lambda case, result: (
            case.L > 2 or result.rank == explicit_tokens(case, own_constants=True).rank
        ),
        "the power 3^(L-1)": lambda case, result: result.values == power(case, 3 ** (case.L - 1)),
        "rank n^k": lambda case, result: result.rank == case.n ** (3 ** (case.L - 2)),
    }
