"""`seprank signal reverse-task`: the document, the table, checkpoints, bad input."""

import json

import pytest

SMALL = "--L 1 --steps 3 --seeds 2 --length 4 --d 4 --batch 4"


@pytest.fixture
def train(succeeds):
    """Runs `seprank signal reverse-task`, which must succeed in silence; returns what it prints."""
    return lambda line: succeeds("signal", f"reverse-task {line}")


def test_the_document(train):
    found = json.loads(train(f"{SMALL} --format json"))
    assert found["schema"] == "seprank.signal.reverse-task/1"
    assert found["task"]["alphas"] == ["1", "1/sqrt(L)"]
    assert [(network["alpha"], network["seed"]) for network in found["networks"]] == [
        ("1", 1),
        ("1", 2),
        ("1/sqrt(L)", 1),
        ("1/sqrt(L)", 2),
    ]
    assert found["networks"][0] == found["networks"][2] | {"alpha": "1"}  # L = 1: the same scale
    assert [note["step"] for note in found["notes"]] == [0, 2]
    assert len(found["notes"][0]["loss"]) == len(found["notes"][0]["accuracy"]) == 4
    assert len(found["conclusion"]) == 2


def test_the_table(train):
    table = train(f"{SMALL} --alpha 0.5")
    assert "1 POST-LN blocks, d = 4, strings of 4 digits; Adam, 3 steps of 4, rate 0.01" in table
    assert "alpha = 0.5: not learned, below 0.3 (share of right digits 0." in table
    assert "alpha = 1:" not in table


def test_easy_strings_are_learned(train):
    table = train("--L 2 --alpha 1/sqrt(L) --seeds 1 --length 2 --steps 150 --batch 32")
    assert "alpha = 1/sqrt(L): learned, above 0.95" in table


def test_it_goes_on_from_its_checkpoint(train, is_refused, tmp_path):
    path = tmp_path / "run.pt"
    whole = train(f"{SMALL} --steps 6")
    train(f"{SMALL} --checkpoint {path}")
    assert train(f"{SMALL} --steps 6 --checkpoint {path}") == whole
    code, text = is_refused("signal", f"reverse-task {SMALL} --checkpoint {path}")
    assert (code, text) == (2, "steps must be at least the 6 of the checkpoint, got 3")
    path.write_text("text")
    code, text = is_refused("signal", f"reverse-task {SMALL} --checkpoint {path}")
    assert (code, text) == (2, f"checkpoint must be a file of seprank.signal.reverse-task.checkpoint/1, got '{path}'")


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("--L 0", 2, "L must be a whole number at least 1, got 0"),
        ("--d 7", 2, "d must be even, since positions are pairs of sine and cosine, got 7"),
        ("--alpha x", 2, "alpha must be a number from 0 to 1e6 or a rule such as '1/sqrt(L)', got 'x'"),
        ("--length 1", 2, "length must be a whole number at least 2, got 1"),
        ("--rate 0", 2, "rate must be a positive number, got 0.0"),
        ("--checkpoint /nonexistent/a.pt", 2, "checkpoint must be a file that can be written, got '/nonexistent/a.pt'"),
        ("--d 10000", 3, "one step would take about 1.18e+03 GiB, above the limit of 8"),
        (f"{SMALL} --rate 1e300", 2, "activations must be finite numbers, got NaN or an infinity in layer 1 at step 1"),
    ],
)
def test_bad_input(is_refused, line, code, message):
    found, text = is_refused("signal", f"reverse-task {line}")
    assert found == code
    assert message in text
