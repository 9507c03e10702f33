"""The validity indicator against softmax layers, temperature, imbalance."""

import numpy as np
import pytest

from seprank.errors import InvalidInput
from seprank.signal.gaussian import expected_norms, query_norm, value_norm
from seprank.signal.imbalance import gradient_ratio, layer_validity, restoring_temperature
from seprank.signal.jacobians import squared_norms
from seprank.signal.layer import attention, gaussian_weights
from seprank.signal.sizes import LayerSizes
from seprank.signal.temperature import equalising_temperature, warm_up
from seprank.signal.tokens import GaussianTokens
from seprank.signal.uniform import attention_deviation, validity, value_excess


@pytest.mark.parametrize(
    ("n", "d", "dk", "rho", "sigma"),
    [(16, 32, 32, 0.0, 0.45), (8, 32, 16, 0.3, 0.3), (4, 16, 16, -0.1, 0.45), (16, 8, 8, 0.8, 0.49)],
)
def test_valid_predictions_are_within_twenty_percent_of_softmax(n, d, dk, rho, sigma):
    model, sizes = GaussianTokens(n, d, rho, sigma), LayerSizes(d, dk)
    assert validity(model, sizes).valid
    X = model.sample(0, 200)
    samples = np.array([squared_norms(x, gaussian_weights(sizes, i)) for i, x in enumerate(X)])
    found = expected_norms(model, sizes)
    expected = np.array([found.value, found.query, found.key, found.input])
    errors = samples.std(axis=0) / 200**0.5
    assert (np.abs(samples.mean(axis=0) - expected) < 0.2 * expected + 5 * errors).all()


def test_predictions_at_standard_deviation_one_are_called_invalid():
    """There the value gradient is 2.3 times eq. 17."""
    model, sizes = GaussianTokens(16, 64), LayerSizes(64)
    indicator = validity(model, sizes)
    assert not indicator.valid
    assert indicator.reason == "no: logit std 1 is above 0.25 (leading correction 1.2)"
    X = model.sample(0, 40)
    values = [squared_norms(x, gaussian_weights(sizes, i)).value for i, x in enumerate(X)]
    assert np.mean(values) > 1.9 * value_norm(model, sizes)


def test_small_logits_with_many_tokens_can_be_invalid_too():
    indicator = validity(GaussianTokens(1000, 16, 0.0, 0.49), LayerSizes(16))
    assert indicator.logit_std < 0.25
    assert not indicator.valid
    assert indicator.reason.startswith("no: leading correction 3.7 is above 0.15 (logit std 0.24)")


def test_narrow_tokens_are_invalid():
    """At n = d = 2 the query norm is a third below its prediction although the logits are small."""
    indicator = validity(GaussianTokens(2, 2, 0.0, 0.9), LayerSizes(2, 8))
    assert indicator.reason == "no: the width is below 8 (logit std 0.203, leading correction 0.082)"
    assert not indicator.valid


def test_without_a_mean_token_there_is_no_relative_correction():
    indicator = validity(GaussianTokens(3, 4, -0.5, 0.1), LayerSizes(4))
    assert indicator.correction is None
    assert not indicator.valid
    assert indicator.reason == "no: the mean token is 0, so that eq. 17 is 0"


def test_excess_of_softmax():
    model, sizes = GaussianTokens(8, 16, 0.0, 0.4), LayerSizes(16, 12, 20, tau=1.1)
    X = model.sample(1, 1500)
    excess = []
    for i, x in enumerate(X):
        A = attention(x, gaussian_weights(sizes, i), sizes.tau)
        excess.append(20 * ((A @ x) ** 2).sum() - 20 * 8 * (x.mean(axis=0) ** 2).sum())
    expected = value_excess(model, sizes)
    assert expected == pytest.approx(query_norm(model, sizes) * 20 / 12)
    assert abs(np.mean(excess) - expected) < 0.08 * expected + 5 * np.std(excess) / 1500**0.5


def test_distance_from_uniform_attention():
    x, sizes = GaussianTokens(6, 16, 0.6).sample(2)[0], LayerSizes(16, 1024)
    found = [((attention(x, gaussian_weights(sizes, i)) - 1 / 6) ** 2).sum() for i in range(60)]
    expected = attention_deviation(x, sizes)
    assert abs(np.mean(found) - expected) < 0.08 * expected + 5 * np.std(found) / 60**0.5


@pytest.mark.parametrize(("rho", "tau"), [(0.0, 1.00), (0.1, 2.02), (0.2, 2.95), (0.3, 4.01), (0.5, 7.06), (0.6, 9.60)])
def test_equalising_temperatures(rho, tau):
    """d = 512, n = 24, sigma = 1."""
    model = GaussianTokens(24, 512, rho)
    assert equalising_temperature(model, LayerSizes(512)) == pytest.approx(tau, abs=0.005)
    assert equalising_temperature(model, LayerSizes(512, tau=3.0)) == pytest.approx(tau, abs=0.005)


def test_temperature_of_other_widths_and_at_the_ends():
    model = GaussianTokens(16, 64, 0.2, 0.5)
    n, d, dk, dv = 16, 64, 32, 48
    expected = (n * dv * dk * (1 + 15 * 0.2) / (0.5**4 * d * 0.8**2 * 15 * 80)) ** 0.5
    assert equalising_temperature(model, LayerSizes(d, dk, dv)) == pytest.approx(expected, rel=1e-12)
    assert equalising_temperature(GaussianTokens(4, 4, 1.0), LayerSizes(4)) is None
    assert equalising_temperature(GaussianTokens(5, 4, -0.25), LayerSizes(4)) == 0.0


def test_warm_up_is_refused_a_negative_step():
    assert warm_up(250, 5.0) == 2.0
    with pytest.raises(InvalidInput, match="step must be a whole number at least 0, got -1"):
        warm_up(-1, 5.0)


@pytest.mark.parametrize("rho", [-0.05, 0.0, 0.4, 0.999])
def test_gradient_ratio_is_query_over_value(rho):
    model, sizes = GaussianTokens(16, 64, rho, 0.8), LayerSizes(64, 32, 16, tau=1.5)
    expected = expected_norms(model, sizes).query_over_value
    assert gradient_ratio(16, 1 - rho, 0.64, sizes) == pytest.approx(expected, rel=1e-11)
    found, indicator = layer_validity(16, 1 - rho, 0.64, sizes), validity(model, sizes)
    assert (found.logit_std, found.correction) == pytest.approx((indicator.logit_std, indicator.correction), rel=1e-11)


def test_gradient_ratio_keeps_its_digits_near_collapse():
    ratio = gradient_ratio(16, 1e-30, 1.0, LayerSizes(64))
    assert ratio == pytest.approx(1e-60 * 15 * 80 / (16 * 64 * 16))
    assert restoring_temperature(ratio) == pytest.approx(ratio**-0.5)
    assert restoring_temperature(gradient_ratio(16, 0.0, 1.0, LayerSizes(64))) is None
    assert restoring_temperature(gradient_ratio(5, 1.25, 1.0, LayerSizes(4))) is None


def test_sizes_are_checked():
    with pytest.raises(InvalidInput, match="dk must be a whole number from 1 to 1000000000, got 0"):
        LayerSizes(4, dk=0)
    with pytest.raises(InvalidInput, match=r"tau must be a positive number, got -1.0"):
        LayerSizes(4, tau=-1.0)
    with pytest.raises(InvalidInput, match=r"sigma_k2 must be a positive number at most 1e\+20, got 0"):
        LayerSizes(4, sigma_k2=0)
