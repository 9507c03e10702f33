"""Logits of attention: as a softmax or a fused attention sees them, or worked out from tokens and projections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from seprank.signal.probe_masks import Pattern, causal, masked
from seprank.signal.probe_sites import Projection, Site
from seprank.signal.probe_statistics import LogitStatistics, block_of, scaled_products, single_or_double

Call = Mapping[str, Any]


@dataclass(frozen=True)
class Seen:
    """Statistics of the logits of one call, the pattern of the mask, where they come from, and the heads."""

    statistics: LogitStatistics
    mask: str
    source: str
    heads: int | None = None


def of_softmax(call: Call, n: int, m: int | None) -> Seen | None:
    """The operand of a softmax over keys, for `n` queries and `m` keys (None: any); None where it is something else."""
    logits, dim = call["input"], call.get("dim")
    if not logits.is_floating_point() or logits.ndim < 3 or dim not in (-1, logits.ndim - 1):
        return None
    if logits.shape[-2] != n or (m is not None and logits.shape[-1] != m):
        return None
    heads = logits.shape[1] if logits.ndim == 4 else None
    statistics, kind, flat = LogitStatistics(), Pattern(), logits.reshape(-1, *logits.shape[-2:])
    step = max(1, block_of(flat) // flat[0].numel())
    for start in range(0, len(flat), step):
        block = flat[start : start + step]
        hidden = masked(block)
        allowed = ~hidden if bool(hidden.any()) else None
        kind.add(allowed, slice(None), *block.shape[-2:])
        statistics.add(single_or_double(block), allowed)
    return Seen(statistics, kind.name, "softmax", heads)


def of_scaled_products(call: Call, n: int, m: int | None) -> Seen | None:
    """The operands of `scaled_dot_product_attention`."""
    q, k, mask = call["query"], call["key"], call.get("attn_mask")
    if q.ndim < 3 or q.shape[-2] != n:
        return None
    if mask is not None:
        mask = mask.expand(*q.shape[:-2], *mask.shape[-2:]) if q.ndim != 4 else mask
        mask = _in_four(mask) if q.ndim != 4 else mask.reshape((1,) * (4 - mask.ndim) + tuple(mask.shape))
    scale = q.shape[-1] ** -0.5 if call.get("scale") is None else float(call["scale"])
    return of_heads(_in_four(q), _in_four(k), scale, mask, bool(call.get("is_causal")), source="sdpa")


def _in_four(x: Tensor) -> Tensor:
    return x.unsqueeze(1) if x.ndim == 3 else x.reshape(-1, *x.shape[-3:])


def of_heads(q: Tensor, k: Tensor, scale: float, mask: Tensor | None, is_causal: bool, source: str) -> Seen:
    """Logits of q (B, H, n, dh) and k (B, G, m, dh), G a divisor of H.

    The mask, Boolean (True: takes part) or added to the logits, has a shape that broadcasts to (B, H, n, m).
    """
    n, m = q.shape[-2], k.shape[-2]
    statistics, kind = LogitStatistics(), Pattern()
    lower = causal(n, m, q.device) if is_causal else None
    for logits, some, rows in scaled_products(q, k, scale):
        allowed = None if lower is None else lower[rows]
        if mask is not None:
            logits, shown = _under(mask, logits, some, rows)
            allowed = shown if allowed is None else shown & allowed
        kind.add(allowed, rows, n, m)
        statistics.add(logits, allowed)
    return Seen(statistics, kind.name, source, q.shape[1])


def _under(mask: Tensor, logits: Tensor, some: slice, rows: slice) -> tuple[Tensor, Tensor]:
    """Logits with what the mask adds to them, and where they take part."""
    part = mask[some] if mask.shape[0] > 1 else mask
    part = part[:, :, rows] if mask.shape[2] > 1 else part
    if part.dtype == torch.bool:
        return logits, part.expand(-1, -1, *logits.shape[2:])
    hidden = masked(part)
    shown = (~hidden).expand(-1, -1, *logits.shape[2:])
    return logits + part.masked_fill(hidden, 0.0).to(logits.dtype), shown


def of_projections(site: Site, queries: Tensor, keys: Tensor | None) -> Seen | None:
    """Logits from the tokens (..., n, d) and the projections, or None where heads or orientation are not known."""
    if site.heads is None or site.groups is None or site.heads % site.groups or site.query.module is None:
        return None
    q = heads_of(site.query, queries, site.heads)
    k = heads_of(site.key, queries if keys is None else keys, site.groups)
    if q.shape[0] != k.shape[0] or q.shape[-1] != k.shape[-1]:
        return None
    return of_heads(q, k, _scale(site, q.shape[-1]), None, _is_causal(site), source="projections")


def heads_of(projection: Projection, tokens: Tensor, heads: int) -> Tensor:
    """Tokens (..., n, d) through a projection, as (B, heads, n, dh)."""
    tokens = single_or_double(tokens)
    weight = projection.part(projection.weight.detach()).to(tokens.dtype)
    out = tokens.reshape(-1, *tokens.shape[-2:]) @ weight.mT
    if projection.bias is not None:
        out = out + projection.part(projection.bias.detach()).to(tokens.dtype)
    return out.unflatten(-1, (heads, -1)).transpose(1, 2)


def _scale(site: Site, size: int) -> float:
    for name in ("scaling", "scale", "softmax_scale"):
        value = getattr(site.module, name, None)
        if isinstance(value, float):
            return value
    return float(size) ** -0.5


def _is_causal(site: Site) -> bool:
    for name in ("is_causal", "causal"):
        value = getattr(site.module, name, None)
        if isinstance(value, bool):
            return value
    return bool(getattr(getattr(site.module, "config", None), "is_decoder", False))


def joined(masks: list[Tensor], dtype: torch.dtype) -> Tensor | None:
    """Additive masks that together say what several masks (added, or Boolean with True for "takes part") say."""
    total: Tensor | None = None
    for mask in masks:
        added = mask if mask.is_floating_point() else torch.zeros_like(mask, dtype=dtype).masked_fill(~mask, -torch.inf)
        total = added if total is None else total + added
    return total
