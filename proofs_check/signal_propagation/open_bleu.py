"""Open: SGD with residual scaling and a temperature against Adam on IWSLT14 (BLEU)

Source: noci2022signal, Fig. 7 and Table 7 (BLEU), Table 1
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="SP.bleu",
    title="Open: SGD with residual scaling and a temperature against Adam on IWSLT14 (BLEU)",
    statement="On IWSLT14 De-En, SGD without layer norm, with scaled residual branches and an inverse temperature, "
    "keeps up with Adam under POST-LN, PRE-LN, ReZero and T-Fixup (BLEU, mean of 5 runs, several depths).",
    source="noci2022signal, Fig. 7 and Table 7 (BLEU), Table 1",
    scope="none: not decided",
    expected=Verdict.OPEN,
    paper="SP",
    note="It needs training on IWSLT14 De-En, which is not at hand here; Table 1 with the hyper-parameters and the "
    "warm-up formula are lost from our text. seprank.signal.sentence_pairs is the training loop for a file of pairs of "
    "your own (docs/signal.md).",
)
