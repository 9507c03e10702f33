"""The result of `seprank signal collapse` as text: table, JSON, CSV."""

from __future__ import annotations

from typing import Any

from seprank.cli.output import to_csv, to_json
from seprank.signal.extended import Collapse, Layer

LIMIT = 3


def text(found: Collapse, fmt: str, for_terminal: bool | None) -> str:
    """The residuals in the format asked for."""
    if fmt == "json":
        return to_json(document(found))
    if fmt == "csv":
        return to_csv([_plain(layer) for layer in found.layers])
    from seprank.cli.tables import to_table

    rows = [
        {
            "layer": layer.layer,
            "log10 residual": f"{layer.log10_residual:.4f}",
            "ratio of logs": "" if layer.ratio is None else f"{layer.ratio:.4f}",
            "log10 norm": f"{layer.log10_norm:.4f}",
        }
        for layer in found.layers
    ]
    table = to_table(rows, for_terminal=for_terminal)
    return "\n".join([_heading(found), "", table.rstrip("\n"), "", *conclusion(found)]) + "\n"


def document(found: Collapse) -> dict[str, Any]:
    """The residuals as plain data: the schema ``seprank.signal.collapse/1``."""
    return {
        "schema": "seprank.signal.collapse/1",
        "sizes": {
            "n": found.n,
            "d": found.d,
            "dk": found.dk,
            "L": found.L,
            "rho": found.rho,
            "sigma": found.sigma,
            "tau": found.tau,
        },
        "digits": found.digits,
        "seed": found.seed,
        "layers": [_plain(layer) for layer in found.layers],
        "limit_of_ratios": LIMIT,
        "resolved": found.resolved,
        "digits_needed": found.digits_needed,
        "conclusion": " ".join(conclusion(found)),
    }


def conclusion(found: Collapse) -> list[str]:
    """What the numbers say, in whole sentences."""
    last = found.layers[-1] if found.layers else None
    lines = []
    if last is not None and last.ratio is not None and last.log10_residual < -2.0:
        lines.append(
            f"The residual has fallen to 10^{last.log10_residual:.4g} behind layer {last.layer}; the last ratio of "
            f"logarithms is {last.ratio:.4g}, and their limit is {LIMIT}: doubly exponential collapse."
        )
    else:
        lines.append("The residual is not small yet; the ratio of logarithms says nothing before it is.")
    if not found.resolved:
        lines.append(
            f"The residual behind the next layer is below what {found.digits} digits resolve; all {found.L} layers "
            f"need about {found.digits_needed} digits."
        )
    return lines


def _heading(found: Collapse) -> str:
    return (
        f"n = {found.n}, d = {found.d}, dk = {found.dk}, L = {found.L}; rho = {found.rho:g}, sigma = {found.sigma:g}, "
        f"tau = {found.tau:g}; {found.digits} digits, seed {found.seed}"
    )


def _plain(layer: Layer) -> dict[str, Any]:
    return {
        "layer": layer.layer,
        "log10_residual": layer.log10_residual,
        "ratio": layer.ratio,
        "log10_norm": layer.log10_norm,
    }
