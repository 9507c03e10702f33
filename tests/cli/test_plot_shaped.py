"""`seprank plot shaped-...`: every figure from one command, and bad input."""

import pytest

from seprank.cli.plot import FIGURES

SMALL = {
    "shaped-conditioning": "--n 20 --depth 10 --networks 30 --paths 50",
    "shaped-gradients": "--n 12 --depth 5 --networks 3",
    "shaped-residual": "--n 10 --networks 30 --seed 2",
    "shaped-ablations": "--n 20 --depth 10 --networks 30 --paths 50 --gamma 0.3",
    "shaped-instability": "--n 10 --networks 10",
}


def test_every_figure_is_here():
    assert [name for name in FIGURES if name.startswith("shaped-")] == list(SMALL)


@pytest.mark.parametrize(("name", "options"), SMALL.items())
def test_draws(succeeds, tmp_path, name, options):
    first, second = (tmp_path / f"{i}.png" for i in range(2))
    for file in (first, second):
        assert succeeds("plot", f"{name} {options} -o {file}") == ""
    assert first.read_bytes().startswith(b"\x89PNG")
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("shaped-conditioning --n 3", 2, "n must be at least 2m = 4 for the Wishart draws, got 3"),
        ("shaped-conditioning --gamma 1.5", 2, "gamma must be a positive number at most 1, got 1.5"),
        ("shaped-ablations --paths 1", 2, "paths must be a whole number at least 2, got 1"),
        (
            "shaped-ablations --depth 1400 --networks 4 --paths 4",
            2,
            "the covariance leaves the range of floats at layer",
        ),
        ("shaped-gradients --n 2 --depth 3", 2, "n must be at least m in a finite network, got n=2, m=4"),
        ("shaped-gradients --n 100000", 3, "the graph of one network would take"),
        ("shaped-residual --n 1", 2, "n must be at least m in a finite network, got n=1, m=2"),
        ("shaped-instability --n 10000000", 3, "300 paths of 2 x 2 covariances at 2000001 layers would take"),
    ],
)
def test_refusals(is_refused, tmp_path, line, code, message):
    file = tmp_path / "out.png"
    found = is_refused("plot", f"{line} -o {file}")
    assert found[0] == code
    assert found[1].startswith(message)
    assert not file.exists()
