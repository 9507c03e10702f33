"""`seprank results`: what a results store holds."""

from __future__ import annotations

from seprank.cli.lazy import lazy_group

command = lazy_group(
    "Look into a results store that `seprank sweep` filled; it may be filling it at the same time.",
    {
        "list": "One line for every case.",
        "show": "All about some cases: bounds, blocks, versions, certificate.",
        "verify": "Check keys, claims and certificates again.",
        "export": "Write the store as JSON, CSV or Parquet.",
    },
    "results_",
)
