"""The result of `seprank signal predict` as text: table or JSON."""

from __future__ import annotations

from typing import Any

from seprank.cli.numbers import short_float
from seprank.cli.output import to_json
from seprank.signal.gaussian import ExpectedNorms, dependence, expected_norms
from seprank.signal.sizes import LayerSizes
from seprank.signal.temperature import equalising_temperature
from seprank.signal.tokens import GaussianTokens
from seprank.signal.uniform import validity

DIGITS = 8
NO_TEMPERATURE = "none, the tokens have collapsed (rho = 1) and query gradients are 0 at every temperature"


def text(tokens: GaussianTokens, sizes: LayerSizes, fmt: str, for_terminal: bool | None) -> str:
    """The prediction in the format asked for."""
    if fmt == "json":
        return to_json(document(tokens, sizes))
    from seprank.cli.tables import to_table

    table = to_table(_rows(tokens, sizes), for_terminal=for_terminal)
    return "\n".join([_heading(tokens, sizes), "", table.rstrip("\n"), "", *_conclusion(tokens, sizes)]) + "\n"


def document(tokens: GaussianTokens, sizes: LayerSizes) -> dict[str, Any]:
    """The prediction as plain data: the schema ``seprank.signal.predict/1``.

    `note` says in words why a value is null or a prediction degenerate; it is left out elsewhere.
    """
    norms = expected_norms(tokens, sizes)
    pieces = norms.input_pieces
    indicator, tau_eq = validity(tokens, sizes), equalising_temperature(tokens, sizes)
    notes = [NO_TEMPERATURE] if tau_eq is None else []
    notes += [indicator.reason] if indicator.correction is None else []
    return {
        "schema": "seprank.signal.predict/1",
        "sizes": {
            "n": tokens.n,
            "d": tokens.d,
            "dk": sizes.dk,
            "dv": sizes.dv,
            "rho": tokens.rho,
            "sigma": tokens.sigma,
            "tau": sizes.tau,
        },
        "value": norms.value,
        "query": norms.query,
        "query_printed": norms.query_printed,
        "key": norms.key,
        "input": norms.input,
        "input_pieces": {"A1": pieces.A1, "A2": pieces.A2, "A3": pieces.A3, "cross": pieces.cross},
        "tau_eq": tau_eq,
        "logit_std": indicator.logit_std,
        "valid": indicator.valid,
        **({"note": "; ".join(notes)} if notes else {}),
    }


def _heading(tokens: GaussianTokens, sizes: LayerSizes) -> str:
    return (
        f"n = {tokens.n}, d = {tokens.d}, dk = {sizes.dk}, dv = {sizes.dv}; rho = {tokens.rho:g}, "
        f"sigma = {tokens.sigma:g}, tau = {sizes.tau:g}"
    )


def _rows(tokens: GaussianTokens, sizes: LayerSizes) -> list[dict[str, object]]:
    norms, pieces = expected_norms(tokens, sizes), expected_norms(tokens, sizes).input_pieces
    lines = [
        ("||dS/dWV||^2", norms.value, "values: eq. 17"),
        ("||dS/dWQ||^2", norms.query, f"queries: eq. 18 times {dependence(tokens):.6g}, exact"),
        ("  as printed", norms.query_printed, "eq. 18, norm and correlation taken as independent"),
        ("||dS/dWK||^2", norms.key, "keys: as queries"),
        ("||dS/dX||^2", norms.input, "input: sum of the pieces below, exact"),
        ("  A1", pieces.A1, "softmax path through the queries"),
        ("  A2", pieces.A2, f"softmax path through the keys{_over(norms)}"),
        ("  A3", pieces.A3, "path through the values"),
        ("  cross", pieces.cross, "twice the inner product of A1 and A2"),
    ]
    return [
        {"expected squared norm": name, "value": short_float(value, DIGITS), "what it is": what}
        for name, value, what in lines
    ]


def _over(norms: ExpectedNorms) -> str:
    ratio = norms.input_pieces.ratio
    return "" if ratio is None else f", {ratio:.4g} times A1"


def _conclusion(tokens: GaussianTokens, sizes: LayerSizes) -> list[str]:
    norms, indicator = expected_norms(tokens, sizes), validity(tokens, sizes)
    ratio, tau = norms.query_over_value, equalising_temperature(tokens, sizes)
    return [
        "queries over values: "
        + ("not defined, the value gradient is 0" if ratio is None else f"{short_float(ratio, 6)} (squared norms)"),
        "tau_eq: "
        + (
            NO_TEMPERATURE
            if tau is None
            else f"{short_float(tau, 6)} makes eq. 18 equal to eq. 17; attention is no longer uniform there"
        ),
        f"valid: {indicator.reason}",
    ]
