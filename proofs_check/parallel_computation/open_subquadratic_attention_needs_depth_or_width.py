"""Section 5.3: kernel features, local attention and chain of thought do not solve hop_k efficiently.

Source: sanford2024log, Section 5.3
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="PC.sec5.3",
    title="Section 5.3: kernel features, local attention and chain of thought do not solve hop_k efficiently",
    statement="Depth or width must grow polynomially for attention with kernel features, for windows with global "
    "tokens, and for shallow transformers with chain of thought.",
    source="sanford2024log, Section 5.3",
    scope="none: not decided",
    expected=Verdict.OPEN,
    paper="PC",
    note="The text at hand names the statements without their form; the forms that one would expect are "
    "guesses and are not offered as functions.",
)
