"""Open: where is the staircase bound the rank, for 2 <= H < dx at L = 2 and for L >= 3?

Source: docs/theory.md, Staircase bound
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="NEW.open.staircase-lower",
    title="Open: where is the staircase bound the rank, for 2 <= H < dx at L = 2 and for L >= 3?",
    statement=r"A lower bound that matches the staircase bound for $H\ge2$, $Hd_a\ge d$ and long input, where there is "
    "one; so far for $L=2$, $H=d$ only. And the exact rank where it is missed, at $(L,d,H)=(3,5,5)$ in particular.",
    source="docs/theory.md, Staircase bound",
    scope="none: not decided",
    expected=Verdict.OPEN,
    note="Proved for L = 2, H = dx (NEW.theorem-C); met at small sizes (NEW.staircase-reached, NEW.unseen-frontier, "
    "NEW.staircase-conjecture). Missed at (3,5,5): between 76937 and 77207, the bound being 77302 "
    "(NEW.staircase-missed). At (3,4) several wide heads reach what one head misses (NEW.wide-heads).",
)
