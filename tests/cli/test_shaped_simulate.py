"""seprank shaped simulate: laws along depth by each engine, and what it refuses."""

import json
import math

import numpy as np
import pytest

LINE = "simulate --m 2 --n 100 --depth 50 --gamma 0.5 --tau0 1 --paths 400"


def document(succeeds, line):
    return json.loads(succeeds("shaped", f"{line} --format json"))


def test_table(succeeds):
    page = succeeds("shaped", LINE)
    assert page.startswith("full block, sde: m = 2, n = 100, depth = 50; gamma = 0.5, tau0 = 1; 400 paths, seed 0\n")
    assert "At T = 0.5, of stopped paths:" in page
    assert page.count("rho12") == 12
    assert "of the paths met ||V|| = 28.8444 by T." in page


def test_json(succeeds):
    found = document(succeeds, LINE)
    assert found["schema"] == "seprank.shaped.simulate/1"
    assert set(found["final"]) == {"V11", "V22", "rho12"}
    assert all(list(entry) == ["5", "25", "50", "75", "95"] for entry in found["final"].values())
    assert found["layers"] == list(range(0, 51, 5))
    assert found["clip_rate"] == 0.0
    assert 0 < found["validity_95"] <= found["validity"]
    assert found["seconds"] > 0
    last = found["quantiles"]["rho12"][-1]
    for level, (low, high) in last.pop("intervals").items():
        assert low <= last[level] <= high
    assert last == found["final"]["rho12"]


def test_same_seed_same_answer(succeeds):
    def final(extra):
        return document(succeeds, f"{LINE} {extra}")["final"]

    assert final("--threads 1") == final("--threads 3")
    assert final("--seed 1") != final("--seed 2")


def test_fokker_planck_of_a_residual_network(succeeds):
    line = f"simulate --m 2 --n 50 --depth 50 --gamma {math.sqrt(0.5)} --tau0 1 --block residual"
    exact = document(succeeds, f"{line} --engine fokker-planck")
    found = exact["final"]["rho12"]
    assert [found["50"], found["5"], found["95"]] == pytest.approx([0.37430, -0.85498, 0.97699], abs=2e-5)
    assert exact["stopped_fraction"] == 0.0
    sampled = document(succeeds, f"{line} --paths 4000")
    for level, (low, high) in sampled["quantiles"]["rho12"][-1]["intervals"].items():
        assert low - 0.03 < found[level] < high + 0.03


def test_fokker_planck_of_attention(succeeds):
    line = "simulate --m 2 --n 100 --depth 100 --gamma 0.5 --tau0 1 --block attention --radius 8"
    found = document(succeeds, f"{line} --engine fokker-planck")
    assert found["stopped_fraction"] == pytest.approx(0.06457, abs=1e-5)
    assert found["final"]["D12"]["50"] == pytest.approx(1.03607, abs=3e-5)
    assert "met its radius with probability 0.0645" in succeeds("shaped", f"{line} --engine fokker-planck")


@pytest.mark.parametrize("engine", ["network", "full-network"])
def test_networks_have_about_the_same_law(succeeds, engine):
    paths = 2000 if engine == "network" else 300
    line = f"simulate --m 2 --n 40 --depth 20 --gamma 0.5 --tau0 1 --paths {paths}"
    found, limit = document(succeeds, f"{line} --engine {engine}"), document(succeeds, line)
    assert found["engine"] == engine
    assert set(found) == set(limit)
    spread = 8 / math.sqrt(paths)
    assert found["final"]["rho12"]["50"] == pytest.approx(limit["final"]["rho12"]["50"], abs=spread)


def test_files_and_masks(succeeds, tmp_path):
    V0, mask = np.array([[1, 0.2], [0.2, 2]]), np.array([[True, False], [True, True]])
    np.save(tmp_path / "v.npy", V0)
    np.save(tmp_path / "mask.npy", mask)
    first = document(succeeds, f"{LINE} --v0 {tmp_path}/v.npy --mask causal --heads 2")
    second = document(succeeds, f"{LINE} --v0 {tmp_path}/v.npy --mask {tmp_path}/mask.npy --heads 2")
    assert first["final"] == second["final"]
    assert first["setup"]["V0"] == V0.tolist()
    assert first["setup"]["mask"] == mask.tolist()


def test_csv(succeeds):
    lines = succeeds("shaped", f"{LINE} --format csv").splitlines()
    assert lines[0].startswith("entry,layer,t,5%,5% low,5% high,25%")
    assert len(lines) == 1 + 3 * 11


def test_a_radius_stops_paths(succeeds):
    found = document(succeeds, f"{LINE} --radius 2")
    assert found["stopped_fraction"] > 0.3
    assert found["setup"]["radius"] == 2.0


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("--gamma 1.5 --tau0 1", "gamma must be a positive number at most 1, got 1.5"),
        ("--gamma 0.5 --tau0 0", "tau0 must be a positive number, got 0.0"),
        ("--gamma 0.5 --tau0 nan", "tau0 must be a positive number, got nan"),
        ("--gamma 0.5 --tau0 1 --radius 1", "radius must exceed the Frobenius norm of V0, 1.44222, got 1"),
        ("--gamma 0.5 --tau0 1 --rho0 2", "rho0 must be a number at least -1 and at most 1, got 2.0"),
        ("--gamma 0.5 --tau0 1 --v0 {}/none.npy", "v0 must be a .npy file that exists, got"),
        ("--gamma 0.5 --tau0 1 --v0 {}/text.npy", "v0 must be a .npy file of numbers, got"),
        ("--gamma 0.5 --tau0 1 --v0 {}/skew.npy", "V0 must be symmetric, got entries that differ by 0.4"),
        ("--gamma 0.5 --tau0 1 --v0 {}/bad.npy", "V0 must be positive semidefinite, got the eigenvalue -1"),
        ("--gamma 0.5 --tau0 1 --v0 {}/bad.npy --rho0 0.1", "rho0 and v0 exclude each other"),
        ("--gamma 0.5 --tau0 1 --mask {}/wide.npy", "mask must be 2 x 2 for m = 2, got 3 x 3"),
        (
            "--gamma 0.5 --tau0 1 --mask {}/empty.npy",
            "mask must allow at least one token in every row, got an",
        ),
        (
            "--gamma 0.5 --tau0 1 --engine fokker-planck",
            "fokker-planck needs m = 2 and the block residual",
        ),
        ("--gamma 0.5 --tau0 1 --m 0", "m must be a whole number at least 1, got 0"),
        ("--gamma 0.5 --tau0 1 --n 0", "n must be a whole number at least 1, got 0"),
    ],
)
def test_bad_input_is_one_line(is_refused, tmp_path, options, line):
    (tmp_path / "text.npy").write_text("no array")
    np.save(tmp_path / "skew.npy", [[1, 0.2], [0.6, 1]])
    np.save(tmp_path / "bad.npy", [[1.0, 2.0], [2.0, 1.0]])
    np.save(tmp_path / "wide.npy", np.ones((3, 3), bool))
    np.save(tmp_path / "empty.npy", np.array([[True, True], [False, False]]))
    code, said = is_refused("shaped", f"simulate --m 2 --n 30 --depth 10 {options.format(tmp_path)}")
    assert code == 2
    assert said.startswith(line)


def test_too_large_is_refused(is_refused):
    code, said = is_refused("shaped", "simulate --m 64 --n 1000 --depth 100000 --gamma 0.5 --tau0 1")
    assert code == 3
    assert "fewer paths fit" in said
