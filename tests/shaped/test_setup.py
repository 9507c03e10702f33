"""What is simulated: defaults, and one line for everything that breaks a rule."""

import math

import numpy as np
import pytest

from seprank.errors import InvalidInput
from seprank.shaped.setup import Setup, causal_mask, equicorrelated

BASE = {"m": 2, "n": 300, "depth": 150, "gamma": 0.5, "tau0": 1.0}


def test_defaults():
    setup = Setup(**BASE)
    assert (setup.T, setup.block, setup.head_dim, setup.paths) == (0.5, "full", 300, 16384)
    assert setup.start.tolist() == [[1.0, 0.2], [0.2, 1.0]]
    assert setup.stopping_radius == pytest.approx(20 * math.sqrt(2.08))
    assert math.isinf(Setup(**BASE, block="residual").stopping_radius)
    assert setup.validity_scale == pytest.approx(math.sqrt(300))


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"V0": [[1, 0.2], [0.1, 1]]}, "V0 must be symmetric"),
        ({"V0": [[1, 2], [2, 1]]}, "V0 must be positive semidefinite, got the eigenvalue -1"),
        ({"V0": [[0, 0], [0, 1]]}, "V0 must have a positive diagonal"),
        ({"V0": np.eye(3)}, "V0 must be a matrix of 2 x 2 numbers, got 3 x 3"),
        ({"V0": 3.0}, "V0 must be a matrix of 2 x 2 numbers, got a single number"),
        ({"V0": [[1, math.nan], [math.nan, 1]]}, "V0 must hold finite numbers"),
        ({"V0": [["a", "b"], ["c", "d"]]}, "V0 must be a square matrix of real numbers"),
        ({"mask": causal_mask(3)}, "mask must be 2 x 2 for m = 2, got 3 x 3"),
        (
            {"mask": [[True, True], [False, False]]},
            "mask must allow at least one token in every row, got an empty",
        ),
        ({"mask": [[1, 2], [0, 1]]}, "mask must hold True and False only"),
        ({"gamma": 0.0}, "gamma must be a positive number at most 1"),
        ({"gamma": 1.01}, "gamma must be a positive number at most 1"),
        ({"tau0": 0.0}, "tau0 must be a positive number"),
        ({"tau0": math.nan}, "tau0 must be a positive number"),
        ({"n": 0}, "n must be a whole number at least 1"),
        ({"depth": 0}, "depth must be a whole number at least 1"),
        ({"radius": 1.0}, "radius must exceed the Frobenius norm of V0, 1.44222, got 1"),
        ({"radius": math.inf}, "radius must be a positive number"),
        ({"block": "mlp"}, "block must be one of residual, attention, full, got 'mlp'"),
        ({"mlp_ratio": -1.0}, "mlp_ratio must be a positive number"),
        ({"seed": -1}, "seed must be a whole number"),
    ],
)
def test_what_breaks_a_rule_is_refused(changes, line):
    with pytest.raises(InvalidInput) as refusal:
        Setup(**{**BASE, **changes})
    assert str(refusal.value).startswith(line)
    assert "\n" not in str(refusal.value)


def test_correlations_that_no_covariance_has_are_refused():
    with pytest.raises(InvalidInput, match=r"^rho0 must be a number at least -0\.5 and at most 1"):
        equicorrelated(3, -0.6)
    assert np.linalg.eigvalsh(equicorrelated(3, -0.5))[0] == pytest.approx(0, abs=1e-15)
