"""Open: when shaped attention explodes for three or more tokens.

Source: noci2023shaped, section 4.4 (finite-time stability)
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="NEW.explosion-tokens",
    title="Open: when shaped attention explodes for three or more tokens",
    statement=r"A criterion for explosion in finite time with positive probability for $m\ge3$, as NEW.explosion gives "
    r"it for $m=2$ ($\gamma^2<1/2$).",
    source="noci2023shaped, section 4.4 (finite-time stability)",
    scope="none: not decided",
    expected=Verdict.OPEN,
    paper="ST",
    note="For m >= 3 no function of V is autonomous in one dimension and no closed criterion was derived. "
    "Simulated frequencies exist (seprank shaped stability), but no finite simulation tells an explosion "
    "from a large excursion.",
)
