"""`seprank hop`: the k-hop induction-heads task."""

from __future__ import annotations

from seprank.cli.lazy import lazy_group

command = lazy_group(
    "The k-hop induction-heads task: go to the last earlier occurrence, one step to the right, k times.",
    {
        "solve": "Answer the task for a text, by its definition.",
        "build": "A transformer with explicit weights that computes it.",
        "verify": "Run such a transformer against the definition.",
        "attention": "Where each layer of such a transformer looks.",
        "train": "Train a small model on it, resumable.",
        "inspect": "Where the heads of a trained model look.",
        "thresholds": "The depth that trained models need for k hops, against the rules.",
    },
    "hop_",
)
