"""Open: eq. 19 for H < dx <= 7, three or more tokens a side, beyond the depth where the Gram bound crosses it

Source: docs/theory.md, Where eq. 19 holds
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="NEW.open.eq19-few-heads",
    title="Open: eq. 19 for H < dx <= 7, three or more tokens a side, beyond the depth where the Gram bound crosses it",
    statement=r"Is $\mathrm{sep}\le d\,S_d(2C)(\frac{2C}d+1)^d$ for $H<d\le7$, $n\ge3$ and large $L$?",
    source="docs/theory.md, Where eq. 19 holds",
    scope="none: not decided",
    expected=Verdict.OPEN,
    note="True while the Gram bound lies below it, and for n <= 2 or dx <= 2; false for H = dx >= 3 at large L and "
    "for the fewer heads listed in docs/theory.md. Also open for (8,4), (10,5), (12,6).",
)
