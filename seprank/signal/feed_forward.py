"""What a feed-forward branch does to the norm of a token: the gain g, from the variances of its weights."""

from __future__ import annotations

from seprank.errors import InvalidInput
from seprank.validate import one_of, real_number, whole_number

ACTIVATIONS = ("linear", "relu")
RULES = ("fan-out", "fan-in", "glorot", "1/d")


def gain(d: int, dF: int, first: float, second: float, activation: str = "linear") -> float:
    """g = E ||act(Z W1) W2||^2 / ||Z||^2 for W1 of shape (d, dF) with entries of variance `first`, W2 of shape (dF, d)
    of variance `second`: ``d dF first second`` for a linear branch, half of it for ReLU.

    Exact (for ReLU with Gaussian W1). The lemmas on the forward pass take g = 1; otherwise alpha2^2 stands for
    g alpha2^2 in them. Raises `InvalidInput`. Source: noci2022signal, appendix (initialisation), made precise.

    >>> gain(64, 256, 1 / 256, 1 / 64), gain(64, 256, 1 / 64, 1 / 64), gain(64, 64, 2 / 64, 1 / 64, "relu")
    (1.0, 4.0, 1.0)
    """
    one_of("activation", activation, ACTIVATIONS)
    d, dF = whole_number("d", d), whole_number("dF", dF)
    variances = real_number("first", first, least=0.0) * real_number("second", second, least=0.0)
    return d * dF * variances * (0.5 if activation == "relu" else 1.0)


def variances(d: int, dF: int, rule: str, activation: str = "linear") -> tuple[float, float]:
    """The variances of W1 and W2 under a named rule; with ReLU, W1 has twice as much (He).

    `rule` is "fan-out" (1/dF and 1/d), "fan-in" (1/d and 1/dF), "glorot" (2/(d + dF) each) or "1/d" (1/d each, the
    literal reading of the paper, which has g = dF/d). Raises `InvalidInput`.

    >>> [round(gain(64, 256, *variances(64, 256, rule)), 4) for rule in RULES]
    [1.0, 1.0, 0.64, 4.0]
    """
    if rule not in RULES:
        raise InvalidInput(f"rule must be one of {', '.join(RULES)}, got {rule!r}")
    one_of("activation", activation, ACTIVATIONS)
    d, dF = whole_number("d", d), whole_number("dF", dF)
    pairs = {
        "fan-out": (1 / dF, 1 / d),
        "fan-in": (1 / d, 1 / dF),
        "glorot": (2 / (d + dF), 2 / (d + dF)),
        "1/d": (1 / d, 1 / d),
    }
    first, second = pairs[rule]
    return (2.0 * first if activation == "relu" else first), second
