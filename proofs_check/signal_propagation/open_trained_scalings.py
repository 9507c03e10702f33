"""Open: trained residual scalings grow while the correlation stays low

Source: noci2022signal, Fig. 15
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="SP.fig15",
    title="Open: trained residual scalings grow while the correlation stays low",
    statement="In the best trained model the trainable scalings alpha1, alpha2 grow during training, the correlation "
    "between tokens does not grow much, and the norm rises slightly with depth.",
    source="noci2022signal, Fig. 15",
    scope="none: not decided",
    expected=Verdict.OPEN,
    paper="SP",
    note="It needs a model trained on IWSLT14 De-En, which is not at hand here. seprank.signal.sentence_pairs trains "
    "on a file of pairs of your own and measures the three quantities behind each layer (docs/signal.md).",
)
