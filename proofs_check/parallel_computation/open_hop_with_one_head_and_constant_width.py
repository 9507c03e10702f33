"""Open: floor(log2 k) + 2 layers with one head and constant width for growing alphabets.

Source: docs/parallel.md, open points
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="NEW.open.hop-one-head-constant-width",
    title="Open: floor(log2 k) + 2 layers with one head and constant width for growing alphabets",
    statement=r"Is there one construction of $\mathrm{hop}_k$ with $H=1$, $m=O(1)$, depth $\lfloor\log_2k\rfloor+2$ "
    r"for every alphabet $\sigma\le N$?",
    source="docs/parallel.md, open points",
    scope="none: not decided",
    expected=Verdict.OPEN,
    paper="PC",
    note="C2 gives up constant width, C3 one head in the first two layers, C1 the floor.",
)
