"""Correlation grows much more slowly with PRE-LN than with POST-LN.   Source: noci2022signal, Fig. 4, appendix B.1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from proofs_check.estimate import Estimate
from proofs_check.plain.signal_deep_draws import Deep
from proofs_check.plain.signal_draws import mean_and_error
from proofs_check.verdict import Claim, Road, Statement, Verdict

STATEMENT = Statement(
    id="SP.fig4",
    title="Fig. 4: with unscaled branches the correlation of tokens grows much more slowly under PRE-LN than under "
    "POST-LN",
    statement=r"Mean cosine of the output of $L$ blocks, $\alpha=1$, ReLU: POST-LN above PRE-LN by at least 0.15 at "
    r"$L=12$, and by at least "
    r"0.07 at $L=48$.",
    source="noci2022signal, Fig. 4 and appendix B.1",
    scope="true softmax, n = 16, d = 64, sigma = 1, L = 12 (full: 48, too), 6 seeds",
    expected=Verdict.HOLDS,
    paper="SP",
    note="The figure's sizes are lost. Measured: 0.71 against 0.999 at L = 12. The recursion of the library, for "
    "uniform attention and "
    "infinite width, gives 0.728 and 0.9990. With sigma = 1/sqrt(d) the gap is smaller, since PRE-LN's first branch "
    "outweighs the input.",
)


class Cosines(NamedTuple):
    """Mean pair cosine of the output under POST-LN and PRE-LN."""

    post: Estimate
    pre: Estimate

    def __str__(self) -> str:
        return f"POST-LN {self.post}, PRE-LN {self.pre}"


def cases(level: str) -> Iterable[int]:
    """Depths."""
    return (12, 48) if level == "full" else (12,)


@cache
def by_autograd(case: int) -> Cosines:
    """Networks in torch."""
    from proofs_check.plain.signal_deep import measure

    return Cosines(
        *(Estimate(*mean_and_error(measure(Deep(case, norm, 1.0), 6, 102).output)) for norm in ("post", "pre"))
    )


@cache
def by_hand(case: int) -> Cosines:
    """Networks in numpy."""
    from proofs_check.plain.signal_backprop import measure

    return Cosines(
        *(Estimate(*mean_and_error(measure(Deep(case, norm, 1.0), 6, 102).output)) for norm in ("post", "pre"))
    )


def by_recursion(case: int) -> Cosines:
    """The library's recursion for uniform attention and infinite width."""
    from seprank.signal.stream import Stream

    found = (Stream(16, case, 1.0, 1.0, norm, "relu").states(0.0, 1.0)[-1].rho for norm in ("post", "pre"))
    return Cosines(*map(Estimate, found))


def roads() -> Mapping[str, Road]:
    """Mean cosine at the end, twice, and the prediction for it."""
    return {"networks in torch": by_autograd, "networks in numpy": by_hand, "library, recursion": by_recursion}


def agree(case: int, first: Cosines, other: Cosines) -> bool:
    """Equal, or within 0.08 and 5 standard errors of the prediction."""
    allowed = 1e-9 if other.post.error else 0.08
    return all(
        abs(a.value - b.value) <= allowed + (5 * a.error if allowed > 1e-3 else 0)
        for a, b in zip(first, other, strict=True)
    )


def _gap(low: float, high: float) -> Claim:
    return lambda case, result: low <= result.post.value - result.pre.value <= high


def holds(case: int, result: Cosines) -> bool:
    """POST-LN above PRE-LN by the stated gap."""
    return _gap(0.15 if case == 12 else 0.07, 1.0)(case, result)


def mutants() -> Mapping[str, Claim]:
    """The places of layer norm swapped, or without effect."""
    return {"layer norm in the other place": _gap(-1.0, 0.0), "no difference": _gap(-0.05, 0.05)}
