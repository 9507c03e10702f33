"""`seprank shaped advise`: configs, sizes on the command line, bad input."""

import json
from pathlib import Path

import pytest

CONFIGS = Path(__file__).parent.parent / "data" / "configs"
FAST = "--paths 200 --tokens 2"


def test_the_document_of_a_config(succeeds):
    line = f"advise --config {CONFIGS / 'gpt2.json'} --format json {FAST}"
    found = json.loads(succeeds("shaped", line), parse_constant=pytest.fail)
    assert found["schema"] == "seprank.shaped.advise/1"
    assert found["T"] == 12 / 768
    assert (found["setup"]["heads"], found["setup"]["head_dim"], found["setup"]["mlp_ratio"]) == (12, 64, 4.0)
    assert found["config"]["read"]["L"] == {"key": "n_layer", "value": 12}
    assert [choice["tau0"] for choice in found["choices"]] == [0.5, 1.0, 2.0, 4.0]
    assert all(choice["gamma"] == 1.0 for choice in found["choices"])
    assert found["chosen"] == {"tau0": 0.5, "gamma": 1.0}
    assert found["ode_up_to_gamma"] == pytest.approx(
        0.416, abs=0.001
    )  # gamma^2 (3 + 1/4) 12/768 = 0.01, without gamma^4


@pytest.mark.parametrize("name", sorted(path.name for path in CONFIGS.glob("*.json")))
def test_every_config_has_advice(succeeds, name):
    stack = " --stack encoder" if name.startswith("t5") else ""
    table = succeeds("shaped", f"advise --config {CONFIGS / name}{stack} {FAST}")
    assert "read from a config of" in table
    assert "Regime: " in table
    assert "Advice: " in table


def test_sizes_on_the_command_line(succeeds):
    table = succeeds("shaped", f"advise --L 64 --dx 64 --H 4 --causal --level 0.8 {FAST}")
    assert "L = 64, dx = 64, H = 4, da = 16: T = L / dx = 1; full block, causal, 2 tokens, rho0 = 0.2" in table
    assert "an ODE describes the correlations; above it they vary" in " ".join(table.split())
    shallow = succeeds("shaped", f"advise --L 2 --dx 4096 --block residual {FAST}")
    assert "Regime: ODE." in shallow


def test_no_advice_is_said(succeeds):
    line = f"advise --L 2000 --dx 20 --level 0.3 {FAST} --paths 50 --block residual --tokens 2"
    found = json.loads(succeeds("shaped", f"{line} --format json"), parse_constant=pytest.fail)
    assert found["chosen"] is None or found["chosen"]["gamma"] < 0.1
    table = succeeds("shaped", line.replace("0.3", "0.21"))
    assert "fewer layers, more width, or a larger tau0" in " ".join(table.split())
    assert "none from 0.01" in table


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("", 2, "L and dx must be given with --L and --dx, or --config FILE in their place, got neither"),
        ("--L 4 --config x.json", 2, "config excludes sizes on the command line, got L=4 with --config"),
        ("--L 4 --dx 64 --stack decoder", 2, "stack goes with --config, got --stack decoder without it"),
        ("--L 4 --dx 64 --level 0.1", 2, "level must lie between |rho0| = 0.2 and 1, got 0.1"),
        ("--L 4 --dx 64 --tokens 1", 2, "tokens must be a whole number at least 2, got 1"),
        ("--L 4 --dx 64 --tokens 99", 3, "tokens must be at most 32, got 99: a step costs tokens^3 for every path"),
        ("--L 4 --dx 64 --mlp-ratio 0", 2, "mlp_ratio must be a positive number, got 0.0"),
        (
            "--L 4 --dx 64 --rho0 -0.9 --level 0.95",
            2,
            "rho0 must be a number at least -0.333333 and at most 1, got -0.9",
        ),
    ],
)
def test_bad_input_is_one_line(is_refused, line, code, message):
    assert is_refused("shaped", f"advise {line}") == (code, message)
