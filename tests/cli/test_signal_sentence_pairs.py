"""`seprank signal sentence-pairs`: a few steps on generated pairs, going on, bad input."""

import json

import pytest

SMALL = "--L 2 --d 8 --H 2 --steps 3 --batch 4"


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("ein Haus\ta house\nein Satz\ta sentence\n\nHaus\thouse\n", encoding="utf-8")
    return path


@pytest.fixture
def train(succeeds):
    """Runs `seprank signal sentence-pairs`, which must succeed in silence; returns what it prints."""
    return lambda line: succeeds("signal", f"sentence-pairs {line}")


def test_the_document(train, pairs):
    found = json.loads(train(f"{pairs} {SMALL} --format json"))
    assert found["schema"] == "seprank.signal.sentence-pairs/1"
    assert (found["pairs"], found["vocabularies"]) == (3, {"source": 7, "target": 7})
    assert found["task"]["sizes"]["trainable"] is True
    assert found["task"]["sizes"]["alpha1"] == pytest.approx(0.5**0.5)
    assert [note["step"] for note in found["notes"]] == [0, 2]
    assert [set(layer) for layer in found["layers"]] == [{"layer", "alpha1", "alpha2", "cosine", "norm"}] * 2
    assert found["layers"][0]["alpha1"] != pytest.approx(0.5**0.5, abs=1e-12)


def test_the_table(train, pairs):
    table = train(f"{pairs} {SMALL} --optimiser adam --rate 0.001 --norm post --alpha 1 --fixed --tau 1 --longest 1")
    assert "3 pairs, 6 and 6 words; L = 2, d = 8, H = 2; layer norm post, fixed scales from 1, tau = 1; adam" in table
    assert "right words" in table
    assert "1.0000   1.0000" in table


def test_it_goes_on_from_its_checkpoint(train, pairs, tmp_path):
    path = tmp_path / "run.pt"
    whole = train(f"{pairs} {SMALL} --checkpoint {path}")
    assert train(f"{pairs} {SMALL} --checkpoint {path}") == whole


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("", 2, "Missing argument 'PAIRS.tsv'"),
        ("/nonexistent.tsv", 2, "pairs must be a TSV file that can be read, got '/nonexistent.tsv'"),
        ("PAIRS --d 7 --H 1", 2, "d must be even, since positions are pairs of sine and cosine, got 7"),
        ("PAIRS --H 3", 2, "H must divide d where dk is not given, got H=3 with d=512"),
        ("PAIRS --alpha x", 2, "alpha must be a number from 0 to 1e6 or a rule such as '1/sqrt(L)', got 'x'"),
        ("PAIRS --rate -1", 2, "rate must be a positive number, got -1.0"),
        ("PAIRS --checkpoint /nonexistent/a.pt", 2, "checkpoint must be a file that can be written"),
        ("PAIRS --d 100000", 3, "above the limit of 16; a smaller batch, width, vocabulary or shorter sentences"),
        (f"PAIRS {SMALL} --rate 1e200", 2, "activations must be finite numbers, got NaN or an infinity in"),
    ],
)
def test_bad_input(is_refused, pairs, line, code, message):
    found, text = is_refused("signal", f"sentence-pairs {line.replace('PAIRS', str(pairs))}")
    assert found == code
    assert message in text
