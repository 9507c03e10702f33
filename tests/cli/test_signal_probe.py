"""`seprank signal probe`: a user's module in the current folder, the three formats, one line for every mistake."""

import csv
import io
import json
import subprocess
import sys

import pytest

from seprank.signal import probe

MODULE = """
import torch
from torch import nn

number = 3

def encoder():
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
    return nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)

class Own:
    @staticmethod
    def with_loss():
        return encoder(), torch.ones(2, 5, 16), lambda output: output[0, 0, 0]

class Odd(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two, self.three = (nn.Linear(4, 4) for _ in range(3))
        self.all = nn.Linear(4, 12)

    def forward(self, x):
        attend = nn.functional.scaled_dot_product_attention
        return attend(self.one(x), self.two(x), self.three(x)) + attend(*self.all(x).chunk(3, -1))

def build():
    print("building")
    return encoder(), torch.randn(4, 10, 16)

def odd():
    return Odd(), torch.randn(2, 5, 4)

def plain():
    return nn.Linear(2, 2), torch.ones(2, 2)

def frozen():
    return encoder().requires_grad_(False), torch.ones(2, 5, 16)

def not_a_number():
    model = encoder()
    model.layers[1].linear2.weight.data[0, 0] = float("nan")
    return model, torch.randn(2, 5, 16)

def wrong_shape():
    return encoder(), torch.ones(2, 5, 3)

def leaves():
    raise SystemExit(7)

def fails():
    raise ValueError("two\\nlines")

def needs(argument):
    return None

def one():
    return 1

def many():
    return 1, 2, 3, 4

def no_model():
    return 1, 2

def no_loss():
    return encoder(), torch.ones(2, 5, 16), 5
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A current folder with the user's modules, forgotten afterwards."""
    (tmp_path / "own_model.py").write_text(MODULE)
    (tmp_path / "broken_model.py").write_text("import nowhere_to_be_found")
    monkeypatch.chdir(tmp_path)
    path = list(sys.path)
    yield tmp_path
    assert sys.path == path
    sys.modules.pop("own_model", None)


@pytest.fixture
def measured(folder, capsys):
    """Runs `seprank signal probe`; stdout has to hold the result alone."""
    from seprank.cli.main import run

    def call(line):
        code = run(["signal", "probe", *line.split()])
        streams = capsys.readouterr()
        assert (code, streams.err.replace("building\n", "")) == (0, "")
        return streams.out

    return call


def test_the_document(measured):
    found = json.loads(measured("own_model:build --format json"), parse_constant=pytest.fail)
    assert set(found) == {
        "schema",
        "model",
        "loss",
        "loss_kind",
        "layers",
        "unreached",
        "collapse_layer",
        "conclusion",
    }
    assert (found["schema"], found["model"]) == ("seprank.signal.probe/1", "TransformerEncoder")
    import own_model

    expected = probe(*own_model.build())
    assert found["layers"] == expected.as_dicts()
    assert (len(found["layers"]), found["loss"], found["conclusion"]) == (3, expected.loss, expected.conclusion)


def test_table_and_csv_hold_the_same(measured):
    table, lines = (
        measured("own_model:build"),
        list(csv.DictReader(io.StringIO(measured("own_model:build --format csv")))),
    )
    assert table.startswith("TransformerEncoder, 3 attention layers; loss ")
    assert [line["name"] for line in lines] == [f"layers.{l}.self_attn" for l in range(3)]
    for line in lines:
        for name in ("cosine", "query_gradient", "attention_entropy"):
            assert f"{float(line[name]):.4g}" in table
    assert (
        "in every layer: name layers.*.self_attn, n = 10, d = 16, uniform entropy 2.303, mask none, logits from inputs"
        in table
    )
    assert "No layer sees tokens of mean cosine above 0.99." in table


def test_a_loss_collapse_and_a_file(measured, folder):
    assert measured("own_model:Own.with_loss --output out.txt") == ""
    table = (folder / "out.txt").read_text()
    assert "(loss given)" in table
    assert "above 0.99 from layer 1 on" in table


def test_names_of_projections(measured):
    def names(line):
        return [row["name"] for row in json.loads(measured(f"own_model:{line} --format json"))["layers"]]

    assert names("build --attention layers.[02].*") == ["layers.0.self_attn", "layers.2.self_attn"]
    assert names("odd --query one --key two --value three") == names("odd --qkv all") == [""]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("own_model", "target must be module:function, got 'own_model'"),
        (":build", "target must be module:function, got ':build'"),
        ("nowhere:f", "module 'nowhere' cannot be imported: ModuleNotFoundError: No module named 'nowhere'"),
        ("..x:f", "module '..x' cannot be imported: TypeError: "),
        (
            "broken_model:f",
            "module 'broken_model' cannot be imported: ModuleNotFoundError: No module named 'nowhere_to",
        ),
        ("own_model:nix", "module 'own_model' has no 'nix'"),
        ("own_model:number", "'own_model:number' must be a function that returns model and inputs, got int"),
        ("own_model:leaves", "function 'own_model:leaves' fails: SystemExit: 7"),
        ("own_model:fails", "function 'own_model:fails' fails: ValueError: two lines"),
        ("own_model:needs", "function 'own_model:needs' fails: TypeError: needs() missing 1 required positional arg"),
        ("own_model:one", "function 'own_model:one' must return model and inputs, and optionally a loss, got int"),
        ("own_model:many", "function 'own_model:many' must return model and inputs, and optionally a loss, got 4 val"),
        ("own_model:no_model", "function 'own_model:no_model' must return a torch.nn.Module first, got int"),
        ("own_model:no_loss", "loss must be a function of the model's output, got 5"),
        (
            "own_model:wrong_shape",
            "model of 'own_model:wrong_shape' fails: RuntimeError: mat1 and mat2 shapes cannot be",
        ),
        ("own_model:plain", "model must hold attention layers with known names of projections"),
        ("own_model:frozen", "model must have a gradient path, got query, key and value weights that are all frozen"),
        (
            "own_model:not_a_number",
            "activations and gradients must be finite, got NaN in the tokens of attention layer 3 (layers.2.self_attn)"
            "; it first appears in the output of 'layers.1.linear2'",
        ),
        (
            "own_model:Own.with_loss --attention x",
            "attention must match an attention layer, got 'x'; those found are 'layers.0",
        ),
        ("own_model:odd --query one", "query, key and value must be given together, got query alone"),
        ("own_model:odd --qkv a --attention b", "attention, qkv, and query with key and value exclude each other"),
        ("own_model:build --output /nowhere/x", "output must be a file that can be written, got '/nowhere/x'"),
    ],
)
def test_bad_input(folder, is_refused, line, message):
    code, text = is_refused("signal", f"probe {line}")
    assert code == 2
    assert text.startswith(message)


def test_without_torch(folder, is_refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    message = "signal probe needs PyTorch, which is not installed: pip install 'seprank[torch]'"
    assert is_refused("signal", "probe own_model:build") == (2, message)


def test_help_and_the_group_import_no_torch():
    code = "import sys; from seprank.cli.main import run; run(sys.argv[1:]); print('torch' in sys.modules)"
    for line in (["signal"], ["signal", "probe", "--help"]):
        done = subprocess.run([sys.executable, "-c", code, *line], capture_output=True, text=True, check=True)
        assert "probe" in done.stdout
        assert done.stdout.endswith("False\n")
