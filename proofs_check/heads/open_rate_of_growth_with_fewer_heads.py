"""Open: the limit of log sep / L for H < dx

Source: docs/theory.md, Saturated growth
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="NEW.open.rate",
    title="Open: the limit of log sep / L for H < dx",
    statement=r"For fixed $d$, $H<d$ and long input, $\lim_L\log_3\mathrm{sep}/L$.",
    source="docs/theory.md, Saturated growth",
    scope="none: not decided",
    expected=Verdict.OPEN,
    note="Between the number r of entries that the quadric network covers (up to about d^2/4) and s = d(d+1)/2. For "
    "H = dx the limit is known: s for long input, and for n tokens a side the dimension of the matrices of rank n.",
)
