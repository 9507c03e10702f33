"""The result of `seprank shaped compare` as text: table or JSON."""

from __future__ import annotations

import math
import textwrap
from typing import Any

from seprank.cli.output import to_json
from seprank.cli.shaped_simulate_page import heading, plain_setup
from seprank.shaped.compare import ALPHA, Comparison

WIDTH = 100
MOST_ROWS = 36


def text(found: Comparison, fmt: str, for_terminal: bool | None) -> str:
    """The comparison in the format asked for."""
    if fmt == "json":
        return to_json(document(found))
    from seprank.cli.tables import to_table

    nearest_first = sorted(found.distances, key=lambda distance: -distance.ks)
    shown = found.distances if len(nearest_first) <= MOST_ROWS else nearest_first[:MOST_ROWS]
    rows = [
        {
            "entry": distance.entry,
            "KS": f"{distance.ks:.4f}",
            "critical": f"{found.critical:.4f}",
            "p": f"{distance.p:.2g}",
            "one entry": "equal" if distance.ks <= found.critical else "differs",
        }
        for distance in shown
    ]
    parts = [heading(found.setup, "SDE against networks"), "", to_table(rows, for_terminal=for_terminal).rstrip("\n")]
    if len(shown) < len(found.distances):
        parts += ["", f"The {MOST_ROWS} largest of {len(found.distances)} distances; --format json has all of them."]
    words = [verdict(found), stopping(found), *(f"Warning: {warning}" for warning in found.warnings)]
    lines = [line for sentence in words for line in textwrap.wrap(sentence, WIDTH, break_on_hyphens=False)]
    return "\n".join([*parts, "", *lines]) + "\n"


def document(found: Comparison) -> dict[str, Any]:
    """The comparison as plain data: the schema ``seprank.shaped.compare/1``."""
    return {
        "schema": "seprank.shaped.compare/1",
        "setup": plain_setup(found.setup),
        "distances": {distance.entry: {"ks": distance.ks, "p": distance.p} for distance in found.distances},
        "alpha": ALPHA,
        "critical": found.critical,
        "joint_critical": found.joint_critical,
        "agree": found.agree,
        "verdict": verdict(found),
        "sde": _law(found.sde.stopped_fraction, found.sde.validity, found.sde.clip_rate),
        "network": _law(found.network.stopped_fraction, found.network.validity, found.network.clip_rate),
        "warnings": list(found.warnings),
    }


def _law(stopped: float, validity: float, clip_rate: float) -> dict[str, float | None]:
    return {
        "stopped_fraction": stopped,
        "validity": validity if math.isfinite(validity) else None,
        "clip_rate": clip_rate,
    }


def verdict(found: Comparison) -> str:
    """One sentence on whether the laws can be told apart."""
    count = len(found.distances)
    limit = f"{found.joint_critical:.4f}, critical at 5 % for {count} {'entries together' if count > 1 else 'entry'}"
    worst = found.largest
    if found.agree:
        return (
            f"Agree: the largest distance, {worst.ks:.4f} of {worst.entry}, is within {limit}; {found.setup.paths} "
            "paths each do not tell the laws apart."
        )
    return (
        f"Differ: the distance of {worst.entry} is {worst.ks:.4f}, above {limit}; at n = {found.setup.n} the limit is "
        "off by about that much in probability."
    )


def stopping(found: Comparison) -> str:
    """One sentence on how many paths met the radius."""
    radius = found.setup.stopping_radius
    if math.isinf(radius):
        return "Stopped: none, a residual network needs no radius."
    return (
        f"Stopped at ||V|| = {radius:.6g}: {found.sde.stopped_fraction:.4g} of the SDE's paths, "
        f"{found.network.stopped_fraction:.4g} of the networks."
    )
