"""Open: do skip connections ever raise the rank when H da >= dx?

Source: docs/theory.md, General head size
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="NEW.open.residual",
    title="Open: do skip connections ever raise the rank when H da >= dx?",
    statement=r"For $Hd_a\ge d$ and generic weights, is the rank with skip connections equal to the rank without?",
    source="docs/theory.md, General head size",
    scope="none: not decided",
    expected=Verdict.OPEN,
    note="Proved: not smaller, and at most the same Gram and staircase bounds; so equal wherever those are met. Equal "
    "in every case computed with H da = dx. For H da < dx it can be larger: (L, dx, H, da) = (3,2,1,1) with two "
    "tokens a side gives 50 without and 101 with.",
)
