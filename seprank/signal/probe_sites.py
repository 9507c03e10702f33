"""Attention layers of a model: where their tokens enter, and where their query, key and value weights lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

import torch
from torch import Tensor, nn

from seprank.errors import InvalidInput
from seprank.signal.probe_layouts import Rows, codegen, grouped, stacked

TRIPLES = (
    ("q_proj", "k_proj", "v_proj"),  # Llama, Mistral, OPT, CLIP, Whisper, ViT
    ("query", "key", "value"),  # BERT, RoBERTa, minGPT
    ("q", "k", "v"),  # T5
    ("q_lin", "k_lin", "v_lin"),  # DistilBERT
    ("query_proj", "key_proj", "value_proj"),  # DeBERTa
    ("to_q", "to_k", "to_v"),  # diffusers
    ("wq", "wk", "wv"),  # the first Llama
    ("WQ", "WK", "WV"),
    ("W_Q", "W_K", "W_V"),  # TransformerLens
    ("W_q", "W_k", "W_v"),
    ("w_q", "w_k", "w_v"),
    ("W_query", "W_key", "W_value"),
)
FUSED = ("c_attn", "query_key_value", "qkv", "qkv_proj", "Wqkv", "W_pack", "to_qkv", "wqkv")
BY_GROUP = ("query_key_value", "wqkv")
_HEADS = ("num_heads", "num_attention_heads", "n_heads", "n_head", "nhead", "heads", "n_local_heads")
_GROUPS = ("num_kv_heads", "num_key_value_heads", "n_kv_heads", "n_kv_head", "n_local_kv_heads")
_HEAD_SIZES = ("head_dim", "head_size", "attention_head_size", "d_head", "key_value_proj_dim")


@dataclass(frozen=True, eq=False)
class Projection:
    """The part of a weight that makes queries, keys or values; `rows` is None where it is all of it.

    `module` is what multiplies by the weight, None for a parameter that the attention module itself holds. `columns`
    is whether outputs are columns (GPT-2's Conv1D), not rows.
    """

    weight: nn.Parameter
    bias: nn.Parameter | None = None
    module: nn.Module | None = None
    columns: bool = False
    rows: Sequence[int] | None = None

    def part(self, full: Tensor) -> Tensor:
        """The rows of `full`, an array of the shape of the weight (or of the bias)."""
        full = full.mT if self.columns and full.ndim == 2 else full
        if self.rows is None or isinstance(self.rows, range):
            return full if self.rows is None else full[self.rows.start : self.rows.stop]
        return full[torch.tensor(self.rows, device=full.device)]


@dataclass(frozen=True, eq=False)
class Site:
    """One attention layer: `name` in the model, the module, its projections, heads of queries and of keys."""

    name: str
    module: nn.Module
    query: Projection
    key: Projection
    value: Projection
    heads: int | None = None
    groups: int | None = None

    @property
    def projections(self) -> tuple[Projection, Projection, Projection]:
        """Queries, keys, values."""
        return self.query, self.key, self.value


def attention_sites(model: nn.Module) -> Iterator[Site]:
    """The attention layers that can be told by their class or by the names of their projections, in model order.

    >>> layer = nn.TransformerEncoderLayer(8, 2, 8, batch_first=True)
    >>> [site.name for site in attention_sites(nn.TransformerEncoder(layer, 2))]
    ['layers.0.self_attn', 'layers.1.self_attn']
    """
    for name, module in model.named_modules():
        if isinstance(module, nn.MultiheadAttention):
            yield _multihead(name, module)
            continue
        parts = _by_name(name, module)
        if parts is not None:
            yield with_heads(name, module, parts)


Parts = tuple[Projection, Projection, Projection]


def _by_name(name: str, module: nn.Module) -> Parts | None:
    try:
        held = module._parameters.keys() | module._modules.keys()
        triples, fused = (
            (names for names in TRIPLES if held.issuperset(names)),
            (name for name in FUSED if name in held),
        )
        tries = chain((_triple(module, names) for names in triples), (_fused(module, name) for name in fused))
        return next(filter(None, tries), None)
    except InvalidInput as error:
        raise InvalidInput(f"attention layer {name!r}: {error}; name its projections with attention=") from None


def with_heads(name: str, module: nn.Module, parts: Parts) -> Site:
    """A site with the numbers of heads that the module or its config states, None where none can be read."""
    heads = heads_of(module, parts[0])
    groups = None if heads is None else _groups_of(parts, heads)
    return Site(name, module, *parts, heads=heads, groups=groups)


def heads_of(module: nn.Module, query: Projection) -> int | None:
    """Heads of the queries: as stated, or from the head size."""
    out = query.part(query.weight).shape[0]
    heads = _stated(module, _HEADS)
    if heads is None or out % heads:
        size = _stated(module, _HEAD_SIZES)
        heads = None if size is None or out % size else out // size
    return heads


def held_projection(module: nn.Module, name: str) -> Projection | None:
    """What `module` holds under `name`: a linear map or a weight; None for anything else."""
    held = module._parameters.get(name, module._modules.get(name))
    if isinstance(held, nn.Parameter):
        return Projection(held) if held.ndim >= 2 else None
    return linear(held) if isinstance(held, nn.Module) else None


def linear(module: nn.Module) -> Projection | None:
    """A module with a weight matrix as a projection; None for anything else."""
    weight, bias = getattr(module, "weight", None), getattr(module, "bias", None)
    if not isinstance(weight, nn.Parameter) or weight.ndim != 2:
        return None
    bias = bias if isinstance(bias, nn.Parameter) else None
    return Projection(weight, bias, module, columns=type(module).__name__ == "Conv1D")


def split(whole: Projection, rows: Rows) -> Parts:
    """A fused projection as three."""
    cut = partial(Projection, whole.weight, whole.bias, whole.module, whole.columns)
    return cut(rows.query), cut(rows.key), cut(rows.value)


def _multihead(name: str, module: nn.MultiheadAttention) -> Site:
    bias = module.in_proj_bias
    rows = stacked(3 * module.embed_dim)
    if module.in_proj_weight is not None:
        parts = split(Projection(module.in_proj_weight, bias), rows)
    else:
        weights = (module.q_proj_weight, module.k_proj_weight, module.v_proj_weight)
        parts = tuple(Projection(weight) for weight in weights)
    return Site(name, module, *parts, heads=module.num_heads, groups=module.num_heads)


def _triple(module: nn.Module, names: tuple[str, str, str]) -> Parts | None:
    parts = tuple(held_projection(module, name) for name in names)
    return None if None in parts else parts  # type: ignore[return-value]


def _fused(module: nn.Module, name: str) -> Parts | None:
    whole = held_projection(module, name)
    if whole is None or whole.module is None:
        return None
    out, width = (whole.weight.mT if whole.columns else whole.weight).shape
    queries = held_projection(module, "q_attn")
    if queries is not None and out == 2 * queries.part(queries.weight).shape[0]:  # GPT-2 reading another sequence
        return (queries, *split(whole, Rows((), range(out // 2), range(out // 2, out)))[1:])
    heads = _stated(module, _HEADS) or width // (_stated(module, _HEAD_SIZES) or width)
    if type(module).__name__ == "CodeGenAttention":
        return split(whole, codegen(out))
    by_head = name == "c_attn" and getattr(module, "multi_query", None) is False
    if name in BY_GROUP or by_head:
        return split(whole, grouped(out, heads, heads if by_head else _stated_groups(module, out, heads)))
    size = _stated(module, _HEAD_SIZES) or width // heads
    return split(whole, stacked(out) if out == 3 * width else stacked(out, query=heads * size))


def _stated_groups(module: nn.Module, out: int, heads: int) -> int:
    """Key heads, where the number of rows agrees with what is stated."""
    groups, size = _stated(module, _GROUPS) or heads, _stated(module, _HEAD_SIZES)
    fits = heads % groups == 0 and (size is None or out == (heads + 2 * groups) * size)
    return groups if fits else heads


def _groups_of(parts: Parts, heads: int) -> int | None:
    size = parts[0].part(parts[0].weight).shape[0] // heads
    keys = parts[1].part(parts[1].weight).shape[0]
    return keys // size if size and keys % size == 0 else None


def _stated(module: nn.Module, names: tuple[str, ...]) -> int | None:
    for source in (module, getattr(module, "config", None)):
        for name in names:
            value = getattr(source, name, None)
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                return value
    return None
