"""`seprank signal depth`: the document, the tables, the picture, bad input."""

import json
import subprocess
import sys

import pytest

from seprank.signal import GaussianTokens, NetworkSizes, depth_run

SMALL = "--L 3 --n 4 --d 8 --seeds 4"


@pytest.fixture
def depth(succeeds):
    """Runs `seprank signal depth`, which must succeed in silence; returns what it prints."""
    return lambda line: succeeds("signal", f"depth {line}")


def test_the_document_is_the_run(depth):
    found = json.loads(depth(f"{SMALL} --alpha 1/sqrt(L) --alpha2 0.5 --norm pre --H 2 --rho 0.1 --format json"))
    assert found["schema"] == "seprank.signal.depth/1"
    assert found["seeds"] == [0, 1, 2, 3]
    assert found["tokens"] == {"n": 4, "rho": 0.1, "sigma": 1.0}
    sizes = NetworkSizes(L=3, d=8, H=2, alpha1="1/sqrt(L)", alpha2=0.5, norm="pre")
    assert found["sizes"]["alpha1"] == sizes.alpha1
    run = depth_run(sizes, GaussianTokens(n=4, d=8, rho=0.1), 4)
    assert [layer["layer"] for layer in found["layers"]] == [1, 2, 3]
    assert found["end"]["layer"] == 4
    for layer, row in zip(found["layers"], run.layers, strict=True):
        assert layer["cosine"] == {"mean": row.cosine.mean, "error": row.cosine.error}
        assert (layer["rho"], layer["one_minus_rho"], layer["one_minus_cosine"]) == (row.rho, row.rho_gap, row.gap)
        assert layer["norm"] == {"mean": row.norm.mean, "error": row.norm.error}
        for name in ("query", "key", "value"):
            gradient = getattr(row, name)
            assert layer[name] == {
                "mean": gradient.squared.mean,
                "error": gradient.squared.error,
                "log10": gradient.log10,
            }
        assert layer["query_over_value"] == row.ratio
        assert layer["query_over_value_at_tokens"] == row.ratio_at_tokens
        assert layer["predicted"]["query_over_value"] == row.predicted.ratio
        assert layer["predicted"]["rho"] == row.predicted.state.rho
        assert layer["predicted"]["valid"] is row.predicted.valid
        assert (layer["logit_std"], layer["logit_spread"], layer["peak"]) == (row.logit_std, row.logit_spread, row.peak)
    assert found["end"]["predicted"]["query_over_value"] is None
    assert found["diagnosis"] == {"kind": "healthy", "layer": None, "sentence": run.diagnosis.sentence}


def test_the_tables_and_the_sentence(depth):
    table = depth("--L 12 --seeds 5 --d 32")
    assert "L = 12, d = 32; layer norm post, alpha = 1, relu, softmax attention; 16 tokens" in table
    for words in ("rho, theory", "norm, theory", "q/v, theory", "at tokens", "Tokens collapse at layer", "±"):
        assert words in table
    assert "valid: 0 of 12 layers are within the range of the theory. Layer 1: no: logit std 1 is above" in table
    assert table.count("\n     12 ") + table.count("\n  12 ") == 2
    assert "valid, all layers: yes: logit std" in depth("--L 2 --norm none --alpha 0.1 --sigma 0.125 --seeds 2")


def test_odd_cases_are_said(depth):
    assert "1 seed\n" in depth("--L 1 --n 3 --d 4 --seeds 1")
    assert "without a mask" in depth(f"{SMALL} --causal --tau 2")
    equal = depth(f"{SMALL} --rho 1")
    assert "Tokens collapse at layer 1: their mean cosine is 1 there; in layer 3 squared query gradients are" in equal
    deep = depth("--L 60 --n 4 --d 8 --seeds 3 --norm none --activation linear")
    assert "Softmax saturates at layer" in deep
    json.loads(depth("--L 60 --n 4 --d 8 --seeds 3 --norm none --attention uniform --alpha 0.9 --format json"))


def test_the_picture(depth, tmp_path):
    target = tmp_path / "depth.svg"
    assert "layer" in depth(f"{SMALL} --plot {target}")
    assert "Tokens collapse" in target.read_text() or "Healthy" in target.read_text()


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("--n 8", 2, "Missing option '--L'"),
        ("--L 0", 2, "L must be a whole number at least 1, got 0"),
        ("--L 4 --n 1", 2, "n must be a whole number at least 2, got 1"),
        ("--L 4 --d 0", 2, "d must be a whole number at least 1, got 0"),
        ("--L 4 --dv 32", 2, "dv must be d/H = 64/1 where a block adds its input, got 32"),
        ("--L 4 --alpha two", 2, "alpha must be a number from 0 to 1e6 or a rule such as '1/sqrt(L)', got 'two'"),
        ("--L 4 --alpha2 nan", 2, "alpha2 must be a number from 0 to 1e6 or a rule such as '1/sqrt(L)', got 'nan'"),
        ("--L 4 --rho -0.5", 2, "rho must be a number from -1/(n - 1) = -0.0666667 to 1, got -0.5"),
        ("--L 4 --sigma 0", 2, "sigma must be a positive number, got 0.0"),
        ("--L 4 --tau -1", 2, "tau must be a positive number, got -1.0"),
        ("--L 4 --H 3", 2, "H must divide d where dk is not given, got H=3 with d=64"),
        ("--L 4 --plot a.jpg", 2, "plot must end in .png, .svg or .pdf, got 'a.jpg'"),
        ("--L 600 --n 3 --d 4 --seeds 1 --norm none", 2, "must be finite numbers, got NaN or an infinity in layer"),
        (
            "--L 100 --d 10000",
            3,
            "one network with L=100, d=10000 on 16 tokens would take 376 GiB, above the limit of 4",
        ),
    ],
)
def test_bad_input(is_refused, line, code, message):
    found, text = is_refused("signal", f"depth {line}")
    assert found == code
    assert message in text


@pytest.mark.parametrize("line", ["depth --L 2", "reverse-task"])
def test_without_torch_one_line_says_what_to_install(line):
    code = "import sys; sys.modules['torch'] = None;from seprank.cli.main import run; sys.exit(run(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", code, "signal", *line.split()], capture_output=True, text=True)
    assert done.returncode == 2
    name = f"signal {line.split()[0]}"
    assert done.stderr == f"seprank: {name} needs torch, got an environment without it: pip install 'seprank[torch]'\n"


def test_help_loads_nothing_heavy():
    code = "import sys; from seprank.cli.main import run; run(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    for line in ("depth --help", "reverse-task --help"):
        done = subprocess.run([sys.executable, "-c", code, "signal", *line.split()], capture_output=True, text=True)
        assert not {"numpy", "torch", "matplotlib"} & {name.split(".")[0] for name in done.stderr.split()}
