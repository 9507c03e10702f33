"""`seprank signal`: rank collapse and gradient norms at initialisation."""

from __future__ import annotations

from seprank.cli.lazy import lazy_group

command = lazy_group(
    "Signal propagation at initialisation: do tokens collapse, do query and key gradients vanish?",
    {
        "predict": "Expected gradient norms of one attention layer, with their validity.",
        "depth": "Tokens and gradients of a deep network layer by layer, measured and predicted.",
        "collapse": "Doubly exponential rank collapse of pure attention, in extended precision.",
        "advise": "Predictions for a real model's sizes, and what restores balance.",
        "reverse-task": "Train encoders to reverse a string: scaled branches learn it, unscaled ones do not.",
        "sentence-pairs": "Train an encoder-decoder of the theory on a TSV of sentence pairs of your own.",
        "probe": "Measure your own PyTorch model: collapse, logits, query and key gradients by layer.",
    },
    "signal_",
)
