"""The names under which config files state sizes, in families of keys that mean the same.

Names differ between model families and over time, so a size is looked for under every name of its family, and two
names that disagree are an error. The tables here are data only; `config_sizes` reads with them.
"""

from __future__ import annotations

from typing import NamedTuple

STACKS = ("encoder", "decoder")


class Family(NamedTuple):
    """Keys that all state the same size: `words` says in an error message which size it is."""

    words: str
    keys: tuple[str, ...]


DEPTH = Family(
    "the number of layers",
    (
        "num_hidden_layers",
        "n_layer",
        "n_layers",
        "num_layers",
        "num_transformer_layers",
        "layers",
        "depth",
    ),
)
WIDTH = Family(
    "the width",
    (
        "hidden_size",
        "n_embd",
        "n_embed",
        "d_model",
        "model_dim",
        "dim",
        "emb_dim",
        "embed_dim",
        "width",
    ),
)
HEADS = Family(
    "the number of self-attention heads",
    (
        "num_attention_heads",
        "n_head",
        "n_heads",
        "num_heads",
        "attention_heads",
        "num_query_heads",
        "heads",
    ),
)
HEAD_SIZE = Family(
    "the head size",
    (
        "head_dim",
        "d_kv",
        "kv_channels",
        "d_head",
        "head_size",
        "attention_head_size",
        "attention_head_dim",
        "dim_head",
        "dim_per_head",
        "size_per_head",
    ),
)
QUERY_KEY_SIZE = Family(
    "the query/key head size",
    ("qk_head_dim", "query_key_head_dim", "query_head_dim", "q_head_dim", "key_head_dim", "k_head_dim"),
)
VALUE_SIZE = Family("the value head size", ("v_head_dim", "value_head_dim"))
KEY_VALUE_HEADS = Family(
    "the number of key/value heads",
    (
        "num_key_value_heads",
        "num_kv_heads",
        "n_head_kv",
        "n_kv_heads",
        "n_kv_head",
        "kv_n_heads",
        "num_query_groups",
    ),
)
STACK_PATTERNS = {
    DEPTH.words: ("{}_layers", "num_{}_layers", "{}_num_hidden_layers", "{}_num_layers", "n_{}_layers"),
    WIDTH.words: ("{}_hidden_size", "{}_d_model", "{}_embed_dim"),
    HEADS.words: (
        "{}_attention_heads",
        "num_{}_attention_heads",
        "{}_num_attention_heads",
        "{}_num_heads",
        "num_{}_heads",
    ),
    HEAD_SIZE.words: ("{}_head_dim",),
    KEY_VALUE_HEADS.words: ("{}_num_key_value_heads",),
}
ATTENTION_OPTIONS = ("attn_config", "attention_config", "attn_cfg", "self_attention_config")


def of_stack(family: Family, stack: str) -> Family:
    """The names of the same size that carry the name of one stack, such as ``decoder_layers``."""
    patterns = STACK_PATTERNS.get(family.words, ())
    return Family(f"{family.words} of the {stack}", tuple(pattern.format(stack) for pattern in patterns))


# Sections of a file, told apart by the words of their names. A section found in neither table is a set of options.
LANGUAGE_WORDS = {"text", "language", "llm", "lm", "thinker"}
BARE_MODEL_NAMES = {"model", "transformer", "model_config", "transformer_config"}
MEDIA_WORDS = {
    "vision",
    "visual",
    "vit",
    "image",
    "img",
    "video",
    "audio",
    "speech",
    "acoustic",
    "acoustics",
    "sound",
    "codec",
    "vq",
    "vqgan",
    "backbone",
}
MEDIA_KEYS = {"image_size", "patch_size", "num_channels", "num_mel_bins", "conv_dim", "sampling_rate"}
