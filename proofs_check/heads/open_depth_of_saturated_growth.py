"""Open: does depth O(log dx) suffice for the growth d^2 L when the number of heads grows with dx?

Source: docs/theory.md, Saturated growth
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="NEW.open.saturation-depth",
    title="Open: does depth O(log dx) suffice for the growth d^2 L when the number of heads grows with dx?",
    statement=r"$\log_3\mathrm{sep}\ge c\,d^2L$ is proved for $L\ge2H+5\log_2d$. Does it hold for $L\ge c'\log d$ "
    "whatever $H$?",
    source="docs/theory.md, Saturated growth",
    scope="none: not decided",
    expected=Verdict.OPEN,
    note="For a bounded number of heads it does. The factor H comes from the method: a scalar read at layer l has a "
    "Hessian of rank at most 2 (l - 1) d^2 / H.",
)
