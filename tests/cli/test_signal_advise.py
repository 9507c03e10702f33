"""`seprank signal advise`: real configs, sizes on the command line, bad input."""

import json
from pathlib import Path

import pytest

from seprank import Architecture
from seprank.cli.signal_advise_page import text
from seprank.signal.advice import advise

CONFIGS = Path(__file__).parent.parent / "data" / "configs"


@pytest.fixture
def advice(succeeds):
    """Runs `seprank signal advise`, which must succeed in silence; returns what it prints."""
    return lambda line: succeeds("signal", f"advise {line}")


def test_the_document_of_a_config(advice):
    found = json.loads(advice(f"--config {CONFIGS / 'gpt2.json'} --tokens 1024 --format json"))
    assert found["schema"] == "seprank.signal.advise/1"
    assert found["architecture"] == {"L": 12, "dx": 768, "H": 12, "da": 64}
    assert found["config"]["read"]["L"] == {"key": "n_layer", "value": 12}
    assert [(p["norm"], p["branches"]) for p in found["predictions"]] == [
        (norm, alpha) for norm in ("none", "post", "pre") for alpha in ("1", "1/sqrt(L)")
    ]
    post, scaled, pre = found["predictions"][2:5]
    assert post["collapse_layer"] == 10
    assert post["end"]["rho"] > 0.99 > pre["end"]["rho"] > scaled["end"]["rho"] > 0.2
    for prediction in found["predictions"]:
        assert {"valid", "reason", "logit_std", "correction"} <= set(prediction["last"])
        assert prediction["restored"]["correction"] == pytest.approx(1.0)
    assert set(found["balancing_scale"]) == {"none", "post", "pre"}


@pytest.mark.parametrize("name", sorted(path.name for path in CONFIGS.glob("*.json")))
def test_every_config_has_advice(advice, name):
    stack = " --stack encoder" if name.startswith("t5") else ""
    line = f"--config {CONFIGS / name}{stack} --tokens 1024"
    table = advice(line)
    assert "read from a config of" in table
    assert table.count("post-norm") >= 2
    json.loads(advice(f"{line} --format json"), parse_constant=lambda constant: pytest.fail(constant))


def test_sizes_on_the_command_line(advice):
    table = advice("--L 48 --dx 1024 --H 16 --tokens 512")
    assert "L = 48, dx = 1024, H = 16, da = 64; 512 tokens, rho = 0, sigma = 1, relu" in table
    assert "Unscaled branches collapse (rho above 0.99): no norm at layer 10, post-norm at layer 10." in table
    assert "softmax saturates to single tokens before they collapse" in table
    assert "1 - " in table


def test_small_tokens_without_layer_norm_are_valid():
    found = text(advise(Architecture(L=6, dx=512, H=8), 24, 0.0, 0.2, "linear"), None, "table", False)
    scaled = next(line for line in found.splitlines() if line.split()[:2] == ["none", "1/sqrt(L)"])
    assert " yes " in scaled
    assert "Nothing collapses." in found
    assert "no norm none (not even 0)" in found


def test_all_valid_is_said_and_nothing_to_restore_after_collapse():
    found = text(advise(Architecture(L=1, dx=64), 8, 1.0, 0.2), None, "table", False)
    assert found.count("none") >= 6  # no temperature restores what has collapsed


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--tokens 4", "L and dx must be given with --L and --dx, or --config FILE in their place, got neither"),
        ("--L 4 --tokens 4", "dx must be given with --dx, got no such option"),
        ("--L 4 --dx 8 --tokens 1", "tokens must be a whole number at least 2, got 1"),
        ("--L 4 --dx 8 --tokens 9999999999", "tokens must be a whole number from 2 to 1000000000, got 9999999999"),
        ("--L 4 --dx 9 --H 2 --tokens 4", "H must divide dx when the head size da is not given, got H=2, dx=9"),
        ("--L 4 --dx 8 --tokens 4 --rho -0.5", "rho must be a number from -1/(n - 1) = -0.333333 to 1, got -0.5"),
        ("--L 4 --dx 8 --tokens 4 --sigma 0", "sigma must be a positive number, got 0.0"),
        ("--L 4 --dx 8 --tokens 4 --stack encoder", "stack goes with --config, got --stack encoder without it"),
        (
            "--L 4 --dx 8 --tokens 4 --config a.json",
            "config excludes sizes on the command line, got L=4, dx=8 with --config",
        ),
        ("--config nowhere.json --tokens 4", "config must be an existing file, got 'nowhere.json'"),
        (
            "--L 4 --dx 8 --tokens 4 --residual",
            "No such option '--residual' (see 'seprank signal advise --help')",
        ),
        ("--L 9999999 --dx 8 --tokens 4", "L must be a whole number from 1 to 10000, got 9999999"),
    ],
)
def test_bad_input(is_refused, line, message):
    assert is_refused("signal", f"advise {line}") == (2, message)
