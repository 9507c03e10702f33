"""`seprank shaped compare`: table, JSON, exit status, bad input."""

import json

import numpy as np
import pytest

SMALL = "--m 2 --n 60 --depth 30 --gamma 0.5 --tau0 1 --paths 1000"


def test_the_document(succeeds):
    found = json.loads(succeeds("shaped", f"compare {SMALL} --format json"), parse_constant=pytest.fail)
    assert found["schema"] == "seprank.shaped.compare/1"
    assert list(found["distances"]) == ["V11", "V22", "rho12"]
    assert all(set(distance) == {"ks", "p"} for distance in found["distances"].values())
    assert found["critical"] == pytest.approx(1.358 * (2 / 1000) ** 0.5, rel=1e-3)
    assert found["agree"] == (max(d["ks"] for d in found["distances"].values()) <= found["joint_critical"])
    assert found["setup"]["T"] == 0.5
    assert found["verdict"].startswith("Agree" if found["agree"] else "Differ")


def test_the_table(succeeds):
    table = succeeds("shaped", f"compare {SMALL}")
    assert "full block, SDE against networks: m = 2, n = 60, depth = 30" in table
    assert "critical at 5 % for 3 entries" in table
    assert "Stopped at ||V|| = 28.8444" in table
    residual = succeeds("shaped", f"compare {SMALL} --block residual --finite-width")
    assert "Stopped: none, a residual network needs no radius." in residual


def test_a_limit_far_from_the_network_differs_with_status_0(succeeds):
    line = (
        "--m 2 --n 4 --depth 8 --gamma 1 --tau0 0.1 --radius 1e6 --paths 4000 --block attention --monitoring continuous"
    )
    table = succeeds("shaped", f"compare {line}")
    assert "Differ: the distance of" in table
    assert "Warning: Exit monitoring differs" in " ".join(table.split())
    assert "Warning: Different shares of paths stop" in " ".join(table.split())


def test_the_same_seed_gives_the_same_answer(succeeds):
    first, second = (succeeds("shaped", f"compare {SMALL} --threads {k} --format json") for k in (1, 2))
    assert first == second
    assert first != succeeds("shaped", f"compare {SMALL} --seed 1 --format json")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--gamma 1.5", "gamma must be a positive number at most 1, got 1.5"),
        ("--gamma 0", "gamma must be a positive number at most 1, got 0.0"),
        ("--tau0 0", "tau0 must be a positive number, got 0.0"),
        ("--n 0", "n must be a whole number at least 1, got 0"),
        ("--n 1", "n must be at least m in a finite network, got n=1, m=2"),
        ("--heads 7", "heads must divide n in a finite network, got heads=7, n=60"),
        ("--mlp-ratio 0.33", "mlp_ratio times n must be a whole number in a finite network, got 19.8"),
        ("--rho0 1.2", "rho0 must be a number at least -1 and at most 1, got 1.2"),
        ("--radius 1", "radius must exceed the Frobenius norm of V0, 1.44222, got 1"),
    ],
)
def test_bad_input_is_one_line(is_refused, line, message):
    assert is_refused("shaped", f"compare {SMALL} {line}") == (2, message)


def test_bad_starts_and_masks_are_one_line(is_refused, tmp_path):
    for name, array, words in (
        ("v0", np.array([[1.0, 0.2], [0.3, 1.0]]), "v0 must be symmetric"),
        ("v0", np.array([[1.0, 2.0], [2.0, 1.0]]), "v0 must be positive semidefinite"),
        ("v0", np.eye(3), "v0 must be a matrix of 2 x 2 numbers"),
        ("mask", np.array([[True, False], [False, False]]), "mask must allow at least one token in every row"),
        ("mask", np.ones((3, 3), bool), "mask must be 2 x 2"),
    ):
        np.save(tmp_path / "array.npy", array)
        code, message = is_refused("shaped", f"compare {SMALL} --{name} {tmp_path / 'array.npy'}")
        assert code == 2
        assert message.lower().startswith(words)


def test_jobs_that_do_not_fit_are_refused_at_once(is_refused):
    code, message = is_refused("shaped", "compare --m 2 --n 100000 --depth 100000 --gamma 0.5 --tau0 1")
    assert code == 3
    assert "hours" in message
