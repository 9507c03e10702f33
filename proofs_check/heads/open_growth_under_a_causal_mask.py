"""Open: how the rank grows with the number of alternations under a causal mask, for L >= 3

Source: derived for this project from levine2020depth, eq. 3, under a causal mask
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="NEW.open.causal",
    title="Open: how the rank grows with the number of alternations under a causal mask, for L >= 3",
    statement="With a causal mask the rank depends on how often the text changes sides. Find its growth law in the "
    r"number of alternations for $L\ge3$, and prove the one observed at $L=2$.",
    source="docs/theory.md, Causal mask",
    scope="none: not decided",
    expected=Verdict.OPEN,
    note="At L = 2, dx = 2, H = 1 it grows by 24 with every alternation in the cases computed.",
)
