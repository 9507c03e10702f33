"""The minimum over t in the staircase bound is the least cover of its pattern, hence the pattern's generic rank.

Source: docs/theory.md, Staircase bound
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proofs_check.heads._networks import Net, divisors
from proofs_check.plain import staircase
from proofs_check.verdict import Claim, Result, Road, Statement, Verdict

PRIME = 4194301
MOST_LINES = 700  # rows or columns of a pattern that is filled with random numbers

STATEMENT = Statement(
    id="NEW.staircase-cover",
    title="The staircase bound is the generic rank of its pattern, and never above the Gram bound",
    statement=r"The minimum over $t=0,\dots,Z+1$ equals the largest matching of rows $j$ and columns $i$ with "
    r"$i+j\le Z$ (König), which is the rank of a generic matrix with that pattern; so the pattern alone "
    r"gives no better bound. It is at most $\min(S_s(k),dS_s(C-k))$.",
    source="docs/theory.md, Staircase bound",
    scope="L = 2, dx <= 12; L = 3, dx <= 6; L = 4, dx <= 4; every H dividing dx, and seven head sizes with "
    "H da != dx; "
    "random fillings modulo 4194301 for patterns of up to 700 rows and columns",
    expected=Verdict.HOLDS,
    note="The rank of the network's own block may be smaller than that of a generic matrix with its pattern: see "
    "NEW.staircase-conjecture.",
)


def cases(level: str) -> Iterable[Net]:
    """Every H dividing dx, and some head sizes of their own."""
    limits = {2: 12, 3: 6, 4: 4} if level == "full" else {2: 6, 3: 4, 4: 2}
    nets = [Net(L, d, H, d // H) for L, most in limits.items() for d in range(2, most + 1) for H in divisors(d)]
    return [
        *nets,
        Net(2, 3, 4, 1),
        Net(2, 3, 1, 1),
        Net(2, 4, 3, 1),
        Net(3, 3, 2, 1),
        Net(2, 4, 1, 3),
        Net(2, 5, 1, 4),
        Net(3, 4, 1, 2),
    ]


def library_minimum(net: Net) -> Result:
    """The library's minimum over t."""
    from seprank.closed_forms.staircase import staircase_blocks

    return tuple(staircase_blocks(net.architecture))


def _patterns(net: Net) -> list[staircase.Pattern]:
    sizes = staircase.forms(net.dx, net.H, net.da)
    return [staircase.pattern(net.L, sizes, k) for k in range((3**net.L - 1) // 2 + 1)]


def matching(net: Net) -> Result:
    """Largest matchings, greedily."""
    return tuple(map(staircase.largest_matching, _patterns(net)))


def random_filling(net: Net) -> Result:
    """Ranks of random fillings, where all patterns are small."""
    patterns = _patterns(net)
    if max(max(sum(rows), sum(columns)) for rows, columns, _ in patterns) > MOST_LINES:
        return None
    return tuple(staircase.random_filling_rank(found, PRIME) for found in patterns)


def roads() -> Mapping[str, Road]:
    """Least cover, largest matching, generic rank."""
    return {
        "minimum over t": library_minimum,
        "largest matching": matching,
        "rank of a random filling": random_filling,
    }


def holds(net: Net, result: Result) -> bool:
    """At most the Gram bound of every block; and our own minimum over t."""
    return all(a <= b for a, b in zip(result, _gram(net), strict=True)) and _minimum(net) == result


def _minimum(net: Net, fewer: int = 0) -> Result:
    Z = (3 ** (net.L - 1) - 1) // 2
    return tuple(staircase.least_cover(found, Z + 1 - fewer) for found in _patterns(net))


def mutants() -> Mapping[str, Claim]:
    """A cover less, and a wrong comparison."""
    return {
        "t up to Z only, in place of Z + 1": lambda net, result: _minimum(net, fewer=1) == result,
        "below the Gram bound whatever the heads": lambda net, result: sum(result) < sum(_gram(net)),
    }


def _gram(net: Net) -> list[int]:
    s, C = net.dx * (net.dx + 1) // 2, (3**net.L - 1) // 2
    count = staircase.monomial_count
    return [min(count(s, k), net.dx * count(s, C - k)) for k in range(C + 1)]
