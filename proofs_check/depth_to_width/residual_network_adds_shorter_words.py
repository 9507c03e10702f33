"""With skip connections the network is X plus words with 1 to C Gram factors.   Source: levine2020depth, Lemma 5."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import flint
import numpy as np

from proofs_check.plain.attention import output_entry
from proofs_check.plain.draws import small_tokens, small_weights, weight_matrices
from proofs_check.plain.words import Links, gram_factors, gram_matrix, network_words, word_value
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture

PRIME = 2147483629

STATEMENT = Statement(
    id="D2W.lemma5",
    title="With skip connections the network is X plus words with 1 to C(L) Gram factors",
    statement=r"$Y=X+\sum_{j=1}^{C(L)}(\text{words with }j\text{ Gram factors})X$: the part of degree $2j+1$ in the "
    r"tokens is the sum of the words with $j$ factors, $n_L(j)$ of them, where $\sum_jn_L(j)z^j=R_L(z)$, $R_0=1$, "
    r"$R_L=R_{L-1}+HzR_{L-1}^3$.",
    source="levine2020depth, Lemma 5",
    scope="L <= 2 with H <= 3, L = 3 with H = 1; dx <= 3, N <= 3, all output entries at one position, modulo a prime",
    expected=Verdict.HOLDS,
    note="The parts are found by scaling the tokens and interpolating. The part of top degree is the plain network "
    "with the same weights. The proof, by induction on L, covers all sizes.",
)


class Sizes(NamedTuple):
    """A network and the number of tokens; the output is read at the last position."""

    L: int
    dx: int
    H: int
    N: int


class Parts(NamedTuple):
    """Number of words for j = 0..C, and the parts of degree 0..2C+1 of the output vector."""

    words: tuple[int, ...]
    parts: tuple[tuple[int, ...], ...]


def cases(level: str) -> Iterable[Sizes]:
    """All heads at L <= 2; one head at L = 3."""
    quick = [Sizes(1, 2, 1, 2), Sizes(1, 3, 3, 3), Sizes(2, 1, 1, 2), Sizes(2, 2, 1, 3), Sizes(2, 2, 2, 2)]
    more = [Sizes(1, 1, 1, 1), Sizes(2, 3, 1, 2), Sizes(2, 3, 3, 3), Sizes(3, 1, 1, 2), Sizes(3, 2, 1, 3)]
    return quick + (more if level == "full" else [])


def scaled_network(case: Sizes) -> Parts:
    """The library's network at t times the tokens, t = 0..3^L, and the recursion for the counts."""
    from seprank.attention.layer import forward_mod

    arch = Architecture(case.L, case.dx, case.H, residual=True)
    tokens = np.array(small_tokens(case.N, case.dx, 0))
    scales = np.arange(arch.degree + 1)
    values = forward_mod(small_weights(arch, 0), scales[:, None, None] * tokens, PRIME)[:, -1]
    powers = [[pow(t, n, PRIME) for n in range(len(scales))] for t in range(len(scales))]
    solved = flint.nmod_mat(powers, PRIME).solve(flint.nmod_mat(values.tolist(), PRIME))
    counts = flint.fmpz_poly([1])
    for _ in range(case.L):
        counts += flint.fmpz_poly([0, case.H]) * counts**3
    return Parts(tuple(map(int, counts)), tuple(tuple(map(int, row)) for row in solved.tolist()))


def all_words(case: Sizes) -> Parts:
    """Build the words, sort them by their Gram factors, and add them up."""
    links = Links(small_weights(Architecture(case.L, case.dx, case.H), 0))
    tokens = small_tokens(case.N, case.dx, 0)
    gram = gram_matrix(tokens)
    words = network_words(case.L, case.H, residual=True)
    counts = Counter(map(gram_factors, words))
    parts = [[0] * case.dx for _ in range(3**case.L + 1)]
    for word in words:
        part = parts[2 * gram_factors(word) + 1]
        part[:] = map(int.__add__, part, word_value(word, links, gram, tokens[-1]))
    return Parts(
        tuple(counts[j] for j in range(max(counts) + 1)), tuple(tuple(x % PRIME for x in part) for part in parts)
    )


def roads() -> Mapping[str, Road]:
    """Homogeneous parts, and sums of words."""
    return {"network at scaled tokens, recursion": scaled_network, "words built one by one": all_words}


def plain_output(case: Sizes) -> tuple[int, ...]:
    """The network without skip connections, on explicit tokens."""
    layers = weight_matrices(small_weights(Architecture(case.L, case.dx, case.H), 0), PRIME)
    tokens = small_tokens(case.N, case.dx, 0)
    return tuple(output_entry(layers, tokens, PRIME, position=case.N - 1, entry=p) for p in range(case.dx))


def holds(case: Sizes, result: Parts) -> bool:
    """X at degree 1, nothing of even degree, C factors at most, the plain network on top."""
    own = tuple(x % PRIME for x in small_tokens(case.N, case.dx, 0)[-1])
    even = any(any(part) for part in result.parts[::2])
    length = len(result.words) - 1 == (3**case.L - 1) // 2
    return result.parts[1] == own and not even and length and result.parts[-1] == plain_output(case)


def mutants() -> Mapping[str, Claim]:
    """Wrong sets of words."""

    def only_plain_depths(case: Sizes, result: Parts) -> bool:
        lengths = {(3**l - 1) // 2 for l in range(case.L + 1)}
        return all(j in lengths or not any(result.parts[2 * j + 1]) for j in range(len(result.words)))

    return {
        "only the words of plain networks of depth 0..L": only_plain_depths,
        "H^j words with j factors": lambda case, result: (
            result.words == tuple(case.H**j for j in range(len(result.words)))
        ),
        "without X itself": lambda case, result: not any(result.parts[1]),
    }
