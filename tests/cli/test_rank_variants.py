"""`seprank rank --variant`: what it prints for every variant, and what it refuses."""

import csv
import functools
import io
import json
import re

import pytest

from seprank.cli.variant_options import KINDS

EXAMPLES = {
    "residual": ("--L 2 --dx 3 --H 3", 43, True),
    "causal": ("--L 2 --dx 2 --order ABAB", 37, False),
    "embedding": ("--L 2 --dx 4 --H 4 --rank 3", 46, True),
    "feedforward": ("--L 1 --dx 3", 13, True),
    "heads": ("--dx 4 --per-layer 4,1", 85, True),
    "gqa": ("--L 2 --dx 6 --H 6 --groups 2", 40, True),
    "conv": ("--dx 3 --width 4 --order ABAB", 9, True),
    "recurrent": ("--dx 2 --width 2 --order AABB --L 2", 6, True),
}
KEYS = {
    *("schema", "variant", "parameters", "order", "partition", "method", "rank", "status", "blocks", "bounds"),
    *("best_upper", "certified_exact", "prime", "seed", "points", "seconds"),
}


@pytest.fixture
def rank(succeeds):
    """Runs `seprank rank`, which must succeed in silence; returns what it prints."""
    return functools.partial(succeeds, "rank")


@pytest.fixture
def refused(is_refused):
    """Runs `seprank rank`, which must print one line on stderr only; returns the exit code and the line."""
    return functools.partial(is_refused, "rank")


@pytest.mark.parametrize("name", KINDS)
def test_the_document(rank, name):
    options, expected, exact = EXAMPLES[name]
    found = json.loads(rank(f"--variant {name} {options} --format json"))
    assert set(found) == KEYS
    assert (found["schema"], found["variant"]) == ("seprank.variant-rank/1", name)
    assert (found["rank"], found["certified_exact"]) == (expected, exact)
    assert found["bounds"]
    assert all(set(bound) == {"id", "value", "holds", "scope"} for bound in found["bounds"])
    assert found["best_upper"]["value"] >= found["rank"]
    if found["blocks"] is not None:
        assert sum(block["rank"] for block in found["blocks"]) == expected
    assert found["method"] == ("full" if name in ("residual", "conv", "recurrent") else "blocks")


@pytest.mark.parametrize("name", KINDS)
def test_the_table(rank, name):
    options, expected, exact = EXAMPLES[name]
    text = rank(f"--variant {name} {options}")
    assert text.startswith(f"{name}: ")
    assert f"\nrank: {expected}\nstatus: {'exact (certified)' if exact else 'lower bound'}" in text
    assert re.search(r"^ +upper bound +value +holds +scope$", text, re.MULTILINE)


def test_a_bound_that_fails_is_listed_as_such(rank):
    text = rank("--variant causal --L 2 --dx 2 --order ABAB --confirm")
    assert "causal: L = 2, dx = 2, H = 1, da = 2; order ABAB, NA = 2, NB = 2\n" in text
    assert re.search(r"^ +prefix +46 +yes ", text, re.MULTILINE)
    assert re.search(r"^ +gram +18 +no +proved without a mask only", text, re.MULTILINE)
    assert re.search(r"^ +0 +1 +2 +2 +prefix +yes$", text, re.MULTILINE)
    assert "confirmed with seed 1 modulo 4194287: rank 37, the same\n" in text


def test_confirm_csv_and_latex(rank):
    found = json.loads(rank("--variant gqa --L 2 --dx 4 --H 4 --groups 2 --seed 3 --confirm --format json"))
    assert found["confirm"] == {"prime": 4194287, "seed": 4, "rank": 40, "agrees": True}
    (row,) = csv.DictReader(io.StringIO(rank("--variant heads --dx 4 --per-layer 2,4 --format csv")))
    assert (row["variant"], row["per_layer"], row["rank"], row["best_upper"]) == ("heads", "2,4", "107", "staircase")
    latex = rank("--variant conv --dx 2 --width 2 --order ABAB --format latex")
    assert "Separation rank, conv: dx = 2, width = 2; order ABAB, NA = 2, NB = 2: 4 (exact (certified)" in latex


def test_points_method_seed_and_threads(rank):
    found = json.loads(rank("--variant causal --L 2 --dx 2 --order ABAB --points 5 --seed 9 --format json"))
    assert (found["points"], found["seed"], found["rank"]) == (5, 9, 18)
    assert found["status"].startswith("lower bound; the rank is limited by the number of points")
    found = json.loads(rank("--variant causal --L 2 --dx 2 --order ABAB --method full --threads 1 --format json"))
    assert (found["method"], found["rank"], found["blocks"]) == ("full", 37, None)


def test_the_embedding_counts_its_own_tokens(rank):
    found = json.loads(rank("--variant embedding --L 2 --dx 4 --rank 2 --format json"))
    assert found["partition"] == {"NA": 2, "NB": 2}
    found = json.loads(rank("--variant embedding --L 2 --dx 4 --rank 2 --N 2 --format json"))
    assert (found["partition"], found["rank"]) == ({"NA": 1, "NB": 1}, 15)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--variant other", "Invalid value for '--variant': 'other' is not one of 'residual', 'causal'"),
        ("--variant conv --dx 2 --width 2", "order must be given with --order for the variant conv, got no such"),
        ("--variant conv --dx 2 --order AB", "width must be given with --width for the variant conv"),
        ("--variant heads --dx 4", "per-layer must be given with --per-layer for the variant heads"),
        ("--variant causal --dx 2 --order AB", "L must be given with --L for the variant causal"),
        (
            "--variant conv --dx 2 --width 2 --order AB --H 2",
            "H must be left out for the variant conv, which takes --dx --width --order; got 2",
        ),
        ("--variant causal --L 2 --dx 2 --order AB --N 4", "N must be left out for the variant causal"),
        ("--variant gqa --L 2 --dx 4 --groups 1 --residual", "residual must be left out for the variant gqa"),
        ("--variant residual --L 2 --dx 4 --residual", "residual must be left out for the variant residual"),
        ("--variant residual --L 2 --dx 4 --certificate x", "certificate must be left out for the variant residual"),
        ("--variant residual --L 2 --dx 4 --power 2", "power must be left out for the variant residual"),
        ("--L 2 --dx 4 --groups 2", "groups must be left out without --variant, got 2"),
        ("--L 2 --dx 4 --per-layer 1,2", "per-layer must be left out without --variant, got 1,2"),
        ("--variant heads --dx 4 --per-layer 1;2", "per-layer must be whole numbers separated by commas, got '1;2'"),
        ("--variant heads --dx 4 --per-layer 1,0", "per-layer must be a whole number at least 1, got 0"),
        ("--variant heads --dx 4 --per-layer 1,3", "per-layer must hold numbers of heads that divide dx, got 3"),
        ("--variant heads --dx 4 --per-layer 1,2 --L 3", "per-layer must have one number for each of L = 3 layers"),
        ("--variant gqa --L 2 --dx 4 --H 4 --groups 3", "groups must divide H, got groups=3, H=4"),
        ("--variant embedding --L 2 --dx 4 --rank 5", "rank must be a whole number from 1 to 4, got 5"),
        ("--variant causal --L 2 --dx 2 --order AXB", "order must be a word of the letters A and B with both in it"),
        ("--variant conv --dx 2 --width 2 --order ABA", "order must have 2, 4, 8, ... letters for the variant conv"),
        ("--variant residual --L 2 --dx 2 --method blocks", "method must be full for the variant residual, got 'blo"),
        ("--variant residual --L 2 --dx 2 --method derivative", "method must be blocks or full for a variant"),
        ("--variant residual --L 2 --dx 2 --prime 6", "prime must be a prime at most 2147483647, got 6"),
        ("--variant gqa --L 2 --dx 4 --groups 1 --prime 7", "prime must allow 5 different powers t^2, got 7"),
        ("--variant residual --L 2 --dx 2 --output /none/a", "output must be a file that can be written"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(refused, line, message):
    code, text = refused(line)
    assert code == 2
    assert text.startswith(message)
    assert len(text) < 250


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--variant gqa --L 6 --dx 30 --groups 1", r"the matrices need .* per side, .* --points [0-9]+ would"),
        ("--variant residual --L 100 --dx 30", "the upper bound is too long to write, too many points: --points 1000"),
        ("--variant embedding --L 2 --dx 3000000 --rank 2 --points 5", "the matrices need .* smaller sizes would fit"),
        ("--variant conv --dx 2 --width 1000000 --order AB", "the matrices need .* smaller sizes would fit"),
        ("--variant recurrent --dx 2 --width 2 --order ABABABAB --L 30", "the degree of the output must be at most"),
        ("--variant causal --L 2 --dx 100 --order ABAB", "the matrices need .* per side or more, about .* hours"),
        ("--variant heads --dx 8 --per-layer 1,2,4,8,1,1", "the matrices need .* points per side, about"),
        ("--variant feedforward --L 3 --dx 8 --points 1000000", "the matrices need 1000000 points per side"),
    ],
)  # fmt: skip
def test_what_cannot_fit_is_refused_with_a_way_out(refused, monkeypatch, line, message):
    monkeypatch.setattr("seprank.variants.sizes.room", lambda: 2**34)
    monkeypatch.setattr("seprank.variants.sizes.LONGEST_ROUND", 1.0)
    code, text = refused(line)
    assert code == 3
    assert re.match(message, text)
    assert len(text) < 250
