"""Block k has the rank of the derivatives of order k of f_1, ..., f_d.   Source: docs/theory.md, Bidegree blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from proofs_check.plain.draws import head_counts
from proofs_check.plain.graded import derivative_rank, derivative_ranks, output_forms
from proofs_check.plain.special_weights import structured
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.partition import Partition
from seprank.separation.assignments import draw_assignments

PRIME = 2147483629

STATEMENT = Statement(
    id="NEW.derivative-form",
    title="For long input block k has the rank of all derivatives of order k of the forms f_1, ..., f_d in y = sum_q "
    "x_q f_q(G)",
    statement=r"$\mathrm{rank}(y_k)=\mathrm{rank}\,(Q\mapsto(Qf_1,\dots,Qf_d))$, $Q$ running over the differential "
    r"operators of order $k$ with constant coefficients; equally over those of order $C-k$ applied to all $f_q$: the "
    r"dimension of their span.",
    source="docs/theory.md, Bidegree blocks",
    scope="N_A = N_B = dx; L = 1 and 2 with dx <= 4, all H dividing dx but (L, dx) = (1, 4) with H = 2 only; L = 3 "
    "with (dx, H) = (2, 1), (2, 2), (3, 1); random and structured weights modulo a prime, all blocks",
    expected=Verdict.HOLDS,
    note="The derivative road samples nothing: its ranks are exact for these weights, modulo the prime. Proved for "
    "all sizes by Taylor expansion in G_B.",
)


class Sizes(NamedTuple):
    """A network with weights of a kind, and the points that the sampling road takes."""

    L: int
    dx: int
    H: int
    kind: str
    points: int


def cases(level: str) -> Iterable[Sizes]:
    """Random weights everywhere, structured ones where blocks lose rank."""
    quick = [Sizes(1, dx, H, "random", 12) for dx in (1, 2, 3) for H in head_counts(dx)]
    quick += [Sizes(2, 2, H, kind, 12) for H in (1, 2) for kind in ("random", "identity", "tied", "rank one")]
    quick += [Sizes(2, 3, 3, "random", 30), Sizes(2, 3, 1, "identity", 30), Sizes(3, 2, 2, "random", 50)]
    more = [Sizes(2, 3, 1, kind, 30) for kind in ("random", "sparse", "rank one", "small")]
    more += [Sizes(2, 4, H, "random", 62) for H in (1, 2, 4)] + [
        Sizes(3, 2, 1, kind, 50) for kind in ("random", "rank one")
    ]
    more += [Sizes(1, 4, 2, "random", 12), Sizes(3, 3, 1, "random", 800)]
    return quick + (more if level == "full" else [])


def sampled(case: Sizes) -> tuple[int, ...]:
    """The library's block ranks at random points."""
    from seprank.separation.blocks import block_ranks
    from seprank.separation.network import network_function

    weights = structured(case.kind, case.L, case.dx, case.H, PRIME)
    points = draw_assignments(Partition(case.dx, case.dx), case.dx, PRIME, 0, case.points)
    sizes = [case.points] * ((3**case.L + 1) // 2)
    return tuple(block.rank for block in block_ranks(network_function(weights, PRIME), *points, sizes, PRIME) if block)


def derivatives(case: Sizes, factorials: bool = True) -> tuple[int, ...]:
    """Derivatives of the forms, from their coefficients."""
    arrays = structured(case.kind, case.L, case.dx, case.H, PRIME)
    return derivative_ranks(arrays, (3**case.L - 1) // 2, PRIME, factorials)


def roads() -> Mapping[str, Road]:
    """The ranks of all blocks, twice."""
    return {"random points": sampled, "derivatives of coefficients": derivatives}


def order(case: Sizes, k: int, first_only: bool = False) -> int:
    """The rank of the derivatives of order k, of all forms or of the first."""
    forms = output_forms(structured(case.kind, case.L, case.dx, case.H, PRIME), PRIME)
    if first_only:
        forms = forms[:1] + [form * 0 for form in forms[1:]]
    return derivative_rank(forms, k, (3**case.L - 1) // 2)


def holds(case: Sizes, result: tuple[int, ...]) -> bool:
    """The ends: block 0 is f itself, block C the span of the d constants of order C."""
    return result[0] == min(1, max(result)) and result[-1] <= case.dx


def mutants() -> Mapping[str, Claim]:
    """Other matrices; compared for small sizes."""

    def small(case: Sizes) -> bool:
        return case.L < 3 and case.dx < 3

    return {
        "coefficients in place of derivatives": lambda case, result: (
            not small(case) or result == derivatives(case, factorials=False)
        ),
        "derivatives of order k + 1": lambda case, result: (
            not small(case) or all(result[k] == order(case, k + 1) for k in range(len(result) - 1))
        ),
        "of f_1 alone": lambda case, result: (
            not small(case) or all(result[k] == order(case, k, True) for k in range(len(result)))
        ),
    }
