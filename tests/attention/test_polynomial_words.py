"""The word form of Lemma 1 equals the network."""

from fractions import Fraction
from itertools import product

import pytest

from seprank.attention.architecture import Architecture
from seprank.attention.layer import forward_integers
from seprank.attention.poly_symbols import numeric_layers, reader, sparse_ring
from seprank.attention.poly_weights import small_weights
from seprank.attention.poly_words import Factor, Word, word_form, word_polynomial, word_values
from seprank.attention.polynomial import network_polynomial
from seprank.errors import InvalidInput, OutOfScope, TooLarge
from seprank.field.draw import residues

RING = sparse_ring(["t"], "ZZ")


def layers_of(weights):
    return numeric_layers(weights, lambda name, number: int(number))


def tokens_of(N, dx):
    return (residues(2, "tokens", (N, dx), 19) - 9).tolist()


@pytest.mark.parametrize("L", range(1, 8))
def test_the_number_of_gram_factors_and_of_weights(L):
    word = word_form(L)
    assert word.C == (3**L - 1) // 2 == str(word).partition(",")[0].count(" M ")
    assert word.after_layer().C == 3 * word.C + 1
    factors = [factor for link in word.links for factor in link]
    assert len(factors) == 4 * word.C
    for layer in range(1, L + 1):
        assert sum(factor.layer == layer for factor in factors) == 4 * 3 ** (L - layer)


@pytest.mark.parametrize("L", range(1, 6))
def test_every_slot_holds_the_four_matrices_of_one_head(L):
    slots = {}
    for link in word_form(L).links:
        for factor in link:
            slots.setdefault(factor.slot, []).append(factor)
    assert sorted(slots) == list(range(1, word_form(L).C + 1))
    for factors in slots.values():
        assert sorted(factor.matrix for factor in factors) == ["K", "O", "Q", "V"]
        assert len({factor.layer for factor in factors}) == 1


@pytest.mark.parametrize(
    ("sizes", "N"),
    [
        (Architecture(1, 2), 2),
        (Architecture(1, 2, 2), 3),
        (Architecture(1, 3, 2, da=1), 2),
        (Architecture(2, 1), 3),
        (Architecture(2, 1, 2, da=2), 2),
        (Architecture(2, 2, 1, da=1), 2),
        (Architecture(3, 1, 1), 2),
    ],
)
def test_the_word_form_is_the_network_symbolically(sizes, N):
    Y = word_polynomial(sizes, N)
    for i, p in product(range(N), range(sizes.dx)):
        assert Y[p][i] == network_polynomial(sizes, N, position=i, entry=p).value


@pytest.mark.parametrize("domain", ["QQ", 5])
def test_the_word_form_over_other_rings(domain):
    sizes = Architecture(1, 2, 2)
    assert word_polynomial(sizes, 2, domain)[1][0] == network_polynomial(sizes, 2, domain=domain, entry=1).value


@pytest.mark.parametrize(
    "sizes",
    [Architecture(2, 2), Architecture(2, 4, 2), Architecture(2, 3, 3), Architecture(3, 3), Architecture(4, 2, da=3)],
)
def test_the_word_form_is_the_network_on_numbers(sizes):
    weights, tokens = small_weights(sizes, 1), tokens_of(3, sizes.dx)
    assert word_values(weights, tokens).tolist() == forward_integers(weights, tokens).tolist()


def test_one_summand_is_the_network_of_those_heads():
    weights, tokens = small_weights(Architecture(2, 2, 2), 1), tokens_of(2, 2)
    layers, word = layers_of(weights), word_form(2)
    summands = {heads: word.product(layers, tokens, heads) for heads in product(range(2), repeat=4)}
    alone = [[head[heads[0]]] for head, heads in zip(layers, [(1,), (1,)], strict=True)]
    assert word.evaluate(alone, tokens) == summands[1, 1, 1, 1]
    assert len({str(summand) for summand in summands.values()}) > 8


@pytest.mark.parametrize("change", ["untransposed", "another head", "wrong layer"])
def test_a_wrong_word_is_noticed(change):
    word, weights, tokens = word_form(2), small_weights(Architecture(2, 2, 2, da=2), 1), tokens_of(2, 2)
    changes = {
        "untransposed": lambda f: Factor(f.matrix, f.layer, f.slot, False),
        "another head": lambda f: Factor(
            f.matrix, f.layer, 3 if (f.matrix, f.slot) == ("Q", 1) else f.slot, f.transposed
        ),
        "wrong layer": lambda f: Factor(f.matrix, 3 - f.layer, f.slot, f.transposed),
    }
    wrong = Word(2, tuple(tuple(map(changes[change], link)) for link in word.links))
    assert wrong.evaluate(layers_of(weights), tokens) != word.evaluate(layers_of(weights), tokens)


def test_the_word_prints():
    assert str(word_form(2)).startswith(
        "Y^(2) = sum over h in [H]^4 of O2[h2] V2[h2] O1[h1] V1[h1] M K1[h1]^T Q1[h1] M "
    )
    assert str(Factor("V", 1, 3, True)) == "V1[h3]^T"


def test_what_is_refused():
    layers, tokens = layers_of(small_weights(Architecture(1, 2, 2), 1)), tokens_of(2, 2)
    with pytest.raises(InvalidInput, match=r"^heads must be 1 numbers from 0 to 1, got \[2\]"):
        word_form(1).product(layers, tokens, [2])
    with pytest.raises(InvalidInput, match=r"^layers must be the 2 of the word, got 1"):
        word_form(2).evaluate(layers, tokens)
    with pytest.raises(OutOfScope, match="without residual connections"):
        word_polynomial(Architecture(1, 2, residual=True), 2)
    with pytest.raises(OutOfScope, match="without residual connections"):
        word_values(small_weights(Architecture(1, 2, residual=True), 1), tokens)
    with pytest.raises(InvalidInput, match=r"^tokens must have shape"):
        word_values(small_weights(Architecture(1, 3), 1), tokens)
    with pytest.raises(InvalidInput, match=r"^tokens must be whole numbers over ZZ, got 0.5"):
        word_values(small_weights(Architecture(1, 2), 1), [[1, 0.5]])
    with pytest.raises(InvalidInput, match=r"^L must be a whole number"):
        word_form(0)
    with pytest.raises(TooLarge, match="for L at most 9, got 10"):
        word_form(10)
    many = layers_of(small_weights(Architecture(4, 2, 2), 1))
    with pytest.raises(TooLarge, match=r"H\*\*C = 2\*\*40 summands"):
        word_form(4).evaluate(many, tokens)


def test_reader_names_what_it_reads():
    with pytest.raises(InvalidInput, match=r"^here must be whole numbers over ZZ, got Fraction"):
        reader("ZZ", RING)("here", Fraction(1, 2))
