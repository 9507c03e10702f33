"""Every variant's values by two roads: the fast one modulo p, and its definition word by word in whole numbers."""

import numpy as np
import pytest

from proofs_check.plain import variants as plain
from seprank import Architecture, Partition
from seprank.attention.weights import random_weights
from seprank.field.draw import residues
from seprank.separation.assignments import draw_assignments
from seprank.variants.causal import causal
from seprank.variants.conv import conv
from seprank.variants.embedding import embedding
from seprank.variants.feedforward import feedforward
from seprank.variants.grouped import grouped, grouped_weights
from seprank.variants.per_layer import per_layer, per_layer_weights
from seprank.variants.recurrent import recurrent
from seprank.variants.residual import residual

PRIMES = [3, 101, 4194301, 2**31 - 1]
SEED = 5


def word(variant):
    return variant.order or "A" * variant.partition.NA + "B" * variant.partition.NB


def attention(variant, weights, p, **kinds):
    """Entry 0 at the first position of A, or the last of the text under a mask."""
    heads, position = plain.heads_of(weights), len(word(variant)) - 1 if kinds.get("causal") else 0

    def value(a, b):
        tokens = plain.interleaved(word(variant), a, b)
        return plain.attention_output(heads, tokens, position, prime=p, **kinds)[0]

    return value


def residual_value(p, L, dx, H, sides):
    variant = residual(Architecture(L, dx, H), Partition(*sides))
    return variant, attention(variant, random_weights(Architecture(L, dx, H), p, SEED), p, residual=True)


def causal_value(p, L, dx, H, order):
    variant = causal(Architecture(L, dx, H), order)
    return variant, attention(variant, random_weights(Architecture(L, dx, H), p, SEED), p, causal=True)


def embedding_value(p, L, dx, H, rank, sides):
    arch = Architecture(L, dx, H)
    variant = embedding(arch, rank, Partition(*sides))
    matrix = residues(SEED, "E", (dx, rank), p).tolist()
    inner = attention(variant, random_weights(arch, p, SEED), p)
    return variant, lambda a, b: inner(plain.embedded(matrix, a), plain.embedded(matrix, b))


def feedforward_value(p, L, dx, H, power, hidden, sides):
    arch = Architecture(L, dx, H)
    variant = feedforward(arch, power, hidden, Partition(*sides))
    up, down = residues(SEED, "W1", (L, hidden, dx), p), residues(SEED, "W2", (L, dx, hidden), p)
    blocks = [plain.Activation(*matrices, power) for matrices in zip(up.tolist(), down.tolist(), strict=True)]
    return variant, attention(variant, random_weights(arch, p, SEED), p, activations=blocks)


def gqa_value(p, L, dx, H, groups, sides):
    arch = Architecture(L, dx, H)
    variant, da = grouped(arch, groups, Partition(*sides)), dx // H
    query, output = residues(SEED, "Q", (L, H, da, dx), p), residues(SEED, "O", (L, H, dx, da), p)
    key, value = (residues(SEED, name, (L, groups, da, dx), p) for name in "KV")
    shared = [array[:, [h * groups // H for h in range(H)]] for array in (key, value)]
    return variant, attention(variant, (query, *shared, output), p)


def heads_value(p, dx, heads, sides):
    variant = per_layer(dx, heads, Partition(*sides))
    drawn = {name: residues(SEED, name, (len(heads), dx * dx), p) for name in "QKVO"}
    layers = []
    for number, H in enumerate(heads):
        da = dx // H
        shapes = {"Q": (H, da, dx), "K": (H, da, dx), "V": (H, da, dx), "O": (H, dx, da)}
        arrays = [drawn[name][number].reshape(shape).tolist() for name, shape in shapes.items()]
        layers.append([plain.Head(*head) for head in zip(*arrays, strict=True)])

    def value(a, b):
        return plain.attention_output(layers, plain.interleaved(word(variant), a, b), 0, prime=p)[0]

    return variant, value


def conv_value(p, dx, width, order):
    layers = len(order).bit_length() - 1
    first, middle = residues(SEED, "C0", (width, dx), p), residues(SEED, "C", (layers - 1, width, width), p)
    row = residues(SEED, "c", (1, width), p)[0].tolist()
    matrices = first.tolist(), middle.tolist()
    return conv(dx, width, order), lambda a, b: plain.tree_output(*matrices, row, plain.interleaved(order, a, b), p)


def recurrent_value(p, dx, width, order, L):
    first, others = residues(SEED, "I0", (width, dx), p), residues(SEED, "I", (L - 1, width, width), p)
    again, row = residues(SEED, "R", (L, width, width), p).tolist(), residues(SEED, "r", (1, width), p)[0].tolist()
    enter = [first.tolist(), *others.tolist()]
    variant = recurrent(dx, width, order, L)
    return variant, lambda a, b: plain.chain_output(enter, again, row, plain.interleaved(order, a, b), p)


CASES = [
    (residual_value, (2, 2, 2, (1, 3))),
    (residual_value, (1, 3, 1, (2, 2))),
    (causal_value, (2, 2, 1, "ABBA")),
    (causal_value, (3, 4, 2, "BABBA")),
    (causal_value, (2, 3, 3, "AB")),
    (causal_value, (1, 2, 2, "BBA")),
    (embedding_value, (2, 4, 2, 3, (2, 1))),
    (embedding_value, (1, 3, 1, 1, (1, 1))),
    (feedforward_value, (2, 2, 1, 2, 3, (2, 2))),
    (feedforward_value, (1, 4, 2, 3, 2, (1, 2))),
    (feedforward_value, (2, 3, 3, 5, 3, (1, 1))),
    (feedforward_value, (2, 2, 2, 1, 2, (2, 1))),
    (gqa_value, (2, 4, 4, 2, (2, 2))),
    (gqa_value, (2, 4, 4, 1, (1, 2))),
    (gqa_value, (3, 6, 6, 3, (1, 1))),
    (heads_value, (4, (1, 2, 4), (1, 1))),
    (heads_value, (4, (4, 1), (2, 2))),
    (heads_value, (3, (3,), (1, 2))),
    (conv_value, (2, 3, "ABBABAAB")),
    (conv_value, (3, 2, "AB")),
    (conv_value, (1, 1, "BABA")),
    (recurrent_value, (2, 3, "ABBAB", 1)),
    (recurrent_value, (3, 2, "BBA", 3)),
    (recurrent_value, (2, 2, "ABAB", 2)),
]


@pytest.mark.parametrize("prime", PRIMES)
@pytest.mark.parametrize(("build", "sizes"), CASES, ids=lambda value: getattr(value, "__name__", str(value)))
def test_two_roads(build, sizes, prime):
    variant, value = build(prime, *sizes)
    tokens = draw_assignments(variant.partition, variant.dx, prime, 11, (3, 4))
    found = variant.network(prime, SEED)(*tokens)
    assert found.tolist() == plain.value_matrix(value, *tokens)
    assert found.dtype == np.int64


def test_the_largest_residues_do_not_overflow():
    for build, sizes in CASES:
        prime = PRIMES[-1]
        variant, value = build(prime, *sizes)
        sides = variant.partition.NA, variant.partition.NB
        tokens = [np.full((2, count, variant.dx), prime - 1) - np.arange(2)[:, None, None] for count in sides]
        assert variant.network(prime, SEED)(*tokens).tolist() == plain.value_matrix(value, *tokens)


WRONG = {
    "the mask looks forward": (causal_value, (2, 2, 1, "ABBA"), lambda a, b: (a[::-1], b[::-1])),
    "A and B exchanged": (recurrent_value, (2, 3, "ABAB", 1), lambda a, b: (b, a)),
    "neighbours of another tree": (conv_value, (2, 2, "ABAB"), lambda a, b: (a[::-1], b)),
    "output at another position of A": (residual_value, (2, 2, 1, (2, 2)), lambda a, b: (a[::-1], b)),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_readings_are_rejected(name):
    build, sizes, change = WRONG[name]
    variant, value = build(101, *sizes)
    tokens = draw_assignments(variant.partition, variant.dx, 101, 11, 3)
    found = variant.network(101, SEED)(*tokens)
    assert found.tolist() != plain.value_matrix(lambda a, b: value(*change(a, b)), *tokens)


def test_wrong_sharing_power_and_padding_are_rejected():
    arch = Architecture(2, 4, 4)
    tokens = draw_assignments(Partition(2, 2), 4, 101, 11, 3)
    value = gqa_value(101, 2, 4, 4, 2, (2, 2))[1]
    weights = dict(zip("QKVO", grouped_weights(arch, 2, 101, SEED), strict=True))
    for name in "KV":  # heads 0, 2 and 1, 3 in place of 0, 1 and 2, 3
        weights[name] = weights[name][:, [0, 2, 1, 3]]
    other = attention(grouped(arch, 2, Partition(2, 2)), tuple(weights.values()), 101)
    assert plain.value_matrix(value, *tokens) != plain.value_matrix(other, *tokens)
    squared, cubed = (feedforward(Architecture(2, 2), power).network(101, SEED) for power in (2, 3))
    few = draw_assignments(Partition(2, 2), 2, 101, 11, 3)
    assert (squared(*few) != cubed(*few)).any()
    first, swapped = (per_layer_weights(4, heads, 101, SEED) for heads in ((1, 4), (4, 1)))
    assert [array.shape for array in first] == [array.shape for array in swapped]
    assert any((a != b).any() for a, b in zip(first, swapped, strict=True))
