"""Numbers as the commands print them."""

import json

import mpmath
import pytest

from seprank.cli.numbers import json_real, short_real
from seprank.cli.output import to_json


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0", "0"),
        ("33024", "33024"),
        ("33.836600018312345", "33.8366000183"),
        ("0.630929753571457", "0.630929753571"),
        ("-8", "-8"),
        ("-0.5", "-0.5"),
        ("7248347136", "7248347136"),
        ("1e12", "1000000000000"),
        ("1e20", "1e20"),
        ("2.72903234546123e46", "2.72903234546e46"),
        ("-2.5e100", "-2.5e100"),
        ("1e-7", "1e-7"),
        ("999999999999.9999", "1000000000000"),
    ],
)
def test_short_reals(value, text):
    assert short_real(mpmath.mpf(value)) == text


@pytest.mark.parametrize("digits", [6, 9, 12, 17])
def test_short_reals_are_right_to_the_digits_asked_for(digits):
    with mpmath.workdps(40):
        value = mpmath.pi * 10**15
        assert abs(mpmath.mpf(short_real(value, digits)) / value - 1) < mpmath.mpf(10) ** (1 - digits)


@pytest.mark.parametrize("value", ["0", "1.5", "-3.25", "6.6e290", "1e-300"])
def test_numbers_within_the_range_of_floats_are_floats(value):
    number = json_real(mpmath.mpf(value))
    assert isinstance(number, float)
    assert number == float(value)


@pytest.mark.parametrize("exponent", [300, 308, 309, 477, 47712])
def test_numbers_beyond_are_literals_with_seventeen_digits(exponent):
    with mpmath.workdps(30):
        value = mpmath.mpf("6.62607015012345678901") * mpmath.mpf(10) ** exponent
        text = to_json({"log3": json_real(value)})
        read = mpmath.mpf(json.loads(text, parse_float=str)["log3"])
        assert abs(read / value - 1) < mpmath.mpf(10) ** -15
        negative = mpmath.mpf(json.loads(to_json({"log3": json_real(-value)}), parse_float=str)["log3"])
        assert negative == -read
