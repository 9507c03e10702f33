"""The inverse temperature that makes query and value gradients equally large, and its warm-up."""

from __future__ import annotations

from math import sqrt

from seprank.signal.gaussian import query_norm_printed, value_norm
from seprank.signal.sizes import LayerSizes
from seprank.signal.tokens import GaussianTokens, scale
from seprank.validate import whole_number


def equalising_temperature(tokens: GaussianTokens, sizes: LayerSizes) -> float | None:
    """tau_eq with tau_eq^2 times eq. 18 equal to eq. 17, both as printed; None where no temperature does it (rho = 1).

    The norms of the gradients scale with tau, eq. 17 and 18 are squared norms. The `tau` of `sizes` plays no role. At
    tau_eq the leading correction to uniform attention is as large as eq. 17 itself (for dk = dv), so the formulas are
    outside their range there; measured ratios of the gradients were within 20 % of 1 all the same.

    Source: noci2022signal, appendix C.2, with eq. 17 and 18.

    >>> round(equalising_temperature(GaussianTokens(n=24, d=512, rho=0.3), LayerSizes(d=512)), 2)
    4.01
    """
    query = query_norm_printed(tokens, sizes) / sizes.tau**2
    return sqrt(value_norm(tokens, sizes) / query) if query else None


def warm_up(step: int, final: float, steps: int = 1000) -> float:
    """The inverse temperature at `step`: it rises linearly from 1 to `final` over `steps`, and stays.

    The published display is lost; this is the natural reading. Source: noci2022signal, appendix C.2.

    >>> [warm_up(step, final=8.5) for step in (0, 500, 1000, 2000)]
    [1.0, 4.75, 8.5, 8.5]
    """
    final, steps = scale("final", final), whole_number("steps", steps)
    return 1.0 + (final - 1.0) * min(1.0, whole_number("step", step, least=0) / steps)
