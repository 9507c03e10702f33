"""With one head the network is a single word of C Gram factors and L links.

Source: docs/theory.md, Isotropic directions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from proofs_check.plain.attention import output_entry
from proofs_check.plain.draws import weight_matrices
from proofs_check.plain.words import Matrix, apply, gram_matrix, times
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.weights import Weights, random_weights
from seprank.field.draw import residues

PRIME = 2147483629
TOKENS = 3
Word = tuple[tuple[int, bool], ...]  # links in order: layer, and whether transposed
PRINTED = {2: "1 1' 2", 3: "1 1' 2 1 1' 2' 1 1' 3 1 1' 2"}

STATEMENT = Statement(
    id="NEW.word",
    title="With one head the output is a row of one word a^T G B G ... G, with one link matrix a layer, times B_1 x",
    statement=r"$y_p=\sum_q(B_1x)_qf_q(G)$, $f=a^TP_L$, $P_1=G$, $P_l=\Gamma_lB_lP_{l-1}$, "
    r"$\Gamma_l=P_{l-1}B_1GB_1^TP_{l-1}^T$; so $f=a^TGB_1GB_1^TGB_2G$ at $L=2$, and the links are "
    r"$1,1',2,1,1',2',1,1',3,1,1',2$ at $L=3$ ($'$: transposed). General weights have $B_1=W_1$, $B_l=(U_{l-1}\cdots "
    r"U_1)^TW_lU_{l-1}\cdots U_1$, $a^T=e_p^TU_L\cdots U_1$, $U=W^OW^V$, $W=(W^K)^TW^Q$; given links and $a$ come "
    r"from $W^V=W^K=I$, $W^{Q,l}=B_l$, $W^{O,l}=I$, at last with $a^T$ in row $p$.",
    source="docs/theory.md, Isotropic directions",
    scope="L = 1 to 4, dx <= 4, H = 1, N = 3: given links and random weights, modulo a prime",
    expected=Verdict.HOLDS,
    note="An identity of values at random tokens; it follows from the Gram form for all sizes.",
)


class Sizes(NamedTuple):
    """A network, from given links or with random weights, and the output entry."""

    L: int
    dx: int
    kind: str
    entry: int


class Found(NamedTuple):
    """The layers of the links in order, and the output."""

    layers: tuple[int, ...]
    output: int


def cases(level: str) -> Iterable[Sizes]:
    """Given links, and random weights."""
    depths, widths = ((1, 2, 3, 4), (1, 2, 3, 4)) if level == "full" else ((2, 3, 4), (1, 2, 3))
    return [Sizes(L, dx, kind, dx - 1) for L in depths for dx in widths for kind in ("links", "weights")]


def links_of(case: Sizes) -> tuple[list[Matrix], list[int]]:
    """Random links B_1..B_L and a row a."""
    links = residues(0, "links", (case.L, case.dx, case.dx), PRIME)
    return links.tolist(), residues(0, "row", case.dx, PRIME).tolist()


def weights_of(case: Sizes) -> Weights:
    """Weights that realise the links, or random ones."""
    arch = Architecture(case.L, case.dx, 1)
    if case.kind == "weights":
        return random_weights(arch, PRIME, 0)
    links, row = links_of(case)
    identity = np.broadcast_to(np.eye(case.dx, dtype=np.int64), (case.L, 1, case.dx, case.dx))
    output = identity.copy()
    output[-1, 0] = 0
    output[-1, 0, case.entry] = row
    return Weights(arch, np.array(links)[:, None], identity, identity, output)


def tokens(case: Sizes) -> np.ndarray:
    """Random tokens."""
    return residues(0, "tokens", (TOKENS, case.dx), PRIME)


def library(case: Sizes) -> Found:
    """The library's order of links, and its Gram form."""
    from seprank.attention.gram import GramNetwork
    from seprank.closed_forms.isotropic import link_word

    network, x = GramNetwork(weights_of(case), PRIME, case.entry), tokens(case)[None]
    value = network.evaluate(network.side_A(x[:, :1]), network.side_B(x[:, 1:]))[0, 0]
    return Found(link_word(case.L), int(value))


def link_order(L: int) -> Word:
    """The links of P_L by its recursion; Gamma_l holds the transposed word backwards."""
    word: Word = ()
    for layer in range(2, L + 1):
        backwards = tuple((link, not flip) for link, flip in reversed(word))
        word = (*word, (1, False), (1, True), *backwards, (layer, False), *word)
    return word


def word_value(case: Sizes, word: Word, conjugated: bool = True) -> int:
    """The row a^T G B G ... G, applied to B_1 x, with the links in the order of the word."""
    links, row = links_of(case)
    if case.kind == "weights":
        links, row = _links_of_weights(case, conjugated)
    x = tokens(case).tolist()
    gram = _reduced(gram_matrix(x))
    for layer, flip in word:
        link = links[layer - 1]
        row = _apply(_turned(link if not flip else _turned(link)), _apply(gram, row))
    return sum(map(int.__mul__, _apply(gram, row), _apply(links[0], x[0]))) % PRIME


def _links_of_weights(case: Sizes, conjugated: bool) -> tuple[list[Matrix], list[int]]:
    arrays = [array[:, 0].tolist() for array in weights_of(case)]
    through = [[int(a == b) for b in range(case.dx)] for a in range(case.dx)]
    links = []
    for Q, K, V, O in zip(*arrays, strict=True):
        W = times(_turned(K), Q)
        links.append(_reduced(times(times(_turned(through), W), through) if conjugated else W))
        through = _reduced(times(times(O, V), through))
    return links, through[case.entry]


def _turned(matrix: Matrix) -> Matrix:
    return [list(column) for column in zip(*matrix, strict=True)]


def _reduced(matrix: Matrix) -> Matrix:
    return [[x % PRIME for x in row] for row in matrix]


def _apply(matrix: Matrix, vector: list[int]) -> list[int]:
    return [x % PRIME for x in apply(matrix, vector)]


def word_by_word(case: Sizes) -> Found:
    """The recursion for the links, and the word itself."""
    word = link_order(case.L)
    return Found(tuple(layer for layer, _ in word), word_value(case, word))


def roads() -> Mapping[str, Road]:
    """Link order and output, twice."""
    return {"Gram form": library, "word": word_by_word}


def printed_word(L: int) -> Word:
    """The links as the statement lists them, or by the recursion at other depths."""
    listed = tuple((int(link[0]), link.endswith("'")) for link in PRINTED.get(L, "").split())
    return listed or link_order(L)


def holds(case: Sizes, result: Found) -> bool:
    """The listed links, C Gram factors, and eq. 3 on explicit tokens."""
    layers, x = weight_matrices(weights_of(case), PRIME), tokens(case).tolist()
    value = word_value(case, printed_word(case.L))
    long = len(result.layers) == (3**case.L - 1) // 2 - 1
    return long and result.output == value == output_entry(layers, x, PRIME, entry=case.entry)


def mutants() -> Mapping[str, Claim]:
    """Other orders of the links, and links without the maps of the layers before."""

    def with_word(change: Word, case: Sizes, result: Found, conjugated: bool = True) -> bool:
        return result.output == word_value(case, change, conjugated)

    return {
        "no link transposed": lambda case, result: with_word(
            tuple((layer, False) for layer, _ in link_order(case.L)), case, result
        ),
        "the links in reverse order": lambda case, result: with_word(link_order(case.L)[::-1], case, result),
        "the middle word of Gamma_l not reversed": lambda case, result: with_word(_not_reversed(case.L), case, result),
        "B_l = W_l for general weights": lambda case, result: with_word(link_order(case.L), case, result, False),
    }


def _not_reversed(L: int) -> Word:
    word: Word = ()
    for layer in range(2, L + 1):
        word = (*word, (1, False), (1, True), *((link, not flip) for link, flip in word), (layer, False), *word)
    return word
