"""Which keys of a file were ignored, and in a few words why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from seprank.attention.config_keys import (
    DEPTH,
    HEAD_SIZE,
    HEADS,
    KEY_VALUE_HEADS,
    MEDIA_WORDS,
    QUERY_KEY_SIZE,
    STACKS,
    VALUE_SIZE,
    WIDTH,
    of_stack,
)
from seprank.attention.config_sizes import Section
from seprank.attention.config_stacks import Draft

_IGNORED = (
    (r"nextn|mtp", "extra prediction layers outside the stack"),
    (r"^index_|attn_every|global_attn|local_attn|local_attention", "window, a mask"),
    (r"expert|moe|router|shared_expert|topk|top_k", "experts, part of the feed-forward"),
    (r"intermediate|ffn|d_ff|dff|d_inner|n_inner|mlp|hidden_act|activation|hidden_dim|feed_forward", "feed-forward"),
    (r"window|sliding|layer_types|attention_types|attention_layers|block_size|chunk|sparse", "window, a mask"),
    (r"mask|causal|is_decoder|bidirectional|unidirectional|prefix", "mask"),
    (r"position|rope|rotary|alibi|relative|n_ctx|max_seq|seq_len|seq_length|context|theta", "positions"),
    (r"norm|eps\b|epsilon", "normalisation"),
    (r"drop", "dropout"),
    (r"vocab|embed|tie_word|token|type_vocab", "embeddings and tokens"),
    (r"bias", "biases"),
    (r"scal|softcap|soft_cap|clip_qkv|logit", "scaling"),
    (r"init", "initialisation"),
    (r"quant|dtype|cache|version|kernel|flash|attn_impl", "how the model is run, not its sizes"),
)


_FAMILIES = (DEPTH, WIDTH, HEADS, HEAD_SIZE, QUERY_KEY_SIZE, VALUE_SIZE, KEY_VALUE_HEADS)


def why_ignored(key: str, value: object) -> str:
    """In a few words, why `key` does not enter the architecture.

    >>> why_ignored("sliding_window", 4096)
    'window, a mask'
    """
    if isinstance(value, Mapping):
        return "vision or audio tower" if MEDIA_WORDS & set(key.split("_")) else "options, not a model"
    for pattern, reason in _IGNORED:
        if re.search(pattern, key.lower()):
            return reason
    return "not a size of the attention layers"


def ignored_keys(draft: Draft) -> tuple[tuple[str, str], ...]:
    """The path of each key that did not enter `draft`, with the reason, from the whole file inwards."""
    return tuple(pair for section in reversed(draft.sections) for pair in _of_section(section, draft))


def _of_section(section: Section, draft: Draft) -> Iterator[tuple[str, str]]:
    used = {part for size in draft.read.values() for part in re.split(r" [+/] ", size.key)}
    used |= {inner.path for inner in draft.sections} | {path.rpartition(".")[0] for path in used}
    spoken = " ".join(draft.ties).split()
    for key, value in section.keys.items():
        name = section.name(str(key))
        if name in used or key == "model_type" or name in spoken or f"{name}:" in spoken:
            continue
        if name in draft.reasons:
            yield name, draft.reasons[name]
        elif value is not None and (reason := _family_reason(str(key), section, draft)):
            yield name, reason
        else:
            yield name, why_ignored(str(key), value)


def _family_reason(key: str, section: Section, draft: Draft) -> str | None:
    if any(key in family.keys for family in _FAMILIES):
        return "agrees with a key that was read" if section.keys[key] else "0 counts as absent"
    other = [stack for stack in STACKS if stack != draft.stack]
    if any(key in of_stack(family, stack).keys for family in _FAMILIES for stack in other):
        return "belongs to another stack"
    return None
