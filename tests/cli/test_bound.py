"""`seprank bound`: the table, the documents, real configs, sizes of any length."""

import csv
import functools
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import mpmath
import pytest

CONFIGS = Path(__file__).parent.parent / "data" / "configs"
BOUND_KEYS = {"id", "kind", "log3", "value", "valid", "scope", "source"}
KEYS = {"schema", "architecture", "partition", "regime", "threshold", "bounds", "best_lower", "best_upper", "exact"}
SIXTY_ONE_DIGITS = re.compile(r"[0-9]{61}")


@pytest.fixture
def bound(succeeds):
    """Runs `seprank bound`, which must succeed in silence; returns what it prints."""
    return functools.partial(succeeds, "bound")


@pytest.fixture
def refused(is_refused):
    """Runs `seprank bound`, which must print one line on stderr only; returns the exit code and the line."""
    return functools.partial(is_refused, "bound")


def test_the_document_of_the_readme_example(bound):
    found = json.loads(bound("--L 4 --dx 128 --format json"))
    assert set(found) == KEYS
    assert found["schema"] == "seprank.bound/1"
    assert found["architecture"] == {"L": 4, "dx": 128, "H": 1, "da": 128, "residual": False}
    assert found["partition"] == {"NA": None, "NB": None}
    assert found["regime"] == "depth-efficient"
    assert found["threshold"] == pytest.approx(float(mpmath.log(128, 3)), rel=1e-15)
    assert (found["best_lower"], found["best_upper"], found["exact"]) == ("quadric", "gram", None)
    for entry in found["bounds"]:
        assert set(entry) == BOUND_KEYS
        assert entry["kind"] in ("lower", "upper")
        assert entry["valid"] in (True, False, None)
        assert isinstance(entry["log3"], float)
        assert entry["value"] is None or re.fullmatch("[0-9]{1,60}", entry["value"])
        assert entry["scope"]
        assert entry["source"]


def test_best_bounds_are_the_best_valid_ones(bound):
    found = json.loads(bound("--L 96 --dx 12288 --H 96 --format json"))
    valid = {kind: [e for e in found["bounds"] if e["kind"] == kind and e["valid"]] for kind in ("lower", "upper")}
    assert found["best_lower"] == max(valid["lower"], key=lambda entry: entry["log3"])["id"]
    assert found["best_upper"] == min(valid["upper"], key=lambda entry: entry["log3"])["id"]
    assert {e["id"] for e in found["bounds"] if e["valid"] is False} == {"eq19", "thm2.upper"}


@pytest.mark.parametrize("line", ["--L 2 --dx 8 --H 2", "--L 3 --dx 5", "--L 2 --dx 9 --H 2 --da 5 --N 4"])
def test_values_are_the_integers_that_the_logarithms_imply(bound, line):
    for entry in json.loads(bound(f"{line} --format json"))["bounds"]:
        if entry["log3"] > 25:
            continue
        number = 3 ** entry["log3"]
        value = int(entry["value"])
        nearest = round(number)
        whole = abs(number - nearest) < 1e-12 * number + 1e-9
        rounded = nearest if whole else int(number) + (entry["kind"] == "lower")
        assert value == rounded, entry["id"]


def test_a_value_that_is_known_exactly_comes_with_its_evidence(bound):
    found = json.loads(bound("--L 2 --dx 8 --format json"))
    assert found["exact"]["value"] == "999"
    assert found["exact"]["log3"] == pytest.approx(float(mpmath.log(999, 3)))
    assert "theorem A" in found["exact"]["evidence"]
    table = bound("--L 2 --dx 8")
    assert "exact separation rank: 999\nevidence: known meets gram: theorem A" in table
    assert "exact separation rank: not known" in bound("--L 4 --dx 128")


@pytest.mark.parametrize(
    ("L", "regime", "sign"), [(1, "depth-efficient", "<"), (2, "boundary", "="), (3, "depth-inefficient", ">")]
)
def test_the_regime_is_named_with_the_threshold(bound, L, regime, sign):
    assert f"regime: {regime}, L = {L} {sign} log3 dx = 2\n" in bound(f"--L {L} --dx 9")
    assert json.loads(bound(f"--L {L} --dx 9 --format json"))["regime"] == regime


def test_the_table_marks_the_best_bound_of_both_kinds(bound):
    marked = [line.split()[0] for line in bound("--L 4 --dx 128").splitlines() if re.search(r"(lower|upper) +\*", line)]
    assert marked == ["quadric", "gram"]


@pytest.mark.parametrize(
    ("line", "NA", "NB"), [("--N 64", 32, 32), ("--NA 3 --NB 5", 3, 5), ("--NA 1 --NB 4 --residual", 1, 4)]
)
def test_the_partition_is_stated(bound, line, NA, NB):
    found = json.loads(bound(f"--L 2 --dx 8 {line} --format json"))
    assert found["partition"] == {"NA": NA, "NB": NB}
    assert found["architecture"]["residual"] == ("--residual" in line)
    assert f"NA = {NA}, NB = {NB}" in bound(f"--L 2 --dx 8 {line}")


def test_csv_and_latex_hold_the_same_bounds(bound):
    ids = {entry["id"] for entry in json.loads(bound("--L 3 --dx 9 --H 3 --format json"))["bounds"]}
    rows = list(csv.DictReader(io.StringIO(bound("--L 3 --dx 9 --H 3 --format csv"))))
    assert {row["bound"] for row in rows} == ids
    latex = bound("--L 3 --dx 9 --H 3 --format latex")
    assert latex.startswith("\\begin{table}")
    assert all(f"    {id} & " in latex for id in ids)


@pytest.mark.parametrize("fmt", ["table", "json", "csv", "latex"])
@pytest.mark.parametrize("sizes", ["--L 96 --dx 12288 --H 96", "--L 1000 --dx 100000", "--L 100000 --dx 7"])
def test_long_numbers_are_never_written_out(bound, sizes, fmt):
    assert not SIXTY_ONE_DIGITS.search(bound(f"{sizes} --format {fmt}"))


@pytest.mark.parametrize(("L", "dx", "H"), [(96, 12288, 96), (1000, 100000, 2)])
def test_huge_sizes_have_twelve_right_digits(bound, L, dx, H):
    rows = csv.DictReader(io.StringIO(bound(f"--L {L} --dx {dx} --H {H} --format csv")))
    printed = {row["bound"]: row["log3"] for row in rows}
    with mpmath.workdps(1200):
        n, k = mpmath.mpf((dx - H) // 2), mpmath.mpf(3) ** (L - 2)
        multiset = (mpmath.loggamma(n + k) - mpmath.loggamma(k + 1) - mpmath.loggamma(n)) / mpmath.log(3)
        eq18 = (mpmath.mpf(3) ** L - 1) / 2 * mpmath.log(dx + H, 3)
    for id, value in {"multiset": multiset, "eq18": eq18, "gram.simple": dx * (dx + 1) // 2 * L}.items():
        assert abs(mpmath.mpf(printed[id]) / value - 1) < 1e-13, id


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.json")), ids=lambda path: path.stem)
def test_every_sample_config(bound, path):
    found = json.loads(bound(f"--config {path} --format json"))
    assert set(found) == KEYS | {"config"}
    read = {name: entry["value"] for name, entry in found["config"]["read"].items()}
    assert {name: read[name] for name in ("L", "dx", "H", "da")}.items() <= found["architecture"].items()
    assert found["config"]["file"] == path.name
    assert found["best_lower"]
    assert found["best_upper"]
    table = bound(f"--config {path}")
    assert f"read from {path.name}" in table
    assert ("proved for free weights" in table) != found["config"]["lower_bounds_proved_for_free_weights"]


def test_several_configs_make_one_comparison(bound):
    paths = [CONFIGS / f"{name}.json" for name in ("gpt2", "t5-base", "llama-3-8b")]
    line = " ".join(f"--config {path}" for path in paths)
    found = json.loads(bound(f"{line} --N 64 --format json"))
    assert found["schema"] == "seprank.bound-comparison/1"
    assert [model["config"]["file"] for model in found["models"]] == [path.name for path in paths]
    assert all(model["partition"] == {"NA": 32, "NB": 32} for model in found["models"])
    rows = list(csv.DictReader(io.StringIO(bound(f"{line} --format csv"))))
    assert [row["file"] for row in rows] == [path.name for path in paths]
    table = bound(line)
    assert all(len(re.findall(rf"^ +{re.escape(path.name)} ", table, re.MULTILINE)) == 1 for path in paths)
    assert bound(f"{line} --format latex").count("\\\\") == len(paths) + 1


def test_a_stack_may_be_chosen_and_connections_added(bound):
    path = CONFIGS / "t5-base.json"
    assert json.loads(bound(f"--config {path} --stack decoder --format json"))["config"]["stack"] == "decoder"
    assert json.loads(bound(f"--config {path} --residual --format json"))["architecture"]["residual"] is True


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "L and dx must be given with --L and --dx, or --config FILE in their place, got neither"),
        ("--L 2", "dx must be given with --dx, got no such option"),
        ("--L 0 --dx 8", "L must be a whole number at least 1, got 0"),
        ("--L 2 --dx 1e3", "dx must be a whole number at least 1, got '1e3'"),
        ("--L 2 --dx 8 --H 3", "H must divide dx when the head size da is not given, got H=3, dx=8"),
        ("--L 2 --dx 8 --N 5", "N must be even for a balanced partition, got 5; give NA and NB instead"),
        ("--L 2 --dx 8 --N 0", "N must be a whole number at least 2, got 0"),
        ("--L 2 --dx 8 --NA 1", "NA and NB must be given together, got NA=1 alone"),
        ("--L 2 --dx 8 --stack encoder", "stack goes with --config, got --stack encoder without it"),
        ("--config x.json --L 2 --dx 3", "config excludes sizes on the command line, got L=2, dx=3 with --config"),
        ("--config /nonexistent.json", "/nonexistent.json"),
        ("--L 2 --dx 8 --threads 0", "threads must be a whole number at least 1, got 0"),
    ],
)
def test_bad_input_is_one_line(refused, line, message):
    code, text = refused(line)
    assert code == 2
    assert message in text


def test_a_file_that_is_no_config_is_named(refused, tmp_path):
    good, bad = CONFIGS / "gpt2.json", tmp_path / "config.json"
    bad.write_text("[1]")
    code, text = refused(f"--config {good} --config {bad}")
    assert code == 2
    assert str(bad) in text


def test_depths_beyond_the_closed_forms_are_too_large(refused):
    code, text = refused("--L 1000000 --dx 8")
    assert code == 3
    assert "L must be at most 100000" in text
    assert len(text) < 200


def test_the_result_goes_to_a_file_in_one_step(bound, tmp_path):
    target = tmp_path / "bounds.json"
    target.write_text("old")
    expected = bound("--L 4 --dx 128 --format json")
    assert bound(f"--L 4 --dx 128 --format json --output {target}") == ""
    assert target.read_text() == expected
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_that_cannot_be_written_to(refused, tmp_path):
    code, text = refused(f"--L 4 --dx 128 --output {tmp_path / 'none' / 'x'}")
    assert code == 2
    assert text.startswith("output must be a file that can be written")


def test_nothing_heavy_is_imported_and_redirected_output_is_one_document(tmp_path):
    code = (
        "import sys; from seprank.cli.main import run; run(sys.argv[1:]);"
        "print(*{name.split('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    for extra in (["--L", "4", "--dx", "128"], ["--config", str(CONFIGS / "gpt2.json"), "--format", "json"]):
        with open(tmp_path / "out", "w") as file:
            done = subprocess.run(
                [sys.executable, "-c", code, "bound", *extra],
                stdout=file,
                stderr=subprocess.PIPE,
                text=True,
                check=True,
            )
        assert not {"numpy", "scipy", "numba", "sympy", "torch", "flint"} & set(done.stderr.split())
    assert json.loads((tmp_path / "out").read_text())["schema"] == "seprank.bound/1"
