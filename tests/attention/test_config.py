"""Sizes read from config files, one faithful excerpt for each family of models."""

import json
from pathlib import Path

import pytest

from seprank.attention.architecture import Architecture
from seprank.attention.config import read_config

SAMPLES = Path(__file__).parents[1] / "data" / "configs"
SAMPLE_SIZES = {
    "bert-base-uncased": (12, 768, 12, 64),
    "bloom-560m": (24, 1024, 16, 64),
    "falcon-40b": (60, 8192, 128, 64),
    "gemma-7b": (28, 3072, 16, 256),
    "gpt-j-6b": (28, 4096, 16, 256),
    "gpt-neox-20b": (44, 6144, 64, 96),
    "gpt2": (12, 768, 12, 64),
    "llama-2-7b": (32, 4096, 32, 128),
    "llama-3-8b": (32, 4096, 32, 128),
    "mistral-7b": (32, 4096, 32, 128),
    "mixtral-8x7b": (32, 4096, 32, 128),
    "opt-125m": (12, 768, 12, 64),
    "qwen2.5-7b": (28, 3584, 28, 128),
    "roberta-base": (12, 768, 12, 64),
    "t5-base": (12, 768, 12, 64),
    "vit-base-patch16-224": (12, 768, 12, 64),
}
TIED_SAMPLES = {"falcon-40b", "llama-3-8b", "mistral-7b", "mixtral-8x7b", "qwen2.5-7b", "t5-base"}


def hf(depth: int, width: int, heads: int, **more: object) -> dict[str, object]:
    """A config with the three most common names."""
    return {"num_hidden_layers": depth, "hidden_size": width, "num_attention_heads": heads, **more}


def sizes(source: object, stack: str | None = None) -> tuple[int, int, int, int]:
    made = read_config(source, stack=stack).architecture
    return made.L, made.dx, made.H, made.da


def test_every_sample_has_its_expected_sizes():
    assert {path.stem for path in SAMPLES.glob("*.json")} == set(SAMPLE_SIZES)


@pytest.mark.parametrize(("name", "expected"), SAMPLE_SIZES.items())
def test_samples(name, expected):
    path = SAMPLES / f"{name}.json"
    assert sizes(path) == expected
    assert sizes(json.loads(path.read_text())) == expected
    assert Architecture.from_config(str(path)) == read_config(path).architecture
    assert read_config(path).lower_bounds_proved_for_free_weights == (name not in TIED_SAMPLES)
    assert read_config(path).name == json.loads(path.read_text())["model_type"]


FREE = [  # (what it is, config, sizes): no remark about weights
    (
        "gpt_neo 125m",
        {
            "model_type": "gpt_neo",
            "attention_types": [[["global", "local"], 6]],
            "attention_layers": ["global", "local"] * 6,
            "hidden_size": 768,
            "num_heads": 12,
            "num_layers": 12,
            "window_size": 256,
            "intermediate_size": None,
        },
        (12, 768, 12, 64),
    ),
    (
        "bloom with n_embed and hidden_size",
        {"model_type": "bloom", "n_embed": 4096, "hidden_size": 4096, "n_layer": 30, "num_attention_heads": 32},
        (30, 4096, 32, 128),
    ),
    (
        "falcon-rw-1b",
        {
            "model_type": "falcon",
            "alibi": True,
            "hidden_size": 2048,
            "multi_query": False,
            "n_head": 32,
            "n_layer": 24,
            "new_decoder_architecture": False,
        },
        (24, 2048, 32, 64),
    ),
    (
        "mpt-7b",
        {
            "model_type": "mpt",
            "attn_config": {"alibi": True, "attn_impl": "torch", "attn_type": "multihead_attention", "qk_ln": False},
            "d_model": 4096,
            "expansion_ratio": 4,
            "init_config": {"emb_init_std": None, "name": "kaiming_normal_"},
            "n_heads": 32,
            "n_layers": 32,
        },
        (32, 4096, 32, 128),
    ),
    ("opt-350m", hf(24, 1024, 16, model_type="opt", word_embed_proj_dim=512, ffn_dim=4096), (24, 1024, 16, 64)),
    ("electra-small", hf(12, 256, 4, model_type="electra", embedding_size=128), (12, 256, 4, 64)),
    (
        "distilbert",
        {"model_type": "distilbert", "dim": 768, "hidden_dim": 3072, "n_heads": 12, "n_layers": 6},
        (6, 768, 12, 64),
    ),
    (
        "xlnet",
        {"model_type": "xlnet", "d_head": 64, "d_inner": 3072, "d_model": 768, "n_head": 12, "n_layer": 12},
        (12, 768, 12, 64),
    ),
    (
        "transfo-xl",
        {
            "model_type": "transfo-xl",
            "d_embed": 1024,
            "d_head": 64,
            "d_inner": 4096,
            "d_model": 1024,
            "n_head": 16,
            "n_layer": 18,
        },
        (18, 1024, 16, 64),
    ),
    ("ctrl", {"model_type": "ctrl", "dff": 8192, "n_embd": 1280, "n_head": 16, "n_layer": 48}, (48, 1280, 16, 80)),
    ("xlm", {"model_type": "xlm", "emb_dim": 2048, "n_heads": 16, "n_layers": 12}, (12, 2048, 16, 128)),
    (
        "xglm",
        {"model_type": "xglm", "attention_heads": 16, "d_model": 1024, "ffn_dim": 4096, "num_layers": 24},
        (24, 1024, 16, 64),
    ),
    ("longformer", hf(12, 768, 12, model_type="longformer", attention_window=[512] * 12), (12, 768, 12, 64)),
    ("deberta-v2", hf(24, 1024, 16, model_type="deberta-v2", attention_head_size=64), (24, 1024, 16, 64)),
    ("bert with no pruned heads", hf(12, 768, 12, pruned_heads={}, add_cross_attention=False), (12, 768, 12, 64)),
    ("phi3", hf(32, 3072, 32, model_type="phi3", num_key_value_heads=32, sliding_window=2047), (32, 3072, 32, 96)),
    ("persimmon", hf(36, 4096, 64, model_type="persimmon", partial_rotary_factor=0.5), (36, 4096, 64, 64)),
    ("head count of one", hf(2, 8, 1, num_key_value_heads=1, multi_query=True), (2, 8, 1, 8)),
    (
        "deepseek-vl2 small: sizes of 0 and null are absent",
        hf(12, 1280, 10, qk_nope_head_dim=0, qk_rope_head_dim=0, v_head_dim=0, q_lora_rank=None, kv_lora_rank=None),
        (12, 1280, 10, 128),
    ),
    (
        "gemma2: layer types are masks",
        hf(
            26,
            2304,
            8,
            head_dim=256,
            layer_types=["sliding_attention", "full_attention"] * 13,
            num_key_value_heads=8,
        ),
        (26, 2304, 8, 256),
    ),
    (
        "trocr: a decoder alone",
        {"model_type": "trocr", "d_model": 1024, "decoder_layers": 12, "decoder_attention_heads": 16},
        (12, 1024, 16, 64),
    ),
    ("null beside a stated name", {**hf(12, 768, 12), "num_attention_heads": None, "n_head": 12}, (12, 768, 12, 64)),
]
TIED = [  # (what it is, config, sizes, a piece of the remark)
    (
        "falcon-7b",
        {
            "model_type": "falcon",
            "hidden_size": 4544,
            "multi_query": True,
            "new_decoder_architecture": False,
            "num_attention_heads": 71,
            "num_hidden_layers": 32,
            "num_kv_heads": 71,
        },
        (32, 4544, 71, 64),
        "multi_query: all 71 heads share one set",
    ),
    (
        "starcoder",
        {"model_type": "gpt_bigcode", "multi_query": True, "n_embd": 6144, "n_head": 48, "n_layer": 40},
        (40, 6144, 48, 128),
        "multi_query: all 48 heads share",
    ),
    (
        "gpt_bigcode that does not say",
        {"model_type": "gpt_bigcode", "n_embd": 768, "n_head": 12, "n_layer": 12},
        (12, 768, 12, 64),
        "does not say whether heads share",
    ),
    (
        "mpt with grouped keys",
        {
            "model_type": "mpt",
            "attn_config": {"attn_type": "grouped_query_attention", "kv_n_heads": 8},
            "d_model": 4096,
            "n_heads": 32,
            "n_layers": 32,
        },
        (32, 4096, 32, 128),
        "attn_config.kv_n_heads 8 is below the 32 heads",
    ),
    (
        "mpt with one set of keys",
        {"attn_config": {"attn_type": "multiquery_attention"}, "d_model": 64, "n_heads": 4, "n_layers": 2},
        (2, 64, 4, 16),
        "attn_config: all 4 heads share",
    ),
    (
        "dbrx",
        {
            "model_type": "dbrx",
            "attn_config": {"clip_qkv": 8, "kv_n_heads": 8, "rope_theta": 500000},
            "d_model": 6144,
            "ffn_config": {"ffn_hidden_size": 10752, "moe_num_experts": 16, "moe_top_k": 4},
            "n_heads": 48,
            "n_layers": 40,
        },
        (40, 6144, 48, 128),
        "attn_config.kv_n_heads 8",
    ),
    ("gemma-2b", hf(18, 2048, 8, head_dim=256, num_key_value_heads=1), (18, 2048, 8, 256), "num_key_value_heads 1"),
    (
        "chatglm2",
        {
            "model_type": "chatglm",
            "ffn_hidden_size": 13696,
            "hidden_size": 4096,
            "kv_channels": 128,
            "multi_query_attention": True,
            "multi_query_group_num": 2,
            "num_attention_heads": 32,
            "num_layers": 28,
        },
        (28, 4096, 32, 128),
        "multi_query_group_num 2 is below the 32 heads",
    ),
    (
        "albert-base",
        hf(12, 768, 12, model_type="albert", embedding_size=128, inner_group_num=1, num_hidden_groups=1),
        (12, 768, 12, 64),
        "num_hidden_groups 1 is below the depth 12",
    ),
    ("gemma3n", hf(30, 2048, 8, head_dim=256, num_kv_shared_layers=10), (30, 2048, 8, 256), "num_kv_shared_layers"),
    (
        "deepseek v3",
        hf(
            61,
            7168,
            128,
            model_type="deepseek_v3",
            kv_lora_rank=512,
            n_routed_experts=256,
            num_key_value_heads=128,
            num_nextn_predict_layers=1,
            q_lora_rank=1536,
            qk_nope_head_dim=128,
            qk_rope_head_dim=64,
            v_head_dim=128,
        ),
        (61, 7168, 128, 192),
        "kv_lora_rank 512: projections of low rank",
    ),
    (
        "deepseek v2 lite, saved again with head_dim for the rotary part",
        hf(
            27,
            2048,
            16,
            head_dim=64,
            kv_lora_rank=512,
            q_lora_rank=None,
            qk_head_dim=192,
            qk_nope_head_dim=128,
            qk_rope_head_dim=64,
            v_head_dim=128,
        ),
        (27, 2048, 16, 192),
        "differ",
    ),
    ("unequal value size", hf(48, 4096, 64, head_dim=192, v_head_dim=128), (48, 4096, 64, 192), "below da"),
    ("value size alone", hf(2, 64, 4, v_head_dim=32), (2, 64, 4, 32), "below da"),
    ("one key for keys and values", hf(2, 8, 2, attention_k_eq_v=True), (2, 8, 2, 4), "keys and values are the same"),
    ("one group for all", hf(2, 8, 2, multi_query_attention=True), (2, 8, 2, 4), "multi_query_attention: heads share"),
    ("albert that does not say", hf(2, 8, 2, model_type="albert"), (2, 8, 2, 4), "num_hidden_groups is not stated"),
    ("larger value size", hf(2, 64, 4, head_dim=16, v_head_dim=32), (2, 64, 4, 32), "below da"),
    (
        "squeezebert",
        hf(12, 768, 12, model_type="squeezebert", q_groups=4, k_groups=4, v_groups=4),
        (12, 768, 12, 64),
        "block diagonal",
    ),
    (
        "reformer",
        {
            "model_type": "reformer",
            "attn_layers": ["local", "lsh", "local", "lsh"],
            "attention_head_size": 64,
            "hidden_size": 256,
            "num_attention_heads": 4,
            "num_hidden_layers": 4,
        },
        (4, 256, 4, 64),
        "queries and keys are the same",
    ),
    (
        "santacoder",
        {"model_type": "gpt2", "attention_head_type": "multiquery", "n_embd": 2048, "n_head": 16, "n_layer": 24},
        (24, 2048, 16, 128),
        "attention_head_type: all 16 heads share",
    ),
    (
        "layers of cross-attention by kind",
        hf(2, 8, 2, layer_types=["full_attention", "cross_attention"]),
        (2, 8, 2, 4),
        "Cross-attention layers stand in the place",
    ),
    ("bert as a decoder", hf(12, 768, 12, add_cross_attention=True), (12, 768, 12, 64), "add_cross_attention: cross"),
]


@pytest.mark.parametrize(("config", "expected"), [row[1:] for row in FREE], ids=[row[0] for row in FREE])
def test_models_with_free_weights(config, expected):
    assert sizes(config) == expected
    assert read_config(config).lower_bounds_proved_for_free_weights


@pytest.mark.parametrize(("config", "expected", "remark"), [row[1:] for row in TIED], ids=[row[0] for row in TIED])
def test_models_with_tied_or_removed_weights(config, expected, remark):
    reading = read_config(config)
    assert sizes(config) == expected
    assert not reading.lower_bounds_proved_for_free_weights
    assert any(remark in line for line in reading.remarks), reading.remarks
    assert "Upper bounds hold" in reading.remarks[-1]
    assert all("\n" not in line for line in reading.remarks)


def test_stated_head_size_wins_and_the_difference_is_said():
    reading = read_config(hf(36, 2560, 32, model_type="qwen3", head_dim=128, num_key_value_heads=32))
    assert reading.architecture.da == 128
    assert reading.read["da"] == ("head_dim", 128)
    assert reading.remarks == ("da is 128 as head_dim states, and not dx / H = 80.",)


def test_stated_head_size_where_the_heads_do_not_divide_the_width():
    reading = read_config(hf(4, 100, 3, head_dim=32))
    assert reading.architecture.da == 32
    assert "100 / 3, which is not whole" in reading.remarks[0]


def test_head_size_that_is_not_stated_is_read_as_a_quotient_of_two_keys():
    assert read_config(hf(12, 768, 12)).read["da"] == ("hidden_size / num_attention_heads", 64)


def test_query_key_and_value_sizes_that_differ_are_said():
    reading = read_config(next(row[1] for row in TIED if row[0] == "deepseek v3"))
    assert reading.read["value head size"] == ("v_head_dim", 128)
    assert reading.remarks[0] == (
        "Query/key size 192 (qk_nope_head_dim + qk_rope_head_dim) and value size 128 (v_head_dim) differ: "
        "da is the larger, 192."
    )


def test_value_size_that_is_not_stated_beside_a_query_key_pair_is_said():
    reading = read_config(hf(62, 2560, 40, kv_lora_rank=256, qk_nope_head_dim=64, qk_rope_head_dim=32))
    assert reading.architecture.da == 96
    assert any("value head size is not stated" in line for line in reading.remarks)


def test_embedding_projection_is_said():
    reading = read_config(hf(24, 1024, 16, word_embed_proj_dim=512))
    assert "word_embed_proj_dim 512 differs from dx 1024" in reading.remarks[0]
    assert ("word_embed_proj_dim", "projection of the embeddings") in reading.ignored


def test_ignored_keys_have_reasons():
    config = hf(
        2,
        8,
        2,
        num_local_experts=8,
        sliding_window=4096,
        is_decoder=True,
        rope_theta=1e4,
        rms_norm_eps=1e-6,
        num_nextn_predict_layers=1,
        rope_scaling={"type": "yarn"},
        num_layers=2,
        torch_dtype="bfloat16",
        architectures=["X"],
    )
    ignored = dict(read_config(config).ignored)
    assert ignored == {
        "num_local_experts": "experts, part of the feed-forward",
        "sliding_window": "window, a mask",
        "is_decoder": "mask",
        "rope_theta": "positions",
        "rms_norm_eps": "normalisation",
        "num_nextn_predict_layers": "extra prediction layers outside the stack",
        "rope_scaling": "options, not a model",
        "num_layers": "agrees with a key that was read",
        "torch_dtype": "how the model is run, not its sizes",
        "architectures": "not a size of the attention layers",
    }


def test_every_key_is_read_ignored_or_spoken_of():
    for _, config, *_ in (*FREE, *TIED):
        reading = read_config(config)
        text = " ".join((*(key for key, _ in reading.read.values()), *dict(reading.ignored), *reading.remarks))
        assert all(key in text for key in config if key != "model_type"), config


def test_the_reading_is_frozen_and_the_name_falls_back_on_the_file(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(hf(2, 8, 2)))
    reading = read_config(path)
    assert reading.name == "mine"
    with pytest.raises(AttributeError):
        reading.name = "other"
