"""`seprank mpc`: massively parallel computation and its simulation by attention."""

from __future__ import annotations

from seprank.cli.lazy import lazy_group

command = lazy_group(
    "Massively parallel computation: machines with little memory, and attention layers that carry their messages.",
    {
        "components": "Connected components on simulated machines, against networkx.",
        "route": "Deliver a round of messages by one attention layer.",
    },
    "mpc_",
)
