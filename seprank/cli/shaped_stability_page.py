"""The result of `seprank shaped stability` as text: table or JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from seprank.cli.numbers import short_float
from seprank.cli.output import to_json
from seprank.shaped.setup import Setup
from seprank.shaped.stability_report import RARE, Stability


def text(setup: Setup, found: Stability, fmt: str, for_terminal: bool | None) -> str:
    """The result in the format asked for."""
    if fmt == "json":
        return to_json(document(setup, found))
    from seprank.cli.tables import to_table

    table = to_table(_rows(setup, found), for_terminal=for_terminal)
    return "\n".join([_heading(setup), "", table.rstrip("\n"), "", *advice(setup, found)]) + "\n"


def document(setup: Setup, found: Stability) -> dict[str, Any]:
    """The result as plain data: the schema ``seprank.shaped.stability/1``."""
    return {
        "schema": "seprank.shaped.stability/1",
        "m": setup.m,
        "gamma": setup.gamma,
        "tau0": setup.tau0,
        "block": setup.block,
        "heads": setup.heads,
        "masked": setup.mask is not None,
        "V0": setup.start.tolist(),
        "D0": found.D0,
        "radius": found.radius,
        "kind": found.kind,
        "explodes": found.explodes,
        "explosion_probability": found.explosion_probability,
        "hitting_probability": found.hitting_probability,
        "estimate": None if found.estimate is None else asdict(found.estimate),
        "blow_up_time": found.blow_up_time,
        "rare_tau0": found.rare_tau0,
        "advice": advice(setup, found),
    }


def advice(setup: Setup, found: Stability) -> list[str]:
    """What the numbers mean and what prevents a blow-up, in whole sentences."""
    if not setup.attends:
        return ["A residual network does not blow up in finite time: its coefficients grow linearly in V."]
    if found.explodes is None:
        return [
            "No criterion for explosion is known here (one is for two tokens without a mask): the probability of "
            "meeting the radius is an estimate.",
            "It depends on V0 / tau0 only: a larger tau0 or smaller tokens lower it.",
        ]
    edge = f"gamma^2 = {setup.gamma**2:.4g} is {'below' if found.explodes else 'not below'} heads / 2"
    if not found.explodes:
        return [f"No explosion: {edge} = {setup.heads / 2:g}. Large D is still met now and then, and comes back."]
    exact = found.kind == "exact"
    chance = "has positive probability" if exact else "cannot be excluded, with at most the probability above"
    lines = [f"Explosion {chance}: {edge} = {setup.heads / 2:g}."]
    if found.rare_tau0 is not None and found.rare_tau0 > setup.tau0:
        lines.append(f"tau0 = {short_float(found.rare_tau0, 3)} or more lowers it to at most {RARE:g} from this start.")
    lines.append("It takes a time of order 1 / gamma^2; networks of finite depth grow fast instead and overflow.")
    return lines


def _heading(setup: Setup) -> str:
    masked = ", masked" if setup.mask is not None else ""
    return (
        f"{setup.block} block{masked}: m = {setup.m}, gamma = {setup.gamma:g}, tau0 = {setup.tau0:g}, "
        f"heads = {setup.heads}"
    )


def _rows(setup: Setup, found: Stability) -> list[dict[str, object]]:
    met = f"P(D ever meets {found.radius:g})"
    lines = [("D at the start", short_float(found.D0, 6), "mean squared distance of two tokens over n")]
    if found.explosion_probability is not None:
        kind = found.kind if setup.attends else "exact"
        lines.append(("P(explosion)", short_float(found.explosion_probability, 4), f"{kind}, over unlimited time"))
    if found.estimate is None:
        lines.append((met, short_float(found.hitting_probability, 4), f"{found.kind}, over unlimited time"))
    else:
        error = short_float(found.estimate.error, 2)
        note = f"estimate, standard error {error}, {found.estimate.paths} paths"
        if found.estimate.undecided:
            note += f"; {found.estimate.undecided:.2g} of them undecided"
        lines.append((met, short_float(found.hitting_probability, 4), note))
        if found.estimate.median_time is not None:
            lines.append(("median time of those", short_float(found.estimate.median_time, 4), "depth / n, estimate"))
    time = "never" if found.blow_up_time is None else short_float(found.blow_up_time, 6)
    lines.append(("blow-up of the drift alone", time, "depth / n; a time scale, not a bound"))
    return [{"quantity": name, "value": value, "what it is": what} for name, value, what in lines]
