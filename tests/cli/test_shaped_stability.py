"""seprank shaped stability: closed forms, estimates, advice, and what it refuses."""

import json

import numpy as np
import pytest


def document(succeeds, line):
    return json.loads(succeeds("shaped", f"stability {line} --format json"))


def test_two_tokens(succeeds):
    found = document(succeeds, "--gamma 0.5 --tau0 1 --radius 20")
    assert found["schema"] == "seprank.shaped.stability/1"
    assert (found["kind"], found["explodes"], found["estimate"]) == ("exact", True, None)
    assert found["explosion_probability"] == pytest.approx(0.134, abs=5e-4)
    assert found["hitting_probability"] == pytest.approx(0.1728, abs=0.006)  # that one stops at D = 0.01
    assert found["blow_up_time"] == pytest.approx(12.5)


def test_table_and_advice(succeeds):
    page = succeeds("shaped", "stability --gamma 0.5 --tau0 1")
    assert page.startswith("attention block: m = 2, gamma = 0.5, tau0 = 1, heads = 1\n")
    assert "P(D ever meets 100)" in page
    assert "Explosion has positive probability: gamma^2 = 0.25 is below heads / 2 = 0.5." in page
    assert "tau0 = 13.6 or more lowers it to at most 0.01" in page
    page = succeeds("shaped", "stability --gamma 0.9 --tau0 1")
    assert "No explosion: gamma^2 = 0.81 is not below heads / 2 = 0.5." in page
    page = succeeds("shaped", "stability --gamma 0.5 --tau0 1 --block full")
    assert "cannot be excluded" in page
    page = succeeds("shaped", "stability --gamma 0.5 --tau0 1 --block residual --paths 64")
    assert "does not blow up in finite time" in page


def test_adversarial_start(succeeds, tmp_path):
    np.save(tmp_path / "v.npy", 100 * np.array([[1, 0.2], [0.2, 1]]))
    found = document(succeeds, f"--gamma 0.6 --tau0 1 --v0 {tmp_path}/v.npy")
    assert found["explosion_probability"] == pytest.approx(0.776, abs=5e-4)
    assert found["D0"] == pytest.approx(160)
    assert found["radius"] == pytest.approx(3200)


def test_more_tokens_are_estimated(succeeds):
    found = document(succeeds, "--gamma 0.7 --tau0 1 --m 3 --block full --mask causal --paths 256 --radius 20")
    assert found["kind"] == "estimate"
    assert found["explodes"] is None
    assert found["estimate"]["error"] > 0
    assert found["hitting_probability"] == found["estimate"]["probability"]
    assert "estimate, standard error" in succeeds("shaped", "stability --gamma 0.7 --tau0 1 --m 3 --paths 256")


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("--gamma 0 --tau0 1", "gamma must be a positive number at most 1, got 0.0"),
        ("--gamma 0.5 --tau0 -1", "tau0 must be a positive number, got -1.0"),
        ("--gamma 0.5 --tau0 1 --radius 1", "radius must exceed the mean squared distance of the tokens, 1.6, got 1"),
        ("--gamma 0.5 --tau0 1 --rho0 1", "stability needs tokens that differ, got a mean squared distance of 0"),
        ("--gamma 0.5 --tau0 1 --m 1 --rho0 0", "stability needs tokens that differ"),
    ],
)
def test_bad_input_is_one_line(is_refused, options, line):
    code, said = is_refused("shaped", f"stability {options}")
    assert code == 2
    assert said.startswith(line)
