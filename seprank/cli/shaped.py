"""`seprank shaped`: covariance SDEs of shaped transformers, finite networks, stability."""

from __future__ import annotations

from seprank.cli.lazy import lazy_group

command = lazy_group(
    "Shaped transformers: the covariance SDE of large depth and width, and finite networks beside it.",
    {
        "simulate": "Law of variances and correlations along depth, by the SDE or by finite networks.",
        "compare": "Do networks of a given width have the law of the SDE? Distance, critical value, verdict.",
        "advise": "A real model's sizes: depth over width, noise or not, which gamma and tau0 keep tokens apart.",
        "stability": "When does shaped attention blow up, how often, and what prevents it?",
    },
    "shaped_",
)
