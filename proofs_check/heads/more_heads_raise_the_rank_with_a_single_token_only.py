"""At H da = dx and equal sides the rank does not rise with the number of heads; with a single token it can.

Source: docs/theory.md, Exact values
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from proofs_check.heads._networks import Net, derivative_blocks, divisors, sampled_blocks
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

STATEMENT = Statement(
    id="NEW.heads",
    title="With equal sides the rank does not rise with the number of heads (385, 379, 340, 231 at (2, 6)); with a "
    "single token on one side it does",
    statement=r"$H\mid d$, $d_a=d/H$. First observed as: the generic rank never rises with $H$, at any $N$. Mended: "
    r"for $N_A=N_B$ it does not rise, and for $L\ge2$, $H\ge2$, $N_A=N_B\ge2$ it is below the value at "
    "$H=1$ (eq. 18, $(d+H)^C$, suggests the opposite). At $L=1$, and at one token a side in many cases, "
    "all $H$ give the same.",
    source="docs/theory.md, Exact values",
    scope="L = 2, dx <= 5 (dx = 6 at N = 1+2, 2+1, and dx = 6, 8 for long input), L = 3, dx = 2 (and 3 for long "
    "input), L = 1, dx = 2, 4, 6; long input and N = 1+1, 2+2, 1+2, 2+1; random weights modulo 4194301",
    expected=Verdict.CORRECTED,
    note="Counterexamples to the first form: (2,4), N = 1+2: 80, 87, 69 for H = 1, 2, 4; (2,6), N = 1+2: 245, 309, "
    "270, 195 and N = 2+1: 275, 280, 280, 231 for H = 1, 2, 3, 6: one head loses rank there "
    "(NEW.single-token-side). For long input the values are certified, so the inequalities are exact; for short "
    "equal sides they are observed.",
)


VALUES = {
    (2, 4): {1: 110, 2: 107, 4: 85},
    (2, 6): {1: 385, 2: 379, 3: 340, 6: 231},
    (2, 8): {1: 999, 2: 989, 4: 789, 8: 489},
    (3, 2): {1: 232, 2: 215},
    (3, 3): {1: 3102, 3: 2441},
}
PLACES = ((0, 0), (1, 1), (2, 2), (1, 2), (2, 1))


def cases(level: str) -> Iterable[tuple[Net, ...]]:
    """All H dividing dx, in rising order, at one depth, width and number of tokens."""
    full = level == "full"
    sizes = [(2, d, a, b) for d in ((2, 3, 4, 5) if full else (2, 3, 4)) for a, b in PLACES]
    sizes += [(1, d, 0, 0) for d in (2, 4, 6)] + [(3, 2, a, b) for a, b in PLACES]
    sizes += [*([(2, 6, 0, 0), (2, 6, 1, 2), (2, 6, 2, 1), (2, 8, 0, 0), (3, 3, 0, 0)] if full else [])]
    return [tuple(Net(L, d, H, NA=a, NB=b) for H in divisors(d)) for L, d, a, b in dict.fromkeys(sizes)]


def values(nets: tuple[Net, ...]) -> Result:
    """Ranks by sampled values."""
    return tuple(sum(sampled_blocks(net)) for net in nets)


def derivatives(nets: tuple[Net, ...]) -> Result:
    """Ranks by derivatives."""
    return tuple(sum(derivative_blocks(net)) for net in nets)


def roads() -> Mapping[str, Road]:
    """The ranks in order of H, twice."""
    return {"sampled values": values, "derivatives": derivatives}


def _falls(result: Result) -> bool:
    return all(a >= b for a, b in pairwise(result))


def holds(nets: tuple[Net, ...], result: Result) -> bool:
    """Equal sides: not rising, below the value of H = 1 for L >= 2 and two tokens a side or more; recorded values."""
    net = nets[0]
    if net.NA != net.NB:
        return True
    strict = net.L >= 2 and net.NA != 1
    known = VALUES.get((net.L, net.dx), {}) if net.NA == 0 else {}
    return (
        _falls(result)
        and (not strict or all(value < result[0] for value in result[1:]))
        and (not known or result == tuple(known.values()))
    )


def printed(nets: tuple[Net, ...], result: Result) -> bool:
    """The form first observed: at every N_A and N_B."""
    return _falls(result)


def mutants() -> Mapping[str, Claim]:
    """What eq. 18 suggests, and strictness everywhere."""
    return {
        "the rank rises with H, as (dx + H)^C does": lambda nets, result: result[-1] > result[0] or len(nets) == 1,
        "it falls strictly in every case with equal sides": lambda nets, result: (
            nets[0].NA != nets[0].NB or all(value < result[0] for value in result[1:])
        ),
    }
