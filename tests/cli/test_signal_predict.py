"""`seprank signal predict`: the document, the table, bad input."""

import json

import pytest

KEYS = {
    "schema",
    "sizes",
    "value",
    "query",
    "query_printed",
    "key",
    "input",
    "input_pieces",
    "tau_eq",
    "logit_std",
    "valid",
}


@pytest.fixture
def predict(succeeds):
    """Runs `seprank signal predict`, which must succeed in silence; returns what it prints."""
    return lambda line: succeeds("signal", f"predict {line}")


@pytest.fixture
def refused(is_refused):
    """Runs `seprank signal predict`, which must print one line on stderr only."""
    return lambda line: is_refused("signal", f"predict {line}")


def test_the_document(predict):
    found = json.loads(predict("--n 16 --d 64 --rho 0.2 --sigma 0.125 --format json"))
    assert set(found) == KEYS
    assert found["schema"] == "seprank.signal.predict/1"
    assert found["sizes"] == {"n": 16, "d": 64, "dk": 64, "dv": 64, "rho": 0.2, "sigma": 0.125, "tau": 1.0}
    assert found["value"] == 256.0  # sigma^2 d dv (1 + rho (n - 1))
    assert found["query_printed"] == pytest.approx(0.125**6 * 64 * 0.8**2 * 15 * 80 / 16, rel=1e-12)
    assert found["query"] == pytest.approx(found["query_printed"] * (1 + 4 * 0.8 / 1024), rel=1e-12)
    assert found["key"] == found["query"]
    assert found["input"] == pytest.approx(sum(found["input_pieces"].values()), rel=1e-12)
    assert set(found["input_pieces"]) == {"A1", "A2", "A3", "cross"}
    assert found["tau_eq"] == pytest.approx((found["value"] / found["query_printed"]) ** 0.5, rel=1e-12)
    assert found["logit_std"] == 0.125**2
    assert found["valid"] is True


def test_widths_and_temperature(predict):
    found = json.loads(predict("--n 4 --d 6 --dk 3 --dv 5 --tau 2 --format json"))
    plain = json.loads(predict("--n 4 --d 6 --dk 3 --dv 5 --format json"))
    assert found["value"] == plain["value"] == 30.0
    assert found["query"] == pytest.approx(4 * plain["query"])
    assert found["query_printed"] == pytest.approx(4 * 36 * 3 * 10 / (4 * 3))
    assert found["tau_eq"] == pytest.approx(plain["tau_eq"])
    assert found["logit_std"] == 2 * plain["logit_std"] == 4.0
    assert found["valid"] is False


def test_ends_of_the_correlation_have_a_word_for_what_is_not_defined(predict):
    collapsed = json.loads(predict("--n 16 --d 64 --rho 1 --format json"))
    assert (collapsed["query"], collapsed["tau_eq"], collapsed["input"]) == (0.0, None, 64.0)
    assert set(collapsed) == KEYS | {"note"}
    assert collapsed["note"].startswith("none, the tokens have collapsed")
    assert "tau_eq: none, the tokens have collapsed (rho = 1)" in predict("--n 16 --d 64 --rho 1")
    centred = predict("--n 5 --d 4 --rho -0.25")
    assert "queries over values: not defined, the value gradient is 0" in centred
    assert "valid: no: the mean token is 0, so that eq. 17 is 0" in centred


def test_the_table(predict, tmp_path):
    line = "--n 16 --d 64 --rho 0.2 --sigma 0.125"
    table = predict(line)
    for part in (
        "||dS/dWV||^2",
        "queries: eq. 18 times 1.00313, exact",
        "tau_eq: 147.802 makes eq. 18 equal to eq. 17",
    ):
        assert part in table
    assert "valid: yes: logit std 0.0156 is at most 0.25" in table
    assert "valid: no: logit std 1 is above 0.25" in predict("--n 16 --d 64")
    assert predict(f"{line} --output {tmp_path / 'out.txt'}") == ""
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == table


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--n 1 --d 64", "n must be a whole number at least 2, got 1"),
        ("--n 16 --d 0", "d must be a whole number at least 1, got 0"),
        ("--n 16 --d 4 --dk -2", "dk must be a whole number at least 1, got -2"),
        ("--n 16 --d 4 --dv 1.5", "dv must be a whole number at least 1, got '1.5'"),
        ("--n 16 --d 64 --rho -0.07", "rho must be a number from -1/(n - 1) = -0.0666667 to 1, got -0.07"),
        ("--n 16 --d 64 --rho 1.5", "rho must be a number from -1/(n - 1) = -0.0666667 to 1, got 1.5"),
        ("--n 16 --d 64 --rho nan", "rho must be a number, got nan"),
        ("--n 16 --d 64 --sigma -1", "sigma must be a positive number, got -1.0"),
        ("--n 16 --d 64 --tau 0", "tau must be a positive number, got 0.0"),
        ("--n 16 --d 64 --sigma inf", "sigma must be a positive number, got inf"),
        ("--n 99999999999 --d 64", "n must be a whole number from 2 to 1000000000, got 99999999999"),
        ("--n 16", "Missing option '--d' (see 'seprank signal predict --help')"),
        (
            "--n 16 --d 4 --sigma big",
            "Invalid value for '--sigma': 'big' is not a valid float (see 'seprank signal predict --help')",
        ),
    ],
)
def test_bad_input(refused, line, message):
    assert refused(line) == (2, message)


@pytest.mark.parametrize("sigma", ["1e-20", "1e20"])
@pytest.mark.parametrize("rho", ["0", "0.9999999999", "1"])
def test_extreme_sizes_print_json_numbers(predict, sigma, rho):
    text = predict(f"--n 1000000000 --d 1000000000 --dk 1 --sigma {sigma} --rho {rho} --tau 1e20 --format json")
    assert json.loads(text, parse_constant=lambda constant: pytest.fail(constant))["schema"]


def test_the_group_prints_its_help_and_knows_near_names(succeeds, is_refused):
    assert "predict" in succeeds("signal", "")
    code, message = is_refused("signal", "predcit --n 2")
    assert (code, message) == (2, "No such command 'predcit'; did you mean 'predict'?")
