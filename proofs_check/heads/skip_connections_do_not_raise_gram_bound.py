"""Skip connections never lower the rank nor raise the Gram bound.   Source: docs/theory.md, Gram bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from proofs_check.depth_to_width._ranks import KINDS, SPARE, attention_rank, library_rank, weights_of_kind
from proofs_check.plain.schur import gram_bound
from proofs_check.verdict import Claim, Road, Statement, Verdict
from seprank.attention.architecture import Architecture
from seprank.attention.weights import Weights

Ranks = tuple[int, int]

STATEMENT = Statement(
    id="NEW.residual",
    title="For the same weights: plain rank, at most the rank with skip connections, at most the Gram bound",
    statement=r"$\mathrm{sep}(\text{plain})\le\mathrm{sep}(\text{residual})\le\sum_{k\le C}\min(D_B(k),D_A(C-k))$ for "
    "all weights, $H$, $N_A$, $N_B$. No factor such as the printed $C+1$ or $L$ is needed.",
    source="docs/theory.md, Gram bound",
    scope="fifteen sizes (L, dx, H, da) with L = 1, 2, dx <= 4 and L = 3, dx = 2, heads thinner and wider than dx / "
    "H among them; sides (1, 1), (1, 2), (2, 1), (dx, dx); random, tied, sparse, shift-schedule, product and zero "
    "weights, modulo 2147483629",
    expected=Verdict.HOLDS,
    note="Proved for all sizes in docs/theory.md: the part of top degree is the plain network. A case's result is "
    "the pair of ranks.",
)


class Sizes(NamedTuple):
    """Sizes and the kind of weights."""

    L: int
    dx: int
    H: int
    da: int
    NA: int
    NB: int
    weights: str = "random"


def cases(level: str) -> Iterable[Sizes]:
    """All kinds of weights; both roads measure both ranks."""
    sizes = [(1, 2, 2, 1), (2, 2, 1, 2), (2, 2, 2, 1), (2, 2, 1, 1), (2, 3, 3, 1), (2, 2, 2, 2)]
    if level == "full":
        sizes += [(1, 3, 1, 3), (1, 4, 2, 2), (2, 3, 1, 3), (2, 3, 1, 1), (2, 4, 2, 2), (2, 4, 4, 1)]
        sizes += [(3, 2, 1, 2), (3, 2, 2, 1), (3, 2, 1, 1)]
    for L, dx, H, da in sizes:
        kinds = KINDS if (H, da) == (dx, 1) else [kind for kind in KINDS if kind not in ("shift", "product")]
        for NA, NB in ((1, 1), (1, 2), (2, 1), (dx, dx)):
            yield from (Sizes(L, dx, H, da, NA, NB, kind) for kind in kinds)


def _weights(case: Sizes, residual: bool) -> Weights:
    return weights_of_kind(case.weights, Architecture(case.L, case.dx, case.H, case.da, residual))


def _bound(case: Sizes) -> int:
    return gram_bound(case.L, case.dx, case.NA, case.NB)


def library(case: Sizes) -> Ranks:
    """Gram form and the library's elimination."""
    size = _bound(case) + SPARE
    plain, residual = (library_rank(_weights(case, skip), case.NA, case.NB, size) for skip in (False, True))
    return plain, residual


def attention(case: Sizes) -> Ranks:
    """Eq. 3 on explicit tokens and python-flint's rank."""
    size = _bound(case) + SPARE
    plain, residual = (attention_rank(_weights(case, skip), case.NA, case.NB, size) for skip in (False, True))
    return plain, residual


def roads() -> Mapping[str, Road]:
    """The pair (plain rank, residual rank), twice."""
    return {"Gram form, own elimination": library, "eq. 3 on explicit tokens, flint": attention}


def holds(case: Sizes, result: Ranks) -> bool:
    """Plain at most residual at most Gram."""
    return result[0] <= result[1] <= _bound(case)


def mutants() -> Mapping[str, Claim]:
    """What skip connections do not do."""
    return {
        "skip connections multiply the rank by C + 1": lambda case, result: (
            result[1] >= result[0] * (3**case.L + 1) // 2
        ),
        "they raise the rank always": lambda case, result: result[1] > result[0],
        "they never raise it, whatever the weights": lambda case, result: result[1] <= result[0],
    }
