"""The feed-forward branch enters as g alpha2^2.   Source: noci2022signal, appendix (initialisation)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from math import prod
from typing import NamedTuple

import numpy as np

from proofs_check.estimate import Estimate
from proofs_check.plain.signal_draws import Layer, mean_and_error, tokens
from proofs_check.plain.signal_uniform_networks import Network, outputs
from proofs_check.signal_propagation._results import is_number
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.sp.gain",
    title="Lemmas 3.2 and 3.3 need a feed-forward gain of 1; otherwise g alpha2^2 takes the place of alpha2^2",
    statement=r"With $g=d\,d_F\mathrm{Var}(W_{F1})\mathrm{Var}(W_{F2})$ the lemmas hold with $g\alpha_2^2$ in place "
    r"of $\alpha_2^2$; "
    r"$g=1$ for fan-out and fan-in, $0.64$ for Glorot and $4$ for the literal $1/d$ at $d_F=4d$; half of that with "
    r"ReLU.",
    source="noci2022signal, appendix (initialisation), Lemma 3.3",
    scope="n = 4, d = 16, d_F = 64, L = 4, four rules, linear branches, and L = 1 with ReLU, within 5 standard errors",
    expected=Verdict.HOLDS,
    paper="SP",
    note="The stated variance 1/d_v for the feed-forward weights agrees with the lemmas only where d_F = d; read "
    "literally at "
    "d_F = 4d it gives a norm 16 times that of Lemma 3.3 after four blocks.",
)

RULES = {"fan-out": (1 / 64, 1 / 16), "fan-in": (1 / 16, 1 / 64), "glorot": (1 / 40, 1 / 40), "1/d": (1 / 16, 1 / 16)}


class Case(NamedTuple):
    """Rule, activation, networks drawn."""

    rule: str
    relu: bool
    draws: int


def cases(level: str) -> Iterable[Case]:
    """Every rule; ReLU for one block, where it is exact at every width."""
    draws = 6000 if level == "full" else 1200
    yield from (Case(rule, False, draws) for rule in RULES)
    yield Case("glorot", True, draws)


@cache
def _tokens() -> np.ndarray:
    return tokens(Layer(4, 16, 1, 1, 0.2), 1, 75)[0]


def _depth(case: Case) -> int:
    return 1 if case.relu else 4


def by_networks(case: Case) -> Estimate:
    """Networks drawn literally, alpha = 1."""
    network = Network(_depth(case), 1.0, 1.0, 16, 64, *RULES[case.rule], case.relu)
    return Estimate(*mean_and_error((outputs(network, _tokens(), case.draws, 75) ** 2).sum(axis=(1, 2))))


def by_formula(case: Case) -> Estimate:
    """The library's gain and closed form of the Gram matrix."""
    from seprank.signal.feed_forward import gain, variances
    from seprank.signal.gram import gram_closed_form

    first, second = variances(16, 64, case.rule)
    g = gain(16, 64, first, second, "relu" if case.relu else "linear")
    return Estimate(float(np.trace(gram_closed_form(_tokens() @ _tokens().T, _depth(case), 1.0, 1.0, g))))


def roads() -> Mapping[str, Road]:
    """The expected squared norm, twice."""
    return {"networks drawn": by_networks, "library": by_formula}


def agree(case: Case, first: Estimate, other: Estimate) -> bool:
    """Within 5 standard errors."""
    return first.agrees(other)


def _norm(case: Case, g: float | None = None) -> float:
    X, L = _tokens(), _depth(case)
    g = 16 * 64 * prod(RULES[case.rule]) / (2 if case.relu else 1) if g is None else g
    mean = 4 * float((X.mean(axis=0) ** 2).sum())
    return (1 + g) ** L * (2**L * mean + float((X**2).sum()) - mean)


holds = is_number(_norm)


def mutants() -> Mapping[str, Claim]:
    """The gain left out, and its root."""
    return {
        "g = 1 whatever the variances": is_number(lambda case: _norm(case, 1.0)),
        "the square root of g": is_number(lambda case: _norm(case, (16 * 64 * prod(RULES[case.rule])) ** 0.5)),
    }
