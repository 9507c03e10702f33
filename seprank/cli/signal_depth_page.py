"""The result of `seprank signal depth` as text: table or JSON."""

from __future__ import annotations

import textwrap
from dataclasses import asdict
from math import isfinite
from typing import Any

from seprank.cli.numbers import short_float
from seprank.cli.output import to_json
from seprank.signal.depth import DepthRun
from seprank.signal.depth_rows import Gradient, LayerRow, Mean, Prediction, TokenRow

WIDTH = 100
ROUNDING = 1e-9  # relative errors below it are those of rounding
LEGEND = """
cosine: mean over pairs and seeds; rho: ratio of expectations; both of what enters attention. norm: squared norm of the
stream. theory: from the sizes alone (uniform attention, infinite width). spread: of the logits within a row; peak: mean
largest attention weight of a row. query, key, value: squared gradient norms under a random linear loss, mean and
standard error over the seeds; q/v: their ratio, geometric mean; at tokens: eq. 18 over eq. 17 at the measured cosine
and norm, likewise.
"""


def text(run: DepthRun, fmt: str, for_terminal: bool | None) -> str:
    """The run in the format asked for."""
    if fmt == "json":
        return to_json(document(run))
    from seprank.cli.tables import to_table

    tokens = to_table([_tokens(row) for row in (*run.layers, run.end)], for_terminal=for_terminal)
    gradients = to_table([_gradients(row) for row in run.layers], for_terminal=for_terminal)
    words = [*_wrapped(run.diagnosis.sentence), "", *_wrapped(_validity(run)), *_wrapped(LEGEND)]
    return "\n".join([heading(run), "", tokens, gradients, *words]) + "\n"


def document(run: DepthRun) -> dict[str, Any]:
    """The run as plain data: the schema ``seprank.signal.depth/1``."""
    return {
        "schema": "seprank.signal.depth/1",
        "sizes": asdict(run.sizes),
        "tokens": {"n": run.tokens.n, "rho": run.tokens.rho, "sigma": run.tokens.sigma},
        "seeds": list(run.seeds),
        "layers": [_layer(row) for row in run.layers],
        "end": _row(run.end),
        "diagnosis": asdict(run.diagnosis),
    }


def _row(row: TokenRow) -> dict[str, Any]:
    return {
        "layer": row.layer,
        "cosine": _mean(row.cosine),
        "one_minus_cosine": row.gap,
        "rho": row.rho,
        "one_minus_rho": row.rho_gap,
        "norm": _mean(row.norm),
        "sigma2": _real(row.sigma2),
        "predicted": _prediction(row.predicted),
    }


def _layer(row: LayerRow) -> dict[str, Any]:
    return _row(row) | {
        "logit_std": _real(row.logit_std),
        "logit_spread": _real(row.logit_spread),
        "peak": row.peak,
        "query": _gradient(row.query),
        "key": _gradient(row.key),
        "value": _gradient(row.value),
        "query_over_value": _real(row.ratio),
        "query_over_value_at_tokens": _real(row.ratio_at_tokens),
    }


def _prediction(found: Prediction) -> dict[str, Any]:
    return {
        "rho": found.state.rho,
        "one_minus_rho": found.state.gap,
        "norm": found.norm,
        "query_over_value": _real(found.ratio),
        "valid": found.valid,
        "reason": found.reason,
    }


def _gradient(found: Gradient) -> dict[str, Any]:
    return _mean(found.squared) | {"log10": found.log10}


def _mean(found: Mean) -> dict[str, Any]:
    return {"mean": _real(found.mean), "error": _real(found.error)}


def _real(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None


def heading(run: DepthRun) -> str:
    """Sizes and kind of the networks in one line."""
    sizes, tokens = run.sizes, run.tokens
    heads = f", H = {sizes.H}" if sizes.H > 1 else ""
    scales = f"alpha = {sizes.alpha1:.4g}" + (f" and {sizes.alpha2:.4g}" if sizes.alpha2 != sizes.alpha1 else "")
    mask = ", causal" if sizes.causal else ""
    tau = f", tau = {sizes.tau:g}" if sizes.tau != 1.0 else ""
    return (
        f"L = {sizes.L}, d = {sizes.d}{heads}; layer norm {sizes.norm}, {scales}, {sizes.activation}, "
        f"{sizes.attention} attention{mask}{tau}; {tokens.n} tokens, rho = {tokens.rho:g}, sigma = {tokens.sigma:g}; "
        f"{count(len(run.seeds))}"
    )


def count(seeds: int) -> str:
    """The number of seeds in words."""
    return f"{seeds} seed{'s' if seeds > 1 else ''}"


def _tokens(row: TokenRow) -> dict[str, object]:
    return {
        "layer": row.layer if isinstance(row, LayerRow) else "end",
        "cosine": _correlation(row.gap, row.cosine.error),
        "rho": _correlation(row.rho_gap, None),
        "rho, theory": _correlation(row.predicted.state.gap, None),
        "norm": _with_error(row.norm, 4),
        "norm, theory": short_float(row.predicted.norm, 4),
        "valid": "yes" if row.predicted.valid else "no",
    }


def _gradients(row: LayerRow) -> dict[str, object]:
    return {
        "layer": row.layer,
        "query": _with_error(row.query.squared),
        "key": _with_error(row.key.squared),
        "value": _with_error(row.value.squared),
        "q/v": _short(row.ratio),
        "at tokens": _short(row.ratio_at_tokens),
        "q/v, theory": _short(row.predicted.ratio),
        "spread": _short(row.logit_spread),
        "peak": f"{row.peak:.2f}",
    }


def _correlation(gap: float, error: float | None) -> str:
    if gap <= 5e-4:
        return f"1 - {gap:.1e}" if gap else "1"
    return f"{1.0 - gap:.4f}" + ("" if error is None else f" ± {error:.4f}")


def _with_error(found: Mean, digits: int = 3) -> str:
    if not isfinite(found.mean):
        return "above 1e308"
    rounding = found.error is None or found.error < ROUNDING * found.mean
    return short_float(found.mean, digits) + ("" if rounding else f" ± {_short(found.error, 2)}")


def _short(value: float | None, digits: int = 3) -> str:
    return "none" if value is None or not isfinite(value) else short_float(value, digits)


def _validity(run: DepthRun) -> str:
    reasons = list(dict.fromkeys(row.predicted.reason for row in run.layers))
    invalid = [row for row in run.layers if not row.predicted.valid]
    if not invalid:
        return f"valid, all layers: {reasons[0]}."
    first = invalid[0]
    return (
        f"valid: {len(run.layers) - len(invalid)} of {len(run.layers)} layers are within the range of the theory. "
        f"Layer {first.layer}: {first.predicted.reason}. Elsewhere read orders of magnitude."
    )


def _wrapped(paragraph: str) -> list[str]:
    return textwrap.wrap(" ".join(paragraph.split()), WIDTH, break_on_hyphens=False)
