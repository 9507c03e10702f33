"""`seprank signal collapse`: residuals, what is not resolved, sizes that would not finish."""

import csv
import io
import json
from itertools import pairwise

import pytest


@pytest.fixture
def collapse(succeeds):
    """Runs `seprank signal collapse`, which must succeed in silence; returns what it prints."""
    return lambda line="": succeeds("signal", f"collapse {line}")


def test_the_document(collapse):
    found = json.loads(collapse("--n 6 --d 8 --L 6 --digits 400 --format json"))
    assert found["schema"] == "seprank.signal.collapse/1"
    assert found["sizes"] == {"n": 6, "d": 8, "dk": 8, "L": 6, "rho": 0.0, "sigma": 1.0, "tau": 1.0}
    layers = found["layers"]
    assert [layer["layer"] for layer in layers] == list(range(7))
    assert layers[0]["ratio"] is None
    for before, after in pairwise(layers):
        assert after["ratio"] == pytest.approx(after["log10_residual"] / before["log10_residual"])
    assert 2.9 < layers[-1]["ratio"] < 3.2
    assert found["limit_of_ratios"] == 3
    assert (found["resolved"], found["digits_needed"]) == (True, None)
    assert "doubly exponential collapse" in found["conclusion"]


def test_table_and_csv_hold_the_same(collapse):
    table, lines = collapse(), list(csv.DictReader(io.StringIO(collapse("--format csv"))))
    assert len(lines) == 7
    for line in lines:
        assert f"{float(line['log10_residual']):.4f}" in table
    assert "the last ratio of logarithms is 3.028, and their limit is 3: doubly exponential collapse." in table


def test_too_few_digits_are_said(collapse):
    table = collapse("--L 9 --digits 100")
    assert "The residual behind the next layer is below what 100 digits resolve; all 9 layers need about" in table
    found = json.loads(collapse("--L 9 --digits 100 --format json"))
    assert len(found["layers"]) == 6
    assert found["resolved"] is False
    assert found["digits_needed"] > 1000


def test_no_claim_before_the_residual_is_small(collapse):
    assert "The residual is not small yet" in collapse("--L 1")
    assert "The residual is not small yet" in collapse("--L 2 --rho 1 --digits 30")


def test_seeds(collapse):
    assert collapse("--L 2 --seed 1") == collapse("--L 2 --seed 1")
    assert collapse("--L 2 --seed 1") != collapse("--L 2 --seed 2")


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("--n 1", 2, "n must be a whole number at least 2, got 1"),
        ("--L 0", 2, "L must be a whole number at least 1, got 0"),
        ("--digits 5", 2, "digits must be a whole number at least 20, got 5"),
        ("--digits 10000000", 2, "digits must be a whole number from 20 to 1000000, got 10000000"),
        ("--rho -0.3", 2, "rho must be a number from -1/(n - 1) = -0.2 to 1, got -0.3"),
        ("--sigma 0", 2, "sigma must be a positive number, got 0.0"),
        ("--seed -1", 2, "seed must be a whole number at least 0, got -1"),
        (
            "--n 3000 --d 3000 --digits 10000",
            3,
            "collapse with n=3000, d=3000, L=6, digits=10000 would take about 3.6e+03 hours, above the limit of one; "
            "fewer digits, tokens or a smaller width make it fit",
        ),
    ],
)
def test_bad_input(is_refused, line, code, message):
    assert is_refused("signal", f"collapse {line}") == (code, message)
