"""`seprank plan`: budgets, models, files, the printed table, fits of one's own, and bad input."""

import functools
import json
import math
import re
import subprocess
import sys
from pathlib import Path

import mpmath
import pytest

from seprank.cli.plan_page import scientific, short, size_with_error, with_error
from seprank.planning import PAPER_FIT, plan_model

CONFIGS = Path(__file__).parent.parent / "data" / "configs"
KEYS = {"schema", "params", "depth", "width", "depth_range", "verdict", "extrapolated", "curve", "model", "fit"}
MODEL_KEYS = {
    "name",
    "L",
    "dx",
    "layers_off",
    "own_params",
    "own_params_about",
    "transition_params",
    "transition_relative_error",
    "remarks",
}
VERDICTS = ("too shallow", "near-optimal", "too deep")
CSV = "depth,width,error\n6,216,7\n12,318,9\n18,405,15\n24,610,25\n36,1130,60\n"


@pytest.fixture
def plan(succeeds):
    """Runs `seprank plan`, which must succeed in silence; returns what it prints."""
    return functools.partial(succeeds, "plan")


@pytest.fixture
def document(plan):
    """The JSON document that `seprank plan` prints."""
    return lambda line: json.loads(plan(f"{line} --format json"))


@pytest.fixture
def refused(is_refused):
    """Runs `seprank plan`, which must print one line on stderr only; returns the exit code and the line."""
    return functools.partial(is_refused, "plan")


@pytest.fixture
def points(tmp_path):
    path = tmp_path / "points.csv"
    path.write_text(CSV)
    return path


def test_the_document_of_a_budget(document):
    found = document("--params 175e9")
    assert set(found) == KEYS
    assert found["schema"] == "seprank.plan/1"
    assert (found["params"], found["depth"], found["depth_range"]) == (175_000_000_000, 80, [79, 82])
    assert (found["verdict"], found["model"], found["extrapolated"]) == (None, None, True)
    assert abs(12 * found["depth"] * found["width"] ** 2 / 175e9 - 1) < 1e-4


def test_a_trillion_parameters(document):
    found = document("--params 1e12")
    assert (found["depth"], round(found["width"], -3)) == (95, 30_000)
    assert round(found["curve"]["width"]) == 29_659


def test_the_document_of_a_model(document):
    found = document("--L 96 --dx 12288")
    assert set(found) == KEYS
    assert set(found["model"]) == MODEL_KEYS
    assert found["params"] == 12 * 96 * 12288**2
    assert (found["verdict"], found["model"]["layers_off"], found["extrapolated"]) == ("too deep", 16, True)
    size, relative = found["model"]["transition_params"], found["model"]["transition_relative_error"]
    assert (f"{size:.2e}", f"{size * relative:.1e}") == ("1.17e+12", "2.3e+11")
    fit = found["fit"]
    assert (fit["depths"], fit["heads"], fit["vocabulary"]) == ([6, 48], 2, 2000)


@pytest.mark.parametrize(
    ("spelled", "params"),
    [
        ("175e9", 175 * 10**9),
        ("175B", 175 * 10**9),
        ("1.3b", 1_300_000_000),
        ("350M", 350_000_000),
        ("500k", 500_000),
        ("1T", 10**12),
        ("1.75E+11", 175 * 10**9),
        (".5e6", 500_000),
        ("400000.5", 400_000.5),
        ("1e30", 10**30),
    ],
)
def test_spellings_of_a_number(document, spelled, params):
    found = document(f"--params {spelled}")["params"]
    assert found == params
    assert isinstance(found, type(params))


@pytest.mark.parametrize(
    ("line", "verdict", "where"),
    [
        ("--L 24 --dx 1024", "too shallow", "8 layers below the optimum"),
        ("--L 80 --dx 13000", "near-optimal", "at the optimum"),
        ("--L 81 --dx 13000", "near-optimal", "1 layer above the optimum"),
        ("--L 96 --dx 12288", "too deep", "16 layers above the optimum"),
    ],
)
def test_the_verdict_is_printed_in_exactly_these_words(plan, document, line, verdict, where):
    text = plan(line)
    assert f"\nverdict: {verdict}\nby how much: {where}; depth" in text
    assert not [other for other in VERDICTS if other != verdict and other in text]
    assert document(line)["verdict"] == verdict


def test_the_page_says_what_the_fit_was_measured_on(plan):
    for line in ("--params 1e9", "--L 24 --dx 1024", "--table gpt3"):
        text = plan(line)
        assert "measured on depths 6 to 48 with 2 heads and vocabulary 2000\n" in text
        assert "a = 5.0390 +- 0.030, b = 0.05551 +- 0.0013, covariance -3.7e-5\n" in text


def test_extrapolation_is_flagged_with_the_depths(plan):
    assert plan("--L 96 --dx 12288").endswith("extrapolated: yes, depths 80, 96 lie outside the measured 6 to 48\n")
    assert plan("--params 1e12").endswith("extrapolated: yes, depth 95 lies outside the measured 6 to 48\n")
    assert plan("--L 24 --dx 1024").endswith("extrapolated: no\n")


def test_the_size_of_the_model_and_of_its_depth(plan):
    text = plan("--L 96 --dx 12288")
    assert "parameters used: 12 L dx^2 = 173946175488, without embeddings\n" in text
    assert "depth 96 is optimal at 1.17e12 +- 0.23e12 parameters, 6.7 times this size\n" in text
    assert "optimal depth: 80, 79 to 82 within one standard error of the fit\noptimal width: 13461" in text


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.json")), ids=lambda path: path.stem)
def test_every_sample_config(plan, document, path):
    found = document(f"--config {path}")
    assert set(found) == KEYS | {"config"}
    read = {name: entry["value"] for name, entry in found["config"]["read"].items()}
    assert (found["model"]["L"], found["model"]["dx"]) == (read["L"], read["dx"])
    assert found["params"] == 12 * read["L"] * read["dx"] ** 2
    assert found["verdict"] == plan_model(read["L"], read["dx"]).verdict
    own = found["model"]["own_params"]
    about = "not computed: " if own is None else f"{own}, weights of attention and feed-forward matrices"
    assert f"\nown count: {about}" in plan(f"--config {path}")


def test_the_own_count_of_a_config(document):
    model = document(f"--config {CONFIGS / 'llama-3-8b.json'}")["model"]
    layer = 4096 * 4096 * 2 + 2 * 4096 * 1024 + 3 * 4096 * 14336
    assert model["own_params"] == 32 * layer
    assert model["name"] == "llama-3-8b.json"


def test_several_configs_make_a_comparison(plan, document):
    line = " ".join(f"--config {CONFIGS / name}.json" for name in ("gpt2", "llama-3-8b"))
    found = document(line)
    assert found["schema"] == "seprank.plan-comparison/1"
    assert [model["config"]["file"] for model in found["models"]] == ["gpt2.json", "llama-3-8b.json"]
    assert "gpt2.json: own count not computed: the file states no feed-forward size" in plan(line)
    assert document(f"--config {CONFIGS / 't5-base.json'} --stack decoder")["config"]["stack"] == "decoder"


def test_the_gpt3_table(plan, document):
    found = document("--table gpt3")
    assert found["schema"] == "seprank.plan-comparison/1"
    models = found["models"]
    assert all(set(model) == KEYS for model in models)
    assert [model["depth"] for model in models] == [23, 32, 37, 42, 47, 54, 60, 80]
    assert [model["verdict"] for model in models] == ["too shallow"] * 7 + ["too deep"]
    assert [model["model"]["own_params"] for model in models][-1] == 175 * 10**9
    text = plan("--table gpt3")
    rows = [line for line in text.splitlines() if re.match(r" +GPT-3 ", line)]
    assert len(rows) == 8
    assert re.search(r"GPT-3 175B +1.75e11 +1.739e11 +96 +12288 +80 +79 to 82 +13461 +\+16 +too deep", rows[-1])
    assert "GPT-3 XL: 24 heads of 128 are printed, 3072 and not 2048\n" in text


def test_a_fit_of_ones_own(plan, document, points):
    found = document(f"--fit {points}")
    assert found["schema"] == "seprank.plan-fit/1"
    assert set(found) == {"schema", "fit", "correlation", "chi2", "df", "chi2_reduced", "r2", "points", "remarks"}
    assert found["df"] == 3
    assert found["chi2"] == pytest.approx(sum(point["pull"] ** 2 for point in found["points"]))
    assert found["fit"]["depths"] == [6, 36]
    text = plan(f"--fit {points}")
    assert "chi-square: " in text
    assert "with 3 degrees of freedom, reduced " in text
    assert "R^2: 0.9" in text
    assert "source: points.csv; measured on depths 6 to 36\n" in text


def test_a_plan_by_a_fit_of_ones_own(plan, document, points):
    fit = document(f"--fit {points}")["fit"]
    found = document(f"--fit {points} --params 1e9")
    assert found["fit"] == fit
    L = found["curve"]["depth"]
    assert math.log(12 * L) + 2 * fit["a"] + 2 * fit["b"] * L == pytest.approx(math.log(1e9))
    assert found["extrapolated"] is True
    assert "outside the measured 6 to 36\n" in plan(f"--fit {points} --L 48 --dx 512")


def test_a_poor_fit_says_so(plan, document, tmp_path):
    path = tmp_path / "poor.csv"
    path.write_text("depth,width,error\n6,200,1\n12,900,1\n18,100,1\n24,700,1\n")
    assert "the points scatter more than their errors say" in document(f"--fit {path}")["remarks"][0]
    path.write_text("depth,width,error\n6,200,50\n12,200,50\n18,200,50\n")
    assert document(f"--fit {path}")["r2"] is None
    text = plan(f"--fit {path}")
    assert "R^2: not defined, all widths are equal" in text
    assert "note: b is not above its standard error, so no depth follows from a size\n" in text


def test_sizes_far_beyond_the_fit_are_still_numbers(plan, document):
    found = document("--L 10000 --dx 100")
    assert (found["verdict"], found["depth"]) == ("too deep", 42)
    assert "depth 10000 is optimal at 4.07e491 (its error is larger) parameters" in plan("--L 10000 --dx 100")
    with mpmath.workdps(30):
        size = mpmath.mpf(120_000) * mpmath.exp(2 * mpmath.mpf("5.039") + 20_000 * mpmath.mpf("0.05551"))
    digits = re.search(r'"transition_params": (\S+),', plan("--L 10000 --dx 100 --format json"))[1]
    assert abs(mpmath.mpf(digits) / size - 1) < 1e-10


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "params, L and dx, config, table or fit must be given, got none of them"),
        ("--params many", "params must be a number from 1 to 1e+30 such as 175e9 or 1.3B, got 'many'"),
        ("--params -5", "params must be a number from 1 to 1e+30 such as 175e9 or 1.3B, got '-5'"),
        ("--params nan", "got 'nan'"),
        ("--params 0", "params must be a number from 1 to 1e+30, got 0"),
        ("--params 1e31", "params must be a number from 1 to 1e+30, got about 1.000e31"),
        ("--params 1000", "params must be at least 1.51e+05, or the fit has no network of one layer, got 1000"),
        ("--L 3", "L and dx must be given together, got L=3 alone"),
        ("--dx 3", "L and dx must be given together, got dx=3 alone"),
        ("--L 0 --dx 3", "L must be a whole number at least 1, got 0"),
        ("--L 200000 --dx 3", "L must be a whole number from 1 to 100000, got 200000"),
        ("--params 1e9 --L 3 --dx 4", "one of params, L and dx, config, table must be given, got params and L and dx"),
        ("--params 1e9 --table gpt3", "one of params, L and dx, config, table must be given, got params and table"),
        ("--table gpt4", "Invalid value for '--table': 'gpt4' is not 'gpt3'"),
        ("--stack encoder", "stack goes with --config, got --stack encoder without it"),
        ("--config /nonexistent.json", "/nonexistent.json"),
        ("--fit /nonexistent.csv", "points must be an existing file, got '/nonexistent.csv'"),
        ("--params 1e9 --output /nonexistent/x", "output must be a file that can be written"),
        ("--params 1e9 --format csv", "'csv' is not one of 'table', 'json'"),
    ],
)
def test_bad_input_is_one_line(refused, line, message):
    code, text = refused(line)
    assert code == 2
    assert message in text


def test_bad_points_are_named_with_their_file(refused, tmp_path):
    path = tmp_path / "points.csv"
    path.write_text("depth,width,error\n6,200,5\n12,300,5\n")
    assert refused(f"--fit {path}") == (
        2,
        f"points must be at least 3 for a line and its chi-square, got 2 in '{path}'",
    )
    path.write_text("depth,width,error\n6,300,5\n12,200,5\n18,100,5\n")
    code, text = refused(f"--fit {path} --params 1e9")
    assert code == 2
    assert text.startswith(
        "b must be positive and above its standard error for a depth to follow from a size, got b=-0"
    )


def test_the_result_goes_to_a_file_in_one_step(plan, tmp_path):
    target = tmp_path / "plan.json"
    target.write_text("old")
    expected = plan("--params 1e9 --format json")
    assert plan(f"--params 1e9 --format json --output {target}") == ""
    assert target.read_text() == expected
    assert list(tmp_path.iterdir()) == [target]


def test_numbers_for_people():
    assert [short(x) for x in (0, 5, 1234.5, 999_999, 1e6, 1.739e11, -3.7e-5)] == [
        "0",
        "5",
        "1234",
        "999999",
        "1e6",
        "1.739e11",
        "-3.7e-5",
    ]
    assert with_error(0.5, 0.0) == "0.5000000 +- 0.000000"
    assert size_with_error(math.log(9.999e9), 0.5) == "1.00e10 +- 0.50e10"
    assert [scientific(math.log(x), 2) for x in (1.0, 6.66, 0.05, 123456.0, 9.99e7)] == [
        "1",
        "6.7",
        "0.05",
        "123456",
        "1.0e8",
    ]
    assert scientific(PAPER_FIT.log_size(96), 3) == "1.17e12"


def test_nothing_heavy_is_imported():
    code = (
        "import sys; from seprank.cli.main import run; run(sys.argv[1:]);"
        "print(*{name.split('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    for line in ("--params 1e9 --format json", f"--config {CONFIGS / 'gpt2.json'}"):
        done = subprocess.run(
            [sys.executable, "-c", code, "plan", *line.split()], capture_output=True, text=True, check=True
        )
        assert not {"numpy", "scipy", "numba", "sympy", "mpmath", "matplotlib"} & set(done.stderr.split())
