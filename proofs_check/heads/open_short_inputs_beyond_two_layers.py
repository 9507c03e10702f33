"""Open: ranks on short inputs beyond two layers, and the loss through a single token

Source: derived for this project (observed, no proof)
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="NEW.open.short-inputs",
    title="Open: ranks on short inputs beyond two layers, and the loss through a single token",
    statement=r"Formulas at $L\ge3$ for inputs with a single token on one side, and for $1<N<d$ tokens a side with "
    "several heads; proofs of the closed forms observed at $L=2$.",
    source="docs/theory.md, Short inputs",
    scope="none: not decided",
    expected=Verdict.OPEN,
    note="Observed at L = 2: NEW.single-token-side, NEW.one-token-heads, NEW.short-inputs, NEW.h1-short. At L = 3 the "
    "smaller of the two proved bounds is not always the rank: 2274 against 2350 at dx = H = 3, N = 2.",
)
