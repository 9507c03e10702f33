"""Open: parameters of Figures 1 to 5 that stood in captions only.

Source: noci2023shaped, Figures 1 to 5
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="ST.captions",
    title="Open: parameters of Figures 1 to 5 that stood in captions only",
    statement="Widths, depths, gammas and numbers of samples of Figures 1 to 5.",
    source="noci2023shaped, Figures 1 to 5",
    scope="none: not decided",
    expected=Verdict.OPEN,
    paper="ST",
    note="All captions are missing from our copy. The qualitative claims of the figures are checked at stated "
    "sizes (ST.unsh, ST.T3.2, ST.C4.3, NEW.explosion).",
)
