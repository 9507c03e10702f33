"""`seprank plot signal-...`: every figure from one command, and bad input."""

import pytest

from seprank.cli.plot import FIGURES

SMALL = {
    "signal-depth": "--L 3 --seeds 2 --n 4 --d 8 --norm pre",
    "signal-scaling": "--L 3 --seeds 2",
    "signal-layer-norm": "--L 3 --seeds 2",
    "signal-very-deep": "--L 5 --seeds 2",
    "signal-pre-norm": "--L 3 --seeds 2",
    "signal-norm-density": "--networks 10",
    "signal-sweeps": "--draws 3",
    "signal-grid": "--draws 2 --of key",
}


def test_all_are_listed():
    assert [name for name in FIGURES if name.startswith("signal-")] == list(SMALL)


@pytest.mark.parametrize("name", SMALL)
def test_figure(succeeds, tmp_path, name):
    target = tmp_path / "figure.svg"
    assert succeeds("plot", f"{name} {SMALL[name]} -o {target}") == ""
    assert target.read_text().startswith("<?xml")
    first = target.read_bytes()
    if name == "signal-scaling":
        succeeds("plot", f"{name} {SMALL[name]} -o {target}")
        assert target.read_bytes() == first


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("signal-depth --alpha x -o a.png", "alpha must be a number from 0 to 1e6 or a rule"),
        ("signal-scaling --L 0 -o a.png", "L must be a whole number at least 1, got 0"),
        ("signal-norm-density --networks 1 -o a.png", "networks must be a whole number at least 2, got 1"),
        ("signal-grid --of depth -o a.png", "'depth' is not one of"),
        ("signal-sweeps -o a.gif", "output must end in .png, .svg or .pdf, got 'a.gif'"),
    ],
)
def test_bad_input(is_refused, line, message):
    code, text = is_refused("plot", line)
    assert code == 2
    assert message in text
