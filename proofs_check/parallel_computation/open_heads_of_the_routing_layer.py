"""Open: the number of heads that the paper's routing layer has.

Source: docs/parallel.md, open points
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="NEW.open.routing-heads",
    title="Open: the number of heads that the paper's routing layer has",
    statement=r"Lemma 3.2 and Theorem 3.1 have $O(\log\log q)$ heads in the paper as we remember it. Is that so, and "
    r"why more than one?",
    source="docs/parallel.md, open points",
    scope="none: not decided",
    expected=Verdict.OPEN,
    paper="PC",
    note="The layer here has one head and a sink token (PC.lem3.2); the text at hand does not say.",
)
