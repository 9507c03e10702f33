"""Open: hook and shortcut in O(log n) iterations.

Source: docs/parallel.md, open points
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="NEW.open.hook-and-shortcut",
    title="Open: hook and shortcut in O(log n) iterations",
    statement=r"Does hook and shortcut with simultaneous hooks, as it is run here, end in $O(\log n)$ iterations on "
    r"every graph?",
    source="docs/parallel.md, open points",
    scope="none: not decided",
    expected=Verdict.OPEN,
    paper="PC",
    note="Observed on six families of graphs up to n = 4096; random mate has the standard argument (PC.cor3.3).",
)
