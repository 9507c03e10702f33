"""Open: errors of the 8-head and depth-6 models without dropout.

Source: docs/parallel.md, open points
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="NEW.open.hop-dropout",
    title="Open: errors of the 8-head and depth-6 models without dropout",
    statement="What are the errors of the published models with 8 heads, or of depth 6, with dropout switched off?",
    source="docs/parallel.md, open points",
    scope="none: not decided",
    expected=Verdict.OPEN,
    paper="PC",
    note="Their weights were not at hand; NEW.hop-dropout covers depths 2 to 5 with 4 heads.",
)
