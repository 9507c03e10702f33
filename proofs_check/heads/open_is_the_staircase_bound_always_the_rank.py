"""Open: is the staircase bound the rank for 2 <= H < dx at L = 2, and for L >= 3?

Source: docs/theory.md, Staircase bound
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="NEW.open.staircase-lower",
    title="Open: is the staircase bound the rank for 2 <= H < dx at L = 2, and for L >= 3?",
    statement=r"A lower bound that matches the staircase bound for $H\ge2$, $Hd_a\ge d$ and long input; so far for "
    "$L=2$, $H=d$ only.",
    source="docs/theory.md, Staircase bound",
    scope="none: not decided",
    expected=Verdict.OPEN,
    note="Proved for L = 2, H = dx (NEW.theorem-C); met in every case computed (NEW.staircase-reached, "
    "NEW.staircase-conjecture). A loss as for one head, through isotropic directions, is conceivable at large "
    "widths; at (3,4) several wide heads do not have it (NEW.wide-heads).",
)
