"""`seprank hop build` and `seprank hop verify`."""

import json

import numpy as np
import pytest

from seprank.parallel.constructions import hop_construction


def test_build_shows_the_layers(succeeds):
    text = succeeds("hop", "build --k 6 --N 100 --alphabet 4 --construction C3")
    assert "depth 4 (formula 4), width 13, at most 2 head(s) a layer" in text
    assert "last occurrence, rank before" in text


def test_build_writes_every_matrix(succeeds):
    found = json.loads(succeeds("hop", "build --k 3 --N 9 --alphabet 2 --construction C1 --format json"))
    assert (found["schema"], found["depth"], found["width"], found["heads"]) == ("seprank.hop.build/1", 4, 15, 1)
    layers = hop_construction("C1", 3, 9, 2).layers
    for layer, written in zip(layers, found["layers"], strict=True):
        for head, matrices in zip(layer.heads, written["heads"], strict=True):
            assert np.array_equal(head.W_Q, matrices["W_Q"])
            assert np.array_equal(head.W_V, matrices["W_V"])


def test_build_exports_a_module(succeeds, tmp_path):
    from seprank.parallel.torch_decoder import load_decoder

    succeeds("hop", f"build --k 5 --N 20 --alphabet 3 --construction C2 --digits 2 --export {tmp_path / 'a.pt'}")
    assert load_decoder(tmp_path / "a.pt").construction.k == 5


def test_verify(succeeds):
    found = json.loads(succeeds("hop", "verify --k 3 --N 6 --alphabet 2 --construction C2 --format json"))
    margin = found.pop("worst_margin")
    assert 0.25 < margin < 0.5
    assert found == {
        "schema": "seprank.hop.verify/1",
        "construction": "C2",
        "k": 3,
        "N": 6,
        "alphabet": 2,
        "dtype": "float64",
        "depth": 3,
        "depth_formula": 3,
        "width": 16,
        "heads": 1,
        "errors": 0,
        "checked": 384,
        "strings": 64,
        "exhaustive": True,
        "seed": None,
        "first_refused_N": 76372,
    }
    text = succeeds("hop", "verify --k 16 --N 50 --alphabet 4 --construction C1 --strings 3")
    assert "6 calls of attention, formula 6" in text
    assert "0 of 150 positions (random 3 strings; checked on these strings, not a proof)" in text


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("verify --k 0 --N 5 --alphabet 2", 2, "k must be a whole number at least 1, got 0"),
        ("build --k 1 --N 5 --alphabet 2 --digits 2", 2, "digits goes with construction C2 alone"),
        ("build --k 1 --N 1000 --alphabet 4 --construction C2 --dtype float32", 2, "dtype float64 or a smaller N"),
        ("verify --k 1 --N 300000 --alphabet 4", 3, "N must leave the attention weights of one string"),
        ("build --k 1 --N 5 --alphabet 2 --export /nowhere/a.pt", 2, "output must be a file that can be written"),
    ],
)
def test_bad_input(is_refused, line, code, message):
    found, said = is_refused("hop", line)
    assert (found, message in said) == (code, True), said
