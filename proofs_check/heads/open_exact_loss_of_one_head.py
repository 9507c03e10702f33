"""Open: the exact loss of one head at L = 3, dx >= 5

Source: docs/theory.md, Isotropic directions
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="NEW.open.isotropic-loss",
    title="Open: the exact loss of one head at L = 3, dx >= 5",
    statement="Is the loss at $(L,d)=(3,5)$ exactly the 56 powers at isotropic points, so that "
    r"$\mathrm{sep}=248008$? And at $d\ge6$?",
    source="docs/theory.md, Isotropic directions",
    scope="none: not decided",
    expected=Verdict.OPEN,
    note="Proved: at most 248008 at (3,5), 1578299 at (3,6). A lower bound from diagonal links is 247944; inside the "
    "operators on the orthogonal space of a the kernel is 56 at generic links. At (3,4) the loss is exactly 4 "
    "(NEW.gram-missed-at-3-4).",
)
