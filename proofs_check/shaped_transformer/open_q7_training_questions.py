"""Question 7: effect of the initialisation on training, GLUE, spikes in the loss.

Source: noci2023shaped, public reviews (questions on training dynamics)
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="ST.Q7",
    title="Question 7: effect of the initialisation on training, GLUE, spikes in the loss",
    statement="Does the stable covariance at initialisation show in training: speed, final loss, fewer spikes in the "
    "loss curve, GLUE scores?",
    source="noci2023shaped, public reviews (questions on training dynamics)",
    scope="none: not decided",
    expected=Verdict.OPEN,
    paper="ST",
    note="Answer: not derivable from the SDE, which describes initialisation only, and not measured at this size "
    "here; see ST.training.",
)
