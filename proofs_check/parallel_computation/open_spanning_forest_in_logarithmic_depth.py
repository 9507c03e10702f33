"""Corollary B.8: a spanning forest in logarithmic depth.

Source: sanford2024log, Corollary B.8
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="PC.corB.8",
    title="Corollary B.8: a spanning forest in logarithmic depth",
    statement=r"Depth $O(\log N)$ and width $O(N^\epsilon)$ give a spanning forest of every graph.",
    source="sanford2024log, Corollary B.8",
    scope="none: not decided",
    expected=Verdict.OPEN,
    paper="PC",
    note="The appendix is not at hand and no protocol that returns the forest is built here; components are "
    "(PC.cor3.3).",
)
