"""Corollary 3.5: connectivity takes logarithmic depth, under Conjecture 2.4.

Source: sanford2024log, Corollary 3.5
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="PC.cor3.5",
    title="Corollary 3.5: connectivity takes logarithmic depth, under Conjecture 2.4",
    statement=r"$mH=O(N^{1-\epsilon})$ and deciding connectivity imply $L=\Omega(\log N)$ (form rebuilt: the text at "
    r"hand has no displays).",
    source="sanford2024log, Corollary 3.5",
    scope="none: not decided",
    expected=Verdict.OPEN,
    paper="PC",
    note="It follows from Theorem 3.4 and the conjecture; the reduction is checked in PC.thm3.4, the "
    "conjecture cannot be (PC.conj2.4).",
)
