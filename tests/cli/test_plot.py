"""`seprank plot`: files in three formats from a real store, and one line where there is nothing to draw."""

import functools
import subprocess
import sys
from pathlib import Path

import matplotlib.image
import pytest

from seprank import Architecture, Partition
from seprank.cli.main import run
from seprank.cli.plot import FIGURES
from seprank.study.case import Case
from seprank.study.store import Store
from seprank.study.work import request, solve

CONFIGS = Path(__file__).parent.parent / "data" / "configs"
FROM_STORE = ("regimes", "rank-growth", "blocks", "head-count")
STARTS = {"png": b"\x89PNG\r\n", "svg": b"<?xml", "pdf": b"%PDF"}
CSV = "depth,width,error\n6,216,7\n12,318,9\n18,405,15\n24,610,25\n36,1130,60\n"


def fill(path, cases):
    with Store(path) as store:
        for L, dx, H, sides, what in cases:
            case = Case(Architecture(L=L, dx=dx, H=H), Partition(*sides))
            assert store.claim(case.key, what) == "mine"
            store.finish(case, solve(request(case, what)))
    return path


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A mixed store: several sizes and heads, ranks and bounds, long and short input."""
    cases = [(L, dx, H, (dx, dx), "rank") for L in (1, 2) for dx in (2, 3) for H in (1, dx)]
    cases += [(3, 4, 1, (4, 4), "bounds"), (2, 3, 1, (1, 2), "rank")]
    return fill(tmp_path_factory.mktemp("store") / "results.sqlite", cases)


@pytest.fixture
def plot(succeeds):
    """Runs `seprank plot`, which must succeed in silence and print nothing."""

    def call(line):
        assert succeeds("plot", line) == ""

    return call


@pytest.fixture
def refused(is_refused):
    """Runs `seprank plot`, which must print one line on stderr only; returns the exit code and the line."""
    return functools.partial(is_refused, "plot")


def test_every_figure_of_the_table_is_drawn(plot, store, tmp_path):
    for name in FIGURES:
        if name in (*FROM_STORE, "guideline", "transition"):
            plot(f"{name} {f'--store {store} ' if name in FROM_STORE else ''}-o {tmp_path / name}.png")
            pixels = matplotlib.image.imread(tmp_path / f"{name}.png")
            assert min(pixels.shape[:2]) > 500
            assert pixels[..., :3].std() > 0.05
    assert set(FROM_STORE) < set(FIGURES)


@pytest.mark.parametrize("fmt", ["png", "svg", "pdf", "PNG"])
def test_the_ending_is_the_format_and_nothing_else_is_left(plot, store, tmp_path, fmt):
    target = tmp_path / f"map.{fmt}"
    target.write_bytes(b"old")
    plot(f"regimes --store {store} -o {target}")
    first = target.read_bytes()
    assert first.startswith(STARTS[fmt.lower()])
    plot(f"regimes --store {store} --output {target}")
    assert target.read_bytes() == first
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(
    "line",
    [
        "regimes --H dx",
        "rank-growth --H 2",
        "rank-growth --N 1+2",
        "blocks --L 2 --dx 3 --H 3",
        "blocks --N 1+2",
        "head-count --N long",
    ],
)
def test_choices(plot, store, tmp_path, line):
    plot(f"{line} --store {store} -o {tmp_path / 'f.svg'}")
    assert (tmp_path / "f.svg").stat().st_size > 5000


def test_the_guideline_with_models_and_fits(plot, tmp_path):
    points = tmp_path / "points.csv"
    points.write_text(CSV)
    configs = " ".join(f"--config {CONFIGS / name}.json" for name in ("gpt2", "llama-3-8b"))
    plot(f"guideline {configs} --no-gpt3 --fit {points} -o {tmp_path / 'a.svg'}")
    drawn = (tmp_path / "a.svg").read_text()
    assert "<!-- llama-3-8b -->" in drawn
    assert "<!-- gpt2 -->" in drawn
    assert "GPT-3" not in drawn
    plot(f"transition --fit {points} -o {tmp_path / 'b.svg'}")
    assert "points.csv" in (tmp_path / "b.svg").read_text()


def test_a_store_of_one_row(plot, tmp_path):
    store = fill(tmp_path / "one.sqlite", [(1, 2, 1, (2, 2), "rank")])
    for name in FROM_STORE:
        plot(f"{name} --store {store} -o {tmp_path / name}.png")


def test_a_store_without_rows(refused, tmp_path):
    store = fill(tmp_path / "empty.sqlite", [])
    for name in FROM_STORE:
        code, text = refused(f"{name} --store {store} -o {tmp_path / 'a.png'}")
        assert (code, text) == (2, f"store must hold a finished case to draw, got none in '{store}'")
    assert not (tmp_path / "a.png").exists()


def test_a_store_without_ranks(plot, refused, tmp_path):
    store = fill(tmp_path / "bounds.sqlite", [(2, 4, 1, (4, 4), "bounds"), (3, 4, 1, (4, 4), "bounds")])
    for name, words in (("blocks", "a measured rank with its blocks"), ("head-count", "a measured rank to draw")):
        code, text = refused(f"{name} --store {store} -o {tmp_path / 'a.png'}")
        assert code == 2
        assert f"store must hold {words}, got none in 2 records" in text
    for name in ("regimes", "rank-growth"):
        plot(f"{name} --store {store} -o {tmp_path / 'a.png'}")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("regimes --store STORE -o a.jpg", "output must end in .png, .svg or .pdf, got 'a.jpg'"),
        ("regimes --store STORE -o map", "output must end in .png, .svg or .pdf, got 'map'"),
        ("regimes --store STORE -o -", "output must end in .png, .svg or .pdf, got '-'"),
        ("regimes --store STORE -o /nonexistent/a.png", "output must be a file that can be written"),
        ("regimes --store STORE", "Missing option '-o' / '--output'"),
        ("regimes -o a.png", "Missing option '--store'"),
        ("regimes --store /nonexistent.sqlite -o a.png", "'/nonexistent.sqlite'"),
        ("regimes --store STORE --H 7 -o a.png", "store must hold records with H = 7, got H = 1, 2, 3"),
        (
            "regimes --store STORE --H two -o a.png",
            "H must be whole numbers of at least 1, ranges of them such as 1:4, dx or dx/2, got 'two'",
        ),
        ("regimes --store STORE --N 1 -o a.png", "N must be long, whole numbers of at least 2"),
        ("regimes --store STORE --residual -o a.png", "store must hold records with residual = True"),
        ("regimes --store STORE --variant odd -o a.png", "store must hold a rank or a bound of the variant 'odd'"),
        ("blocks --store STORE --L 9 -o a.png", "store must hold a measured rank with its blocks with L = 9"),
        ("guideline --config /nonexistent.json -o a.png", "/nonexistent.json"),
        ("transition --fit /nonexistent.csv -o a.png", "points must be an existing file, got '/nonexistent.csv'"),
        ("pie -o a.png", "No such command 'pie'"),
    ],
)
def test_bad_input_is_one_line(refused, store, tmp_path, monkeypatch, line, message):
    monkeypatch.chdir(tmp_path)
    code, text = refused(line.replace("STORE", str(store)))
    assert code == 2
    assert message in text
    assert not list(tmp_path.iterdir())


def test_the_group_lists_its_figures(capsys):
    assert run(["plot"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in FIGURES)


def test_without_matplotlib_one_line_says_what_to_install(store, tmp_path):
    code = "import sys; sys.modules['matplotlib'] = None;from seprank.cli.main import run; sys.exit(run(sys.argv[1:]))"
    line = ["plot", "regimes", "--store", str(store), "-o", str(tmp_path / "a.png")]
    done = subprocess.run([sys.executable, "-c", code, *line], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == (
        "seprank: a figure needs matplotlib, got an environment without it: pip install 'seprank[plots]'\n"
    )


def test_help_imports_nothing_heavy_and_figures_need_no_pyplot(tmp_path):
    code = "import sys; from seprank.cli.main import run; run(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code, "plot", "--help"], capture_output=True, text=True, check=True)
    assert not {"numpy", "matplotlib"} & {name.split(".")[0] for name in done.stderr.split()}
    line = ["plot", "guideline", "-o", str(tmp_path / "a.pdf")]
    done = subprocess.run([sys.executable, "-c", code, *line], capture_output=True, text=True, check=True)
    assert "matplotlib.figure" in done.stderr.split()
    assert "matplotlib.pyplot" not in done.stderr.split()
