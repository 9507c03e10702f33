"""nu and the normaliser against quadrature, which shares no code with them; the printed form is rejected."""

import math

import numpy as np
import pytest

from seprank.shaped.activation import normaliser, nu, relu_drift, shaped_relu

PAIRS = [(0.0, -1.0), (1.0, -1.0), (1.0, 1.0), (0.0, -2.0)]


def gauss(f, points=200_000):
    """E f(cos t, cos(t - theta)) r^2 over the angle of two standard normals, for f of degree 2."""
    t = (np.arange(points) + 0.5) * 2 * math.pi / points
    return 2 * float(np.mean(f(t)))


@pytest.mark.parametrize(("c_plus", "c_minus"), PAIRS)
@pytest.mark.parametrize("rho", [-0.9, -0.3, 0.0, 0.5, 0.99])
def test_nu_is_the_drift_at_every_width(c_plus, c_minus, rho):
    n, theta = 1000, math.acos(rho)

    def product(t):
        return shaped_relu(np.cos(t), n, c_plus, c_minus) * shaped_relu(np.cos(t - theta), n, c_plus, c_minus)

    c = normaliser(n, c_plus, c_minus)
    drift = n * (c * gauss(product) - rho) / c
    assert float(nu(rho, c_plus, c_minus)) == pytest.approx(drift, abs=2e-6)
    printed = (c_plus + c_minus) ** 2 / (2 * math.pi) * (math.sqrt(1 - rho**2) + rho * theta)
    if rho != 0.0 and (c_plus, c_minus) != (1.0, 1.0):
        assert abs(printed - drift) > 0.3 * max(drift, 1e-4)


@pytest.mark.parametrize(("c_plus", "c_minus"), PAIRS)
def test_normaliser(c_plus, c_minus):
    square = gauss(lambda t: shaped_relu(np.cos(t), 100, c_plus, c_minus) ** 2)
    assert normaliser(100, c_plus, c_minus) * square == pytest.approx(1, abs=1e-9)


def test_limits_and_small_angles():
    assert float(nu(0.0, 0.0, -1.0)) == pytest.approx(1 / (2 * math.pi), rel=1e-15)
    assert float(nu(-1.0, 1.0, -1.0)) == pytest.approx(2.0)
    assert np.all(nu(np.linspace(-1, 1, 50), 1.0, 1.0) == 0)
    angles = np.array([0.099999, 0.100001])
    below, above = nu(np.cos(angles), 0.0, -1.0)
    assert above / below == pytest.approx((angles[1] / angles[0]) ** 3, rel=1e-7)
    assert float(nu(math.cos(1e-4), 0.0, -1.0)) == pytest.approx(1e-12 / 3 / (2 * math.pi), rel=1e-6)


def test_relu_drift_scales_with_the_norms():
    V = np.array([[4.0, 1.0], [1.0, 9.0]])
    assert relu_drift(V, 0.0, -1.0)[0, 1] == pytest.approx(6 * float(nu(1 / 6, 0.0, -1.0)))
