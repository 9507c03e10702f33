"""Logits of an nn.MultiheadAttention from the arguments of its call: nothing of its own code is run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from seprank.signal.probe_logits import Seen, heads_of, joined, of_heads
from seprank.signal.probe_sites import Site


def of_multihead(site: Site, call: Mapping[str, Any]) -> Seen:
    """Exact logits, masks and added key (`add_bias_kv`, `add_zero_attn`) included."""
    module = site.module
    assert isinstance(module, nn.MultiheadAttention)
    queries, keys = (_batch_first(module, call[name]) for name in ("query", "key"))
    q, k = _with_bias(site, module, queries, keys)
    masks = _masks(call, q.shape[0], q.shape[1], q.shape[2], k.shape[-2])
    k = _with_added_keys(module, k)
    mask = joined(masks, q.dtype)
    if mask is not None and k.shape[-2] > mask.shape[-1]:  # added keys are never masked
        mask = nn.functional.pad(mask, (0, k.shape[-2] - mask.shape[-1]))
    causal = bool(call.get("is_causal")) and call.get("attn_mask") is None
    return of_heads(q, k, q.shape[-1] ** -0.5, mask, causal, source="inputs")


def _batch_first(module: nn.MultiheadAttention, tokens: Tensor) -> Tensor:
    if tokens.ndim == 2:
        return tokens.unsqueeze(0)
    return tokens if module.batch_first else tokens.transpose(0, 1)


def _with_bias(site: Site, module: nn.MultiheadAttention, queries: Tensor, keys: Tensor) -> tuple[Tensor, Tensor]:
    """Queries and keys by heads; with separate weights the three biases still lie in one vector."""
    q, k = heads_of(site.query, queries, module.num_heads), heads_of(site.key, keys, module.num_heads)
    if site.query.bias is None and module.in_proj_bias is not None:
        biases = module.in_proj_bias.detach().to(q.dtype).chunk(3)
        q, k = (part + bias.reshape(module.num_heads, 1, -1) for part, bias in zip((q, k), biases, strict=False))
    return q, k


def _with_added_keys(module: nn.MultiheadAttention, k: Tensor) -> Tensor:
    B, H, _, size = k.shape
    if module.bias_k is not None:
        k = torch.cat([k, module.bias_k.detach().to(k.dtype).reshape(1, H, 1, size).expand(B, -1, -1, -1)], dim=2)
    return torch.cat([k, k.new_zeros(B, H, 1, size)], dim=2) if module.add_zero_attn else k


def _masks(call: Mapping[str, Any], B: int, H: int, n: int, m: int) -> list[Tensor]:
    """The masks of the call, of shapes that broadcast to (B, H, n, m); Boolean ones with True for "takes part"."""
    found = []
    mask, padding = call.get("attn_mask"), call.get("key_padding_mask")
    if mask is not None:
        mask = mask if mask.is_floating_point() else ~mask.bool()
        found.append(mask.reshape(1, 1, n, m) if mask.ndim == 2 else mask.reshape(B, H, n, m))
    if padding is not None:
        padding = padding if padding.is_floating_point() else ~padding.bool()
        found.append(padding.reshape(B, 1, 1, m))
    return found
