"""Open: for which (L, dx), L >= 3, one head reaches the Gram bound of long input

Source: docs/theory.md, Exact values
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="NEW.open.h1-reached",
    title="Open: for which (L, dx), L >= 3, one head reaches the Gram bound of long input",
    statement=r"Decide, for $H=1$, $N_A,N_B\ge d$, $L\ge3$, whether the Gram bound is the generic rank: all $L$ at "
    "$d=2$ and $d=3$ in particular.",
    source="docs/theory.md, Exact values",
    scope="none: not decided",
    expected=Verdict.OPEN,
    note="Reached at (3,2), (4,2), (5,2), (6,2), (3,3), (4,3); missed for 4 <= dx <= 12 at L = 3 and wherever the "
    "isotropic rule bites (NEW.isotropic-affected). At dx = 2 the blocks k <= C/2 are full for every L "
    "(NEW.theorem-E); k > C/2 is open.",
)
