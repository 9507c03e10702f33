"""The k-hop constructions: exact on all small and many large strings, at the claimed depth, and where they stop."""

import itertools

import numpy as np
import pytest
import torch

from seprank.errors import InvalidInput, OutOfScope
from seprank.parallel import construction as parts
from seprank.parallel.constructions import first_refused_length, hop_construction
from seprank.parallel.counting import binary_schedule
from seprank.parallel.decoder import Head, attend
from seprank.parallel.hop import hop
from seprank.parallel.pointer_doubling import schedule
from seprank.parallel.strings import uniform_string
from seprank.parallel.torch_decoder import SCHEMA, HopDecoder, decoder_document, load_decoder
from seprank.parallel.verify_construction import verify_construction

KINDS = [("C1", None), ("C2", None), ("C2", 2), ("C3", None)]
ceil_log2 = {1: 0, 2: 1, 3: 2, 4: 2, 5: 3, 6: 3, 7: 3, 8: 3, 9: 4, 15: 4, 16: 4}
floor_log2 = {1: 0, 2: 1, 3: 1, 4: 2, 5: 2, 6: 2, 7: 2, 8: 3, 9: 3, 15: 3, 16: 4}


@pytest.mark.parametrize(("name", "digits"), KINDS)
@pytest.mark.parametrize(("N", "alphabet"), [(7, 2), (6, 3), (1, 1), (5, 1), (2, 2)])
def test_all_short_strings(name, digits, N, alphabet):
    for k in range(1, 7):
        found = verify_construction(hop_construction(name, k, N, alphabet, digits=digits))
        assert (found.errors, found.exhaustive, found.checked) == (0, True, alphabet**N * N)
        assert found.worst_margin > 0.25


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("name", "digits"), KINDS)
def test_long_strings(name, digits, dtype):
    for k, N, alphabet in [(1, 100, 4), (7, 100, 4), (16, 100, 4), (5, 60, 26), (3, 97, 97)]:
        found = verify_construction(hop_construction(name, k, N, alphabet, dtype, digits), strings=12, seed=k)
        assert (found.errors, found.checked) == (0, 12 * N)
        depth = (ceil_log2 if name == "C1" else floor_log2)[k] + 2
        assert found.depth == found.depth_formula == depth
        assert found.worst_margin > 0.25


@pytest.mark.parametrize("k", sorted(floor_log2))
def test_depths(k):
    for name, logarithm in (("C1", ceil_log2), ("C2", floor_log2), ("C3", floor_log2)):
        built = hop_construction(name, k, 20, 3)
        assert built.run(np.zeros(20, int))[1].depth == built.depth_formula == logarithm[k] + 2


def test_widths_and_heads():
    assert (hop_construction("C1", 9, 50, 4).width, hop_construction("C1", 9, 50, 30).width) == (15, 15)
    assert (hop_construction("C2", 9, 50, 4).width, hop_construction("C2", 9, 50, 4, digits=2).width) == (24, 32)
    built = hop_construction("C3", 9, 50, 30)
    assert built.width <= 14
    assert [len(layer.heads) for layer in built.layers] == [2, 2, 1, 1, 1]
    assert hop_construction("C1", 9, 50, 4).heads == 1


def test_one_layer_less_fails():
    X = np.stack([uniform_string(60, 4, seed) for seed in range(5)])
    for name in ("C1", "C2", "C3"):
        built = hop_construction(name, 8, 60, 4)
        short = parts.Construction(**{**vars(built), "layers": built.layers[:-1]})
        answers, run = short.run(X)
        assert run.depth == built.depth_formula - 1
        assert np.mean(answers != np.stack([hop(x, 8) for x in X])) > 0.3


@pytest.mark.parametrize("name", ["C1", "C2", "C3"])
def test_too_cold_a_softmax_fails(name):
    """Logits scaled by 0.2 lose the lead: the temperature of the formula is needed."""
    built = hop_construction(name, 3, 100, 4)
    layers = tuple(
        type(layer)(tuple(Head(0.2 * head.W_Q, head.W_K, head.W_V) for head in layer.heads), layer.step, layer.name)
        for layer in built.layers
    )
    weak = parts.Construction(**{**vars(built), "layers": layers})
    assert verify_construction(weak, strings=8).errors > 50


def test_attention_is_causal_softmax():
    generator = np.random.default_rng(0)
    Z, W_Q, W_K, W_V = (generator.normal(size=size) for size in ((2, 5, 3), (3, 2), (3, 2), (3, 4)))
    output, weights = attend(Z, W_Q, W_K, W_V, np)
    tensors = [torch.tensor(array) for array in (Z @ W_Q, Z @ W_K, Z @ W_V)]
    expected = torch.nn.functional.scaled_dot_product_attention(*tensors, is_causal=True, scale=1.0)
    np.testing.assert_allclose(output, expected.numpy(), atol=1e-12)
    np.testing.assert_allclose(weights.sum(-1), 1)
    assert np.triu(weights[0], 1).max() == 0


@pytest.mark.parametrize(("name", "digits"), KINDS)
def test_the_torch_module_has_the_same_weights_and_answers(name, digits, tmp_path):
    built = hop_construction(name, 6, 40, 5, digits=digits)
    module = HopDecoder(built)
    X = np.stack([uniform_string(40, 5, seed) for seed in range(4)])
    assert (module(torch.tensor(X)).numpy() == built.run(X)[0]).all()
    assert sum(1 for _ in module.parameters()) == 3 * sum(len(layer.heads) for layer in built.layers)
    torch.save(decoder_document(built, digits), tmp_path / "decoder.pt")
    again = load_decoder(tmp_path / "decoder.pt")
    assert (again(torch.tensor(X)) == module(torch.tensor(X))).all()
    with torch.no_grad():
        again.layers[1][0]["W_K"].zero_()
    assert (again(torch.tensor(X)) != module(torch.tensor(X))).any()


def test_files_that_are_no_decoder(tmp_path):
    torn, other, wrong = (tmp_path / name for name in ("torn.pt", "other.pt", "wrong.pt"))
    document = decoder_document(hop_construction("C1", 3, 10, 2))
    torch.save(document | {"k": 9}, wrong)
    torch.save({"schema": "x"}, other)
    torch.save(document, torn)
    torn.write_bytes(torn.read_bytes()[:200])
    for path, message in [
        (torn, "it is torn"),
        (other, f"a file of schema {SCHEMA}"),
        (wrong, "weights that fit its sizes"),
        (tmp_path / "none.pt", "No such file"),
    ]:
        with pytest.raises(InvalidInput, match=message):
            load_decoder(path)


def test_where_a_number_type_stops():
    assert first_refused_length("C2", 3, 4, "float32") == 116
    assert first_refused_length("C2", 3, 4, "float32", digits=2) == 784
    for name in ("C1", "C2", "C3"):
        limit = first_refused_length(name, 3, 4, "float32")
        hop_construction(name, 3, limit - 1, 4, "float32")
        with pytest.raises(OutOfScope, match="dtype float64"):
            hop_construction(name, 3, limit, 4, "float32")
    with pytest.raises(OutOfScope, match=r"needs logits up to .* or digits 2 or a smaller N would work"):
        hop_construction("C2", 3, 500, 4, "float32")


def test_beyond_the_limit_answers_are_wrong():
    built = hop_construction("C2", 4, 1000, 4)
    single = parts.Construction(**{**vars(built), "dtype": "float32"})
    assert verify_construction(built, strings=2).errors == 0
    assert verify_construction(single, strings=2).errors > 100


def test_schedules():
    for k in range(1, 200):
        reached = schedule(k)
        assert reached[-1] == k
        assert all(b in (2 * a, 2 * a - 1) for a, b in itertools.pairwise(reached))
        b = 0
        for digit in binary_schedule(k):
            b = 2 * b + digit
        assert b == k


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hop_construction("C4", 1, 5, 2), "construction must be one of C1, C2, C3, got 'C4'"),
        (lambda: hop_construction("C1", 0, 5, 2), "k must be a whole number at least 1, got 0"),
        (lambda: hop_construction("C1", 1, 0, 2), "N must be a whole number at least 1, got 0"),
        (lambda: hop_construction("C1", 1, 5, 0), "alphabet must be a whole number at least 1, got 0"),
        (lambda: hop_construction("C1", 1, 5, 2, "float16"), "dtype must be one of float64, float32, got 'float16'"),
        (lambda: hop_construction("C3", 1, 5, 2, digits=2), "digits goes with construction C2 alone"),
        (lambda: hop_construction("C2", 1, 5, 2, digits=3), "digits must be a whole number from 1 to 2, got 3"),
        (lambda: hop_construction("C2", 1, 5, 2).run([0, 1, 2, 0, 0]), "X must hold symbols from 0 to 1, got 0 to 2"),
        (lambda: hop_construction("C2", 1, 5, 2).run([0, 1]), r"X must hold whole numbers in shape \(..., 5\)"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
