"""Open: which of gamma_1 and gamma_2 weighs which part of shaped attention.

Source: noci2023shaped, appendix D
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="ST.gamma1-gamma2",
    title="Open: which of gamma_1 and gamma_2 weighs which part of shaped attention",
    statement=r"$A=\gamma_1I+\mathrm{softmax}(Y/\tau)-\gamma_2m^{-1}\mathbf 1\mathbf 1^\top$, both 1 at first; Recover "
    r"decreases both to 0, Learn trains them.",
    source="noci2023shaped, appendix D",
    scope="none: not decided",
    expected=Verdict.OPEN,
    paper="ST",
    note="The formula is lost from our text; this is the natural reading. At initialisation and in Recover the "
    "two readings coincide.",
)
