"""Open: the hitting probability of attention as an upper bound for the full block.

Source: noci2023shaped, section 4.4 (finite-time stability)
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="NEW.explosion-full",
    title="Open: the hitting probability of attention as an upper bound for the full block",
    statement=r"With a residual block the noise is $s=\gamma^2(4-\gamma^2)$ and the ReLU drift lowers $D$; by "
    r"comparison the formula of NEW.explosion with this $s$ is an upper bound for $P(\mathrm{hit}\ r)$.",
    source="noci2023shaped, section 4.4 (finite-time stability)",
    scope="none: not decided",
    expected=Verdict.OPEN,
    paper="ST",
    note="An argument by the comparison theorem, whose conditions (uniqueness, order of drifts at equal D, where "
    "the ReLU drift is not a function of D) are not worked out here.",
)
