"""Logits of layers with every query and key weight drawn, for the lemmas on their moments."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from proofs_check.plain.shaped_networks import source, tokens
from proofs_check.shaped_transformer._cases import STARTS

CHUNK = 5000


class Case(NamedTuple):
    """Tokens, width, query and key columns, draws."""

    m: int
    n: int
    nk: int
    draws: int


def logit_cases(level: str) -> Iterable[Case]:
    """Small widths: the lemmas are exact at every width."""
    draws = 400_000 if level == "full" else 60_000
    yield Case(3, 6, 2, draws)
    if level == "full":
        yield Case(4, 8, 5, 200_000)


def logits_drawn(case: Case) -> np.ndarray:
    """Y = X W_Q W_K^T X^T / n from weight matrices (draws, m, m)."""
    X, draw, found = tokens(STARTS[case.m], case.n), source(21, case.m), []
    for _ in range(0, case.draws, CHUNK):
        Q, K = (X @ draw.standard_normal((CHUNK, case.n, case.nk)) for _ in range(2))
        found.append(Q @ np.swapaxes(K, 1, 2) / case.n)
    return np.concatenate(found)
