"""Open: the exact loss of one head at L = 3, dx >= 6

Source: docs/theory.md, Isotropic directions
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="NEW.open.isotropic-loss",
    title="Open: the exact loss of one head at L = 3, dx >= 6",
    statement=r"Is the loss of one head at $L=3$, $d\ge6$ exactly the powers at isotropic points?",
    source="docs/theory.md, Isotropic directions",
    scope="none: not decided",
    expected=Verdict.OPEN,
    note="Proved: at most 1578299 at (3,6). The loss is exactly 4 at (3,4) (NEW.gram-missed-at-3-4) and exactly 56 at "
    "(3,5) (NEW.isotropic-loss-3-5).",
)
