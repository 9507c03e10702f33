"""Conjecture 2.4: one cycle or two takes a logarithmic number of rounds.

Source: sanford2024log, Conjecture 2.4
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="PC.conj2.4",
    title="Conjecture 2.4: one cycle or two takes a logarithmic number of rounds",
    statement=r"With $s=O(n^\delta)$, $\delta<1$, and polynomially many machines, telling one cycle on $n$ vertices "
    r"from two on $n/2$ takes $\Omega(\log n)$ rounds.",
    source="sanford2024log, Conjecture 2.4",
    scope="none: not decided",
    expected=Verdict.OPEN,
    paper="PC",
    note="An assumption of the field: no finite computation can support an unconditional lower bound of this "
    "kind. The protocol that meets it takes ceil(log2(n + 1)) - 1 rounds (PC.thm3.1).",
)
