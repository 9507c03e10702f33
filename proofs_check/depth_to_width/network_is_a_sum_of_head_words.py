"""The depth-L network is a sum of H^C words with C Gram factors each.   Source: levine2020depth, Lemma 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from proofs_check.plain.draws import small_tokens, small_weights
from proofs_check.plain.words import Links, Word, gram_factors, gram_matrix, layer_word, network_words, word_value
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture

STATEMENT = Statement(
    id="D2W.lemma1",
    title="The depth-L network is a sum of H^C words, each with C(L) = (3^L - 1)/2 Gram factors",
    statement=r"$Y^{(L)}=\sum_{h\in[H]^{C}}B^{(0,h)}GB^{(1,h)}\cdots GB^{(C,h)}X$ with $G=XX^T$ and products $B$ of "
    r"weight matrices; one more layer puts three words and one $G$ together: $C(L+1)=3C(L)+1$.",
    source="levine2020depth, Lemma 1",
    scope="L <= 2 with H <= 4, L = 3 with H <= 2; dx <= 4, N <= 3, all output entries at one position, exact integers",
    expected=Verdict.HOLDS,
    note="The words are built layer by layer as sequences of weight matrices, their Gram factors counted. The proof, "
    "by induction on L, covers all sizes.",
)


class Sizes(NamedTuple):
    """A network, the number of tokens and the output position."""

    L: int
    dx: int
    H: int
    N: int
    position: int


class Sum(NamedTuple):
    """Gram factors of each word, number of words, and the output vector."""

    factors: int
    words: int
    output: tuple[int, ...]


def cases(level: str) -> Iterable[Sizes]:
    """All heads at L = 1, 2; one and two heads at L = 3."""
    small = [Sizes(L, dx, H, 3, 1) for L in (1, 2) for dx, H in ((1, 1), (2, 1), (2, 2), (3, 1), (3, 3))]
    deep = [Sizes(3, 1, 1, 2, 0), Sizes(3, 2, 1, 2, 1), Sizes(3, 3, 1, 2, 0)]
    most = [Sizes(2, 4, 4, 2, 0), Sizes(3, 2, 2, 2, 0), Sizes(2, 3, 3, 1, 0)]
    return small + deep + (most if level == "full" else [])


def network(case: Sizes) -> Sum:
    """The library's eq. 3, layer after layer, and the counts by formula."""
    from seprank.attention.layer import forward_integers

    arch = Architecture(case.L, case.dx, case.H)
    y = forward_integers(small_weights(arch, 0), small_tokens(case.N, case.dx, 0))[case.position]
    return Sum(arch.C, case.H**arch.C, tuple(int(entry) for entry in y))


def sum_of(case: Sizes, words: list[Word]) -> tuple[int, ...]:
    """The sum of the words, applied to the token at the output position."""
    links = Links(small_weights(Architecture(case.L, case.dx, case.H), 0))
    tokens = small_tokens(case.N, case.dx, 0)
    gram = gram_matrix(tokens)
    return tuple(map(sum, zip(*(word_value(word, links, gram, tokens[case.position]) for word in words), strict=True)))


def all_words(case: Sizes) -> Sum | str:
    """Build all words, count, and add them up."""
    words = network_words(case.L, case.H)
    factors = {gram_factors(word) for word in words}
    if len(factors) > 1 or len(set(words)) < len(words):
        return "words of different length, or a word that occurs twice"
    return Sum(factors.pop(), len(words), sum_of(case, words))


def roads() -> Mapping[str, Road]:
    """The network and its words."""
    return {"eq. 3 composed L times": network, "sum of all words": all_words}


def holds(case: Sizes, result: Sum) -> bool:
    """The counts, with the recursion C(L) = 3 C(L-1) + 1 on words that are built."""
    before = gram_factors(network_words(case.L - 1, 1)[0])
    return result.factors == 3 * before + 1 == (3**case.L - 1) // 2 and result.words == case.H**result.factors


def _one_choice_a_layer(L: int, H: int) -> list[Word]:
    words: list[Word] = [((),)]
    for layer in range(L):
        words = [layer_word(layer, h, word, word, word) for h in range(H) for word in words]
    return words


def mutants() -> Mapping[str, Claim]:
    """Wrong counts, and too few words."""
    return {
        "C(L+1) = 3 C(L)": lambda case, result: result.factors == 3 ** (case.L - 1),
        "H^L words": lambda case, result: result.words == case.H**case.L,
        "the three copies share their heads": lambda case, result: (
            result.output == sum_of(case, _one_choice_a_layer(case.L, case.H))
        ),
    }
