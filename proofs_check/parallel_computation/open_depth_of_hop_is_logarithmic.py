"""Corollary 4.3: hop_k takes depth Omega(log k), under Conjecture 2.4.

Source: sanford2024log, Corollary 4.3
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="PC.cor4.3",
    title="Corollary 4.3: hop_k takes depth Omega(log k), under Conjecture 2.4",
    statement=r"$k=\Theta(N^\xi)$, $\xi\in(0,\frac12]$, $mH=O(k^{1-\epsilon})$ imply $L=\Omega(\log k)$ (form "
    r"remembered, not confirmed by the text at hand).",
    source="sanford2024log, Corollary 4.3",
    scope="none: not decided",
    expected=Verdict.OPEN,
    paper="PC",
    note="Only its reduction is checked: PC.cor4.3.reduction.",
)
