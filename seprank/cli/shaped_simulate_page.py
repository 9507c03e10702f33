"""The result of `seprank shaped simulate` as text: tables, JSON, CSV."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seprank.cli.output import to_csv, to_json
from seprank.shaped.quantiles import intervals, quantiles
from seprank.shaped.setup import LEVELS, Law, Setup

MOST_ROWS = 36
CLIPPED_TOO_OFTEN = 0.001
TRUSTED = 0.1
ALONG_DEPTH = ("V11", "rho12", "V1_1", "rho1_2", "D12")


def text(setup: Setup, engine: str, law: Law, seconds: float, fmt: str, for_terminal: bool | None) -> str:
    """The law in the format asked for."""
    if fmt == "json":
        return to_json(document(setup, engine, law, seconds))
    found, bounds = quantiles(law), intervals(law)
    if fmt == "csv":
        return to_csv([row for name in found for row in _lines(setup, law, name, found[name], bounds.get(name))])
    from seprank.cli.tables import to_table

    along = [name for name in found if name in ALONG_DEPTH]
    depth = [_shown(row) for name in along for row in _lines(setup, law, name, found[name], bounds.get(name))]
    last = [_shown(_lines(setup, law, name, found[name], bounds.get(name))[-1]) for name in list(found)[:MOST_ROWS]]
    final = [{key: value for key, value in row.items() if key not in ("layer", "t")} for row in last]
    parts = [heading(setup, engine), "", to_table(depth, for_terminal=for_terminal).rstrip("\n"), ""]
    parts += [f"At T = {setup.T:g}, of stopped paths:", "", to_table(final, for_terminal=for_terminal).rstrip("\n"), ""]
    if len(found) > MOST_ROWS:
        parts.append(f"{MOST_ROWS} of {len(found)} entries are shown; --format json or csv has all of them.")
    return "\n".join([*parts, *conclusion(setup, law)]) + "\n"


def document(setup: Setup, engine: str, law: Law, seconds: float) -> dict[str, Any]:
    """The law as plain data: the schema ``seprank.shaped.simulate/1``."""
    found, bounds = quantiles(law), intervals(law)
    return {
        "schema": "seprank.shaped.simulate/1",
        "engine": engine,
        "setup": plain_setup(setup),
        "times": law.times.tolist(),
        "layers": [round(time * setup.n) for time in law.times.tolist()],
        "quantiles": {
            name: [_levels(row, None if name not in bounds else bounds[name][k]) for k, row in enumerate(rows)]
            for name, rows in found.items()
        },
        "stopped_fraction": law.stopped_fraction,
        "clip_rate": law.clip_rate,
        "validity": law.validity,
        "validity_95": typical_validity(setup, law),
        "final": {name: _levels(rows[-1], None) for name, rows in found.items()},
        "conclusion": conclusion(setup, law),
        "seconds": seconds,
    }


def _levels(row: NDArray[Any], bounds: NDArray[Any] | None) -> dict[str, Any]:
    found: dict[str, Any] = {str(level): float(value) for level, value in zip(LEVELS, row, strict=True)}
    if bounds is not None:
        found["intervals"] = {str(level): pair.tolist() for level, pair in zip(LEVELS, bounds, strict=True)}
    return found


def plain_setup(setup: Setup) -> dict[str, Any]:
    """What is simulated, as plain data."""
    radius = setup.stopping_radius
    return {
        "m": setup.m,
        "n": setup.n,
        "depth": setup.depth,
        "T": setup.T,
        "gamma": setup.gamma,
        "tau0": setup.tau0,
        "block": setup.block,
        "mask": None if setup.mask is None else [[bool(cell) for cell in row] for row in setup.mask],
        "heads": setup.heads,
        "head_dim": setup.head_dim,
        "mlp_ratio": setup.mlp_ratio,
        "c_plus": setup.c_plus,
        "c_minus": setup.c_minus,
        "V0": setup.start.tolist(),
        "radius": radius if math.isfinite(radius) else None,
        "seed": setup.seed,
        "paths": setup.paths,
    }


def conclusion(setup: Setup, law: Law) -> list[str]:
    """Stopping, clipping and validity in whole sentences."""
    lines = [_stopping(setup, law)]
    if law.clip_rate > CLIPPED_TOO_OFTEN:
        lines.append(f"Clipped paths: {law.clip_rate:.2g} of them, above 0.001: not to be trusted, take smaller steps.")
    what = f"Validity: the largest norm of V met on any path is {law.validity:.3g} times tau0 sqrt(n)"
    if (typical := typical_validity(setup, law)) is not None:
        what += f", on 95 % of the paths at most {typical:.3g} times"
    if not setup.attends:
        lines.append(f"{what}; without attention the limit holds at any norm.")
    elif law.validity > TRUSTED:
        lines.append(f"{what}.")
        lines.append("The limit describes networks while this is far below 1: compare with --engine network.")
    else:
        lines.append(f"{what}: small, so that the limit describes the network.")
    return lines


def typical_validity(setup: Setup, law: Law) -> float | None:
    """The 95 % quantile over paths of the largest norm at the times shown, over tau0 sqrt(n); None without paths."""
    if law.covariances is None:
        return None
    norms = np.sqrt(np.einsum("pkab,pkab->pk", law.covariances, law.covariances)).max(axis=1)
    return float(np.quantile(norms, 0.95)) / setup.validity_scale


def _stopping(setup: Setup, law: Law) -> str:
    if "D12" in law.quantiles:
        return f"Stopped: D = V11 + V22 - 2 V12 met its radius with probability {law.stopped_fraction:.6g} by T."
    if math.isinf(setup.stopping_radius):
        return "Stopped: none, a residual network needs no radius."
    return f"Stopped: {law.stopped_fraction:.4g} of the paths met ||V|| = {setup.stopping_radius:.6g} by T."


def heading(setup: Setup, engine: str) -> str:
    """The sizes in one line."""
    parts = [f"{setup.block} block, {engine}: m = {setup.m}, n = {setup.n}, depth = {setup.depth}"]
    parts.append(f"gamma = {setup.gamma:g}, tau0 = {setup.tau0:g}")
    if setup.mask is not None:
        parts.append("masked")
    if setup.heads > 1:
        parts.append(f"{setup.heads} heads")
    return "; ".join([*parts, f"{setup.paths} paths, seed {setup.seed}"] if engine != "fokker-planck" else parts)


def _lines(
    setup: Setup, law: Law, name: str, rows: NDArray[Any], bounds: NDArray[Any] | None
) -> list[dict[str, object]]:
    lines: list[dict[str, object]] = []
    for k, time in enumerate(law.times.tolist()):
        line: dict[str, object] = {"entry": name, "layer": round(time * setup.n), "t": time}
        for place, level in enumerate(LEVELS):
            line[f"{level}%"] = float(rows[k, place])
            if bounds is not None:
                line[f"{level}% low"], line[f"{level}% high"] = bounds[k, place].tolist()
        lines.append(line)
    return lines


def _shown(line: dict[str, object]) -> dict[str, object]:
    """A line for people: four digits, one interval for the median."""
    shown = {key: line[key] for key in ("entry", "layer")} | {"t": f"{line['t']:.4g}"}
    for level in LEVELS:
        shown[f"{level}%"] = f"{line[f'{level}%']:.4f}"
    if "50% low" in line:
        shown["median, 95% interval"] = f"{line['50% low']:.4f} to {line['50% high']:.4f}"
    return shown
