"""Open: training results, Tables 1 and 2 and Figure 6.

Source: noci2023shaped, Tables 1 and 2, Figure 6
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="ST.training",
    title="Open: training results, Tables 1 and 2 and Figure 6",
    statement="The shaped Transformer without layer norm trains as fast as Pre-LN on English Wikipedia and BookCorpus, "
    "does better on three GLUE tasks, and does not suffer entropy collapse at large learning rates.",
    source="noci2023shaped, Tables 1 and 2, Figure 6",
    scope="none: not decided",
    expected=Verdict.OPEN,
    paper="ST",
    note="It needs training at width 768 for 100000 steps with four seeds; several settings (the learning rate of "
    "Figure 6, the names of the GLUE tasks) are lost from our text.",
)
