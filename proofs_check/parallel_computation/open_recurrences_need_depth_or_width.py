"""Corollary 5.2: recurrences need depth k or width Omega(N / k^6).

Source: sanford2024log, Corollary 5.2
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="PC.cor5.2",
    title="Corollary 5.2: recurrences need depth k or width Omega(N / k^6)",
    statement=r"An RNN of depth $L$ and width $m$ that solves $\mathrm{hop}_k$ has $L\ge k$ or $m=\Omega(N/k^6)$ "
    r"(exponent rebuilt from a stated consequence).",
    source="sanford2024log, Corollary 5.2",
    scope="none: not decided",
    expected=Verdict.OPEN,
    paper="PC",
    note="An asymptotic bound by communication complexity, with constants that the text at hand does not give. "
    "Its exponent is PC.cor5.2.exponent; an elementary bound that looks stronger is NEW.rnn-bits: the "
    "paper's model may differ, for instance in what a state may contain.",
)
