"""Networks that the theory does not cover, and traits that tie or remove weights, told from the keys of a section."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from seprank.attention.config_keys import KEY_VALUE_HEADS
from seprank.attention.config_sizes import Section, Size, family_of_stack, stated_size
from seprank.errors import InvalidInput, OutOfScope

_EVERY_LAYER = "the theory covers stacks in which every layer is self-attention"
_NO_ATTENTION = re.compile(
    r"mamba|rwkv|retnet|xlstm|hyena|^fnet|^s4|^gla$|delta_?net|hgrn|linear_attn|poolformer|recurrent_?gemma|griffin"
)
_LATENT_KEYS = ("num_latents", "d_latents")
_STAGE_KEYS = ("depths", "hidden_sizes", "block_sizes", "embed_dims", "num_blocks_per_stage")
_LAYER_KIND_KEYS = ("layer_types", "layers_block_type", "block_types", "_block_types", "attn_layers")
_ATTENTION_KINDS = {"attn", "full", "global", "local", "sliding", "chunked", "lsh", "dense", "moe", "sparse"}
_OTHER_KIND = re.compile(r"linear|mamba|ssm|conv|recurrent|rwkv|hybrid")
_INDEX_KEYS = ("attn_layer_indices", "attn_layer_idx", "full_attn_idxs", "attn_layers_idx", "hybrid_layer_ids")
_PERIOD_KEYS = ("attn_layer_period", "full_attention_interval")
_OTHER_MIXER = re.compile(r"^(mamba|ssm)_|^(state_size|d_state|ssm_cfg|lru_width|linear_attn_config|conv_L_cache)$")
_LOOP_KEYS = ("total_ut_steps", "num_loops", "mean_recurrence", "num_recurrences")
_PER_LAYER_KEYS = ("num_attention_heads_per_layer", "num_key_value_heads_per_layer", "block_configs")
_CROSS_KEYS = (
    "add_cross_attention",
    "cross_attention_layers",
    "cross_layer_interval",
    "cross_attn_every_n_layers",
    "cross_attention_frequency",
    "cross_attention_hidden_size",
)
_LOW_RANK_KEYS = ("q_lora_rank", "kv_lora_rank", "o_lora_rank", "qk_lora_rank", "share_q_dim")


def refuse_out_of_scope(section: Section) -> None:
    """Raise `OutOfScope` with the reason if the network of `section` is not a stack of equal self-attention layers."""
    for reason in _refusals(section):
        raise OutOfScope(reason)


def _refusals(section: Section) -> Iterator[str]:
    keys, name = section.keys, section.name
    kind = keys.get("model_type")
    if isinstance(kind, str) and _NO_ATTENTION.search(kind.lower()):
        yield f"{name('model_type')} {kind!r} mixes tokens without self-attention heads; {_EVERY_LAYER}"
    for key in _LATENT_KEYS:
        if keys.get(key):
            yield f"{name(key)} says that the layers work on latents, not on the tokens; {_EVERY_LAYER}"
    for key in _STAGE_KEYS:
        if isinstance(keys.get(key), list) and keys[key]:
            yield f"{name(key)} lists {len(keys[key])} stages: the theory covers one stack of constant width and length"
    yield from _other_layers(section)
    yield from _unequal_layers(section)


def _other_layers(section: Section) -> Iterator[str]:
    keys, name = section.keys, section.name
    for key in _LAYER_KIND_KEYS:
        for kind in _flat(keys.get(key)):
            if not _is_self_attention(kind):
                yield f"{name(key)} holds {kind!r} layers; {_EVERY_LAYER}"
    for key in _PERIOD_KEYS:
        if isinstance(keys.get(key), int) and keys[key] > 1:
            yield f"{name(key)} {keys[key]} puts attention in one layer of {keys[key]} only; {_EVERY_LAYER}"
    for key in _INDEX_KEYS:
        if keys.get(key):
            yield f"{name(key)} puts attention in some layers only; {_EVERY_LAYER}"
    if any(kind != 1 for kind in _list(keys.get("attn_type_list"))):
        yield f"{name('attn_type_list')} holds layers of linear attention; {_EVERY_LAYER}"
    if keys.get("hybrid_override_pattern"):
        yield f"{name('hybrid_override_pattern')} mixes kinds of layers; {_EVERY_LAYER}"
    for key in filter(keys.get, keys):
        if _OTHER_MIXER.search(str(key)):
            yield f"{name(key)} belongs to a state-space or recurrent part; {_EVERY_LAYER}"
    if section.states(["head_ratio"]):
        yield f"{name('head_ratio')} replaces a part of the heads by convolutions; {_EVERY_LAYER}"


def _unequal_layers(section: Section) -> Iterator[str]:
    keys, name = section.keys, section.name
    for key in _PER_LAYER_KEYS:
        if keys.get(key):
            yield f"{name(key)} gives each layer its own heads: the theory needs the same heads in every layer"
    if keys.get("pruned_heads"):
        yield f"{name('pruned_heads')} removes heads in some layers: the theory needs the same heads in every layer"
    for first, second in (("head_dim", "global_head_dim"), ("num_attention_heads", "swa_num_attention_heads")):
        if keys.get(second) and keys.get(first) != keys[second]:
            yield (
                f"{name(second)} {keys[second]} differs from {name(first)} {keys.get(first)}: "
                "the theory needs the same heads in every layer"
            )
    for key in _LOOP_KEYS:
        if isinstance(keys.get(key), int) and keys[key] > 1:
            yield f"{name(key)} {keys[key]} runs the layers several times, so that their number is not the depth"
    if isinstance(keys.get("inner_group_num"), int) and keys["inner_group_num"] > 1:
        yield f"{name('inner_group_num')} {keys['inner_group_num']} runs several layers in each counted layer"
    if keys.get("layer_sharing") is True:
        yield f"{name('layer_sharing')} runs each layer several times, so that their number is not the depth"
    if keys.get("use_bottleneck") is True and section.states(["intra_bottleneck_size", "true_hidden_size"]):
        yield f"{name('use_bottleneck')} narrows the input of every layer: the theory covers layers of one width"


def ties(section: Section, depth: int, heads: int, kv_heads: Size | None) -> Iterator[str]:
    """One sentence for each trait that ties or removes weights of the self-attention layers of `section`."""
    keys, name = section.keys, section.name
    yield from _shared_keys_and_values(section, heads, kv_heads)
    groups = section.size("num_hidden_groups", "the number of groups of layers", optional=True)
    if groups is not None and groups.value < depth:
        yield f"{groups.key} {groups.value} is below the depth {depth}: layers share their weights."
    elif groups is None and keys.get("model_type") == "albert":
        yield "num_hidden_groups is not stated: layers of albert may share their weights."
    for key in ("num_kv_shared_layers", "cla_share_factor"):
        if keys.get(key) and not (key == "cla_share_factor" and keys.get("use_cla") is False):
            yield f"{name(key)} {keys[key]}: layers share keys and values."
    if section.flag("attention_k_eq_v"):
        yield f"{name('attention_k_eq_v')}: keys and values are the same."
    if "lsh" in _list(keys.get("attn_layers")):
        yield f"{name('attn_layers')} holds 'lsh' layers: their queries and keys are the same."
    for key in _LOW_RANK_KEYS:
        rank = section.size(key, "the rank of a projection", optional=True)
        if rank is not None:
            yield f"{rank.key} {rank.value}: projections of low rank."
    for key in ("q_groups", "k_groups", "v_groups"):
        if isinstance(keys.get(key), int) and keys[key] > 1:
            yield f"{name(key)} {keys[key]}: a projection that is a block diagonal matrix."
    if any("cross" in str(kind) for key in _LAYER_KIND_KEYS for kind in _flat(keys.get(key))):
        yield "Cross-attention layers stand in the place of some self-attention layers."
    for key in _CROSS_KEYS:
        if keys.get(key):
            yield f"{name(key)}: cross-attention layers stand beside the self-attention or in its place."


def key_value_heads(section: Section, stack: str) -> Size | None:
    """The number of key/value heads of `stack` ("" if it has no name), if it is stated."""
    if "multi_query_group_num" in section.keys and section.flag("multi_query_attention"):
        return section.size("multi_query_group_num", KEY_VALUE_HEADS.words, optional=True)
    return stated_size(section, family_of_stack(section, KEY_VALUE_HEADS, stack), optional=True)


def _shared_keys_and_values(section: Section, heads: int, kv_heads: Size | None) -> Iterator[str]:
    keys, name = section.keys, section.name
    if kv_heads is not None and (kv_heads.value > heads or heads % kv_heads.value):
        raise InvalidInput(f"{kv_heads.key} must divide the number of heads {heads}, got {kv_heads.value}")
    if heads == 1:
        return
    # Falcon reads multi_query only in its first architecture; the second one goes by the number of key/value heads.
    one_for_all = not section.flag("new_decoder_architecture") and section.flag("multi_query")
    if one_for_all:
        yield f"{name('multi_query')}: all {heads} heads share one set of keys and values."
    elif kv_heads is not None and kv_heads.value < heads:
        yield f"{kv_heads.key} {kv_heads.value} is below the {heads} heads: keys and values are grouped."
    elif kv_heads is None and section.flag("multi_query_attention"):
        yield f"{name('multi_query_attention')}: heads share keys and values."
    elif "multiquery" in str(_attention_type(keys)).replace("_", ""):
        key = "attn_config" if "attn_config" in keys else "attention_head_type"
        yield f"{name(key)}: all {heads} heads share one set of keys and values."
    elif kv_heads is None and _unstated(section):
        yield "The file does not say whether heads share keys and values, as this type of model may."


def _attention_type(keys: Mapping[str, Any]) -> object:
    options = keys.get("attn_config")
    return options.get("attn_type") if isinstance(options, Mapping) else keys.get("attention_head_type")


def _unstated(section: Section) -> bool:
    if section.keys.get("model_type") not in ("gpt_bigcode", "falcon", "RefinedWeb", "RefinedWebModel"):
        return False
    return section.flag("new_decoder_architecture") or not section.states(["multi_query"])


def _is_self_attention(kind: object) -> bool:
    text = str(kind).lower()
    return text in _ATTENTION_KINDS or ("attention" in text and not _OTHER_KIND.search(text))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _flat(value: object) -> Iterator[object]:
    if isinstance(value, list | tuple):
        for item in value:
            yield from _flat(item)
    elif isinstance(value, str):
        yield value
