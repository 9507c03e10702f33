"""The depth-width fit log d = a + b L and the constants of levine2020depth, section 5, as decimal strings.

Eq. 10 and 11 were not at hand: the fit a = 5.039 +- 0.030, b = (5.55 +- 0.13) 10^-2 is recalled. The numbers quoted in
the text need one more digit of b, which rounds to that.
"""

from __future__ import annotations

from decimal import Decimal

A, B, B_ROUNDED = "5.039", "0.05551", "0.0555"
ERROR_A, ERROR_B = "0.030", "0.0013"
COVARIANCE = "-0.000037"

# GPT-3 models: parameters, layers (Brown et al. 2020, Table 2.1).
GPT3 = {
    "Small": (125_000_000, 12),
    "Medium": (350_000_000, 24),
    "Large": (760_000_000, 24),
    "XL": (1_300_000_000, 24),
    "2.7B": (2_700_000_000, 32),
    "6.7B": (6_700_000_000, 32),
    "13B": (13_000_000_000, 40),
    "175B": (175_000_000_000, 96),
}
TRILLION = 1_000_000_000_000


def digits(value: object, count: int) -> str:
    """A number rounded to `count` significant digits, as in 1.17E+12; `value` prints as a decimal."""
    return f"{Decimal(str(value)):.{count - 1}E}"
