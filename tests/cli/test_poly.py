"""`seprank poly`: what it prints in every format, what it refuses, and the page that documents it."""

import doctest
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import sympy

from seprank.attention.architecture import Architecture
from seprank.attention.layer import forward_integers
from seprank.attention.partition import Partition
from seprank.attention.poly_weights import small_weights
from seprank.attention.polynomial import network_polynomial
from seprank.attention.weights import Weights, random_weights
from seprank.cli import main, poly_page
from seprank.cli.poly import positions_from
from seprank.errors import InvalidInput

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "polynomial.md").read_text(encoding="utf-8")
EXAMPLE = "--L 1 --dx 2 --H 1 --N 2"


@pytest.fixture
def poly(capsys):
    def call(line, code=0):
        found = main.run(["poly", *line.split()])
        streams = capsys.readouterr()
        assert found == code, streams.err
        assert (streams.out == "") == (code != 0)
        return streams.out if code == 0 else streams.err

    return call


@pytest.fixture
def document(poly):
    return lambda line: json.loads(poly(f"{line} --format json"))


def test_the_example(document):
    found = document(f"{EXAMPLE} --weights random")
    assert list(found) == [
        "schema",
        "architecture",
        "N",
        "partition",
        "p",
        "weights",
        "seed",
        "prime",
        "matrices",
        "degree",
        "monomials",
        "rank",
        "gram_factors",
        "variables",
        "polynomial",
    ]
    assert (found["schema"], found["degree"], found["monomials"], found["rank"]) == ("seprank.poly/1", 3, 10, 3)
    assert found["architecture"] == {"L": 1, "dx": 2, "H": 1, "da": 2, "residual": False}
    assert (found["partition"], found["N"], found["p"]) == ({"NA": 1, "NB": 1}, 2, 1)
    assert (found["weights"], found["seed"], found["prime"]) == ("random", 0, None)


@pytest.mark.parametrize("extra", ["", "--p 2", "--seed 5 --residual", "--da 3 --H 2", "--prime 7", "--N 3 --p 2"])
def test_the_printed_polynomial_has_the_values_of_eq_3(document, extra):
    found = document(f"--L 1 --dx 2 {extra}")
    weights = Weights.from_arrays(*found["matrices"].values(), residual=found["architecture"]["residual"])
    tokens = [[j + 2 * a - 3 for a in range(2)] for j in range(found["N"])]
    numbers = dict(zip(found["variables"], [x for row in tokens for x in row], strict=True))
    value = int(sympy.sympify(found["polynomial"]).subs(numbers))
    expected = forward_integers(weights, tokens)[0, found["p"] - 1]
    assert value == expected if found["prime"] is None else (value - expected) % 7 == 0


def test_random_weights_come_from_the_seed(document):
    for seed in (0, 4):
        weights = small_weights(Architecture(1, 2), seed)
        assert document(f"{EXAMPLE} --seed {seed}")["matrices"]["query"] == weights.query.tolist()
        weights = random_weights(Architecture(1, 2), 101, seed)
        assert document(f"{EXAMPLE} --seed {seed} --prime 101")["matrices"]["output"] == weights.output.tolist()


@pytest.mark.parametrize(
    ("line", "partition", "rank"),
    [
        ("--L 2 --dx 2", (1, 1), 15),
        ("--L 2 --dx 2 --N 4", (2, 2), 18),
        ("--L 2 --dx 2 --NA 1 --NB 2", (1, 2), 16),
        ("--L 2 --dx 2 --NA 2 --NB 1 --N 3", (2, 1), 17),
        ("--L 2 --dx 2 --N 3", None, None),
        ("--L 2 --dx 2 --N 1", None, None),
        ("--L 1 --dx 4 --H 4 --N 4 --prime 4194301", (2, 2), 5),
        ("--L 1 --dx 2 --weights symbolic", (1, 1), None),
    ],
)
def test_partitions_and_ranks(document, line, partition, rank):
    found = document(line)
    assert found["rank"] == rank
    assert found["partition"] == (None if partition is None else dict(zip(("NA", "NB"), partition, strict=True)))
    assert found["degree"] == 3 ** found["architecture"]["L"]


def test_symbolic_weights(document):
    found = document(f"{EXAMPLE} --weights symbolic")
    assert (found["monomials"], found["degree"], found["rank"], found["matrices"], found["seed"]) == (
        10,
        3,
        None,
        None,
        None,
    )
    assert len(found["variables"]) == 4 + 16
    y = network_polynomial(Architecture(1, 2), 2)
    assert sympy.sympify(found["polynomial"]) == y.value.as_expr()


@pytest.mark.parametrize(
    "line", [EXAMPLE, "--L 2 --dx 2 --N 3", "--L 2 --dx 3 --prime 13", "--L 1 --dx 2 --weights symbolic"]
)
def test_the_program_for_sympy_builds_the_polynomial(poly, document, line):
    names = {}
    exec(poly(f"{line} --format sympy"), names)
    found = document(line)
    prime, symbolic = found["prime"], found["weights"] == "symbolic"
    sizes = Architecture(**found["architecture"])
    weights = small_weights(sizes, 0) if prime is None else random_weights(sizes, prime, 0)
    y = network_polynomial(sizes if symbolic else weights, found["N"], domain=prime or "ZZ")
    assert names["y"] == y.value
    assert names["y"].ring == y.ring


def test_text_for_people(poly):
    text = poly(EXAMPLE)
    assert "degree: 3\nmonomials: 10 in the tokens, of 10 that can occur\nrank: 3, the separation rank" in text
    assert "more" not in text.partition("y1_1 =")[2]
    assert "word form (Lemma 1): Y^(1) = sum over h in [H]^1 of O1[h1] V1[h1] M K1[h1]^T Q1[h1] X" in text


@pytest.mark.parametrize(("line", "left"), [("--L 2 --dx 2 --N 3", 318), ("--L 2 --dx 3 --N 2 --prime 4194301", 801)])
def test_what_the_text_leaves_out_is_said(poly, line, left):
    text = poly(line)
    assert text.endswith(f"  ... and {left} more monomials: --format json, latex or sympy prints all\n")
    shown = text.partition("y1_1 =")[2]
    assert len(re.findall(r"[+-] | {2}-?\d", shown.partition("...")[0])) >= 200


def test_the_text_of_symbolic_weights_groups_by_token_monomial(poly):
    text = poly("--L 1 --dx 2 --N 1 --weights symbolic")
    assert "rank: not taken, the weights are symbolic" in text
    assert "4 in the tokens, of 4 that can occur; 32 terms in tokens and weights" in text
    body = " ".join(text.partition("y1_1 =")[2].split())
    assert body.endswith("*x1_2**3")
    assert sympy.sympify(body).expand() == network_polynomial(Architecture(1, 2), 1).value.as_expr()
    assert "more token monomials" in poly("--L 1 --dx 3 --N 2 --weights symbolic")


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("--L 1 --dx 2 --N 3", "rank: not taken, an odd N needs --NA and --NB"),
        ("--L 1 --dx 2 --N 1", "rank: not taken, one position has no two sides"),
        ("--L 1 --dx 2 --residual", "with skip connections; N = 2"),
        ("--L 1 --dx 2 --residual", "word form (Lemma 1): not for skip connections"),
        ("--L 4 --dx 1", "word form (Lemma 1): C = 40 Gram factors (written out for L at most 3)"),
        ("--L 2 --dx 4 --H 4 --N 1", "(32 matrices, listed with --format json)"),
        ("--L 1 --dx 2 --prime 11", "exact modulo 11"),
    ],
)
def test_remarks(poly, line, part):
    assert part in poly(line)


def test_the_zero_polynomial(poly):
    sizes = Architecture(1, 2)
    weights = Weights(sizes, *(0 * array for array in small_weights(sizes, 0)))
    result = poly_page.Result(network_polynomial(weights, 2), Partition(1, 1), weights, 0, 0)
    assert "degree: none, the polynomial is zero" in poly_page.text(result, "text")
    assert poly_page.text(result, "text").endswith("y1_1 =\n  0\n")
    assert (poly_page.document(result)["degree"], poly_page.document(result)["polynomial"]) == (None, "0")
    assert "y_{1,1} &= 0\n" in poly_page.text(result, "latex")


def from_latex(text, names):
    """The sum in an align environment, as a sympy expression."""
    body = text.partition("&=")[2].partition("\\end{align*}")[0].replace("\\\\", "").replace("&\\quad", "")
    for name in names:
        body = body.replace(poly_page._latex_name(name), f" {name} ")
    body = re.sub(r"\( (\w+) \)", r"\1", body)
    body = re.sub(r"\s*\^\{(\d+)\}", r"**\1", body)
    return sympy.sympify(re.sub(r"(?<=[\w])\s+(?=[A-Za-z])", "*", " ".join(body.split())))


@pytest.mark.parametrize("line", [EXAMPLE, "--L 1 --dx 2 --N 1 --weights symbolic", "--L 2 --dx 1 --weights symbolic"])
def test_latex_holds_the_polynomial(poly, document, line):
    text, found = poly(f"{line} --format latex"), document(line)
    assert "\\begin{align*}\n  y_{1,1} &= " in text
    assert from_latex(text, found["variables"]) == sympy.sympify(found["polynomial"])


def test_latex_names():
    assert poly_page._latex_name("x1_12") == "x_{1,12}"
    assert poly_page._latex_name("Q1_2_3_4") == "Q^{(1,2)}_{3,4}"


def test_output_and_threads(poly, tmp_path):
    shown = poly(f"{EXAMPLE} --prime 7")
    assert main.run(["poly", *EXAMPLE.split(), "--prime", "7", "--threads", "1", "--output", str(tmp_path / "y")]) == 0
    assert (tmp_path / "y").read_text() == shown


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("--L 1 --dx 2 --p 3", 2, "p must be a whole number from 1 to dx = 2, got 3"),
        ("--L 1 --dx 2 --p 0", 2, "p must be a whole number at least 1, got 0"),
        ("--L 1 --dx 3 --H 2", 2, "H must divide dx when the head size da is not given, got H=2, dx=3"),
        ("--L 1 --dx 2 --N 3 --NA 1 --NB 1", 2, "N must be NA + NB = 2, got N=3 with NA=1 NB=1"),
        ("--L 1 --dx 2 --N 3 --NA 1", 2, "NA and NB must be given together, got NA=1 alone"),
        ("--L 1 --dx 2 --prime 6", 2, "prime must be a prime at most 2147483647, got 6"),
        ("--L 1 --dx 2 --seed -1", 2, "seed must be a whole number at least 0, got -1"),
        ("--L 1 --dx 2 --seed 18446744073709551616", 2, "seed must be a whole number from 0 to 18446744073709551615"),
        ("--L 1 --dx 2 --threads 0", 2, "threads must be a whole number at least 1, got 0"),
        ("--L 1 --dx 2 --output /nowhere/y", 2, "output must be a file that can be written, got '/nowhere/y'"),
        ("--L 1", 2, "Missing option '--dx'"),
        ("--L 3 --dx 2 --N 4", 3, "the polynomial would have up to 687208 monomials and take up to"),
        ("--L 2 --dx 2 --weights symbolic", 3, "the polynomial would have up to 16777216 monomials and take up to"),
        ("--L 96 --dx 12288 --H 96", 3, "the polynomial would have more than"),
    ],
)
def test_errors_are_one_line(poly, line, code, message):
    error = poly(line, code)
    assert error.startswith(f"seprank: {message}")
    assert error.count("\n") == 1


def test_positions():
    assert positions_from(None, None, None) == (2, Partition(1, 1))
    assert positions_from(6, None, None) == (6, Partition(3, 3))
    assert positions_from(None, 1, 4) == positions_from(5, 1, 4) == (5, Partition(1, 4))
    assert positions_from(5, None, None) == (5, None)
    with pytest.raises(InvalidInput, match=r"^N must be NA \+ NB = 5, got N=4 with NA=1 NB=4"):
        positions_from(4, 1, 4)


def test_the_help_of_the_command_imports_no_sympy():
    code = (
        "import sys; from seprank.cli.main import run; run(['poly', '--help']);"
        "print(*{name.split('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"sympy", "numba", "flint", "numpy"} & set(done.stderr.split())
    assert "--weights [random|symbolic]" in done.stdout


def test_the_page_shows_real_output(poly):
    blocks = re.findall(r"```console\n\$ seprank poly (.*?)\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == PAGE.count("```console") == 1
    for line, output in blocks:
        assert poly(line) == output


def test_the_examples_of_the_page_run():
    examples = "\n".join(re.findall(r"```pycon\n(.*?)```", PAGE, re.DOTALL))
    found = doctest.DocTestParser().get_doctest(examples, {}, "polynomial.md", None, 0)
    assert len(found.examples) >= 14
    assert doctest.DocTestRunner().run(found).failed == 0


MEASURED = re.findall(r"\| `(--L [123].*?)` \| (\d+) \| (\d+) \|", PAGE)


@pytest.mark.parametrize("row", [row for row in MEASURED if int(row[1]) < 3000])
def test_the_measured_cases_have_those_ranks(document, row):
    line, monomials, rank = row
    found = document(line)
    assert (found["monomials"], found["rank"]) == (int(monomials), int(rank))


def test_the_page_states_measured_times():
    assert len(MEASURED) == 11
