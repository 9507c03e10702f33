"""Open: a limit of gradients in infinite depth and width.

Source: noci2023shaped, section 1 and Figure 2
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="ST.gradients",
    title="Open: a limit of gradients in infinite depth and width",
    statement="Gradients of shaped networks are stable with depth (Figure 2), and have a limit law as depth and width "
    "grow in proportion.",
    source="noci2023shaped, section 1 and Figure 2",
    scope="none: not decided",
    expected=Verdict.OPEN,
    paper="ST",
    note="The paper shows it by simulation and claims no theorem. With lambda^2 + gamma^2 = 1 and A near I the "
    "mean squared norm is constant by a heuristic; seprank measures it on networks with their weights, which "
    "decides no limit.",
)
