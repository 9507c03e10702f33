"""Sizes that break a rule, files that cannot be read, and networks outside the theory."""

import json

import pytest

from seprank.attention.config import read_config
from seprank.attention.config_file import MAX_BYTES
from seprank.errors import InvalidInput, OutOfScope


def hf(depth, width, heads, **more):
    return {"num_hidden_layers": depth, "hidden_size": width, "num_attention_heads": heads, **more}


OUT_OF_SCOPE = [
    ("swin", {"depths": [2, 2, 6, 2], "embed_dim": 96, "num_heads": [3, 6, 12, 24]}, "depths lists 4 stages"),
    (
        "segformer",
        {"depths": [2, 2, 2, 2], "hidden_sizes": [32, 64, 160, 256], "num_attention_heads": [1, 2, 5, 8]},
        "depths lists 4 stages",
    ),
    ("cvt", {"depth": [1, 2, 10], "embed_dim": [64, 192, 384], "num_heads": [1, 3, 6]}, "depth is a list of 3"),
    (
        "funnel",
        {"block_sizes": [4, 4, 4], "d_head": 64, "d_model": 768, "n_head": 12, "num_decoder_layers": 2},
        "block_sizes lists 3 stages",
    ),
    (
        "openelm",
        {"head_dim": 64, "model_dim": 1280, "num_query_heads": [12, 12, 16], "num_transformer_layers": 3},
        "num_query_heads is a list of 3 entries: .* the same in every layer",
    ),
    ("one list", hf(2, 8, 2, num_key_value_heads=[1, 2]), "num_key_value_heads is a list of 2"),
    ("decilm", hf(2, 8, 2, num_key_value_heads_per_layer=[4, 1]), "num_key_value_heads_per_layer gives each layer"),
    ("pruned bert", hf(2, 8, 2, pruned_heads={"0": [1]}), "pruned_heads removes heads in some layers"),
    ("gemma4", hf(2, 8, 2, head_dim=4, global_head_dim=8), "global_head_dim 8 differs from head_dim 4"),
    ("mamba", {"d_model": 2560, "n_layer": 64, "ssm_cfg": {}}, "number of self-attention heads.* not covered"),
    ("mamba2", hf(64, 4096, 128, model_type="mamba2", head_dim=64, state_size=128), "without self-attention heads"),
    ("codestral-mamba", {"num_heads": 128, "hidden_size": 8, "n_layer": 2, "state_size": 128}, "state-space"),
    ("rwkv", {"model_type": "rwkv", "attention_hidden_size": 768, "num_hidden_layers": 12}, "'rwkv' mixes tokens"),
    ("rwkv5", hf(24, 2048, 32, model_type="rwkv5", head_size=64), "'rwkv5' mixes tokens"),
    ("fnet", {"model_type": "fnet", "hidden_size": 768, "num_hidden_layers": 12}, "'fnet' mixes tokens"),
    ("jamba", hf(32, 4096, 32, attn_layer_period=8, attn_layer_offset=4), "in one layer of 8 only"),
    ("zamba", hf(2, 8, 2, layers_block_type=["mamba", "hybrid"]), "layers_block_type holds 'mamba' layers"),
    ("bamba", hf(32, 4096, 32, attn_layer_indices=[9, 18, 27]), "attn_layer_indices puts attention in some layers"),
    ("qwen3-next", hf(2, 8, 2, layer_types=["linear_attention", "full_attention"]), "'linear_attention' layers"),
    ("qwen3-next period", hf(48, 2048, 16, full_attention_interval=4), "full_attention_interval 4"),
    ("lfm2", hf(2, 8, 2, layer_types=["conv", "full_attention"]), "holds 'conv' layers"),
    ("recurrent gemma", hf(2, 8, 2, block_types=["recurrent", "attention"]), "holds 'recurrent' layers"),
    ("minimax", hf(2, 8, 2, attn_type_list=[0, 1]), "attn_type_list holds layers of linear attention"),
    ("nemotron-h", hf(4, 8, 2, hybrid_override_pattern="M-M*"), "hybrid_override_pattern mixes kinds"),
    ("falcon-h1", hf(2, 8, 2, mamba_d_ssm=16), "mamba_d_ssm belongs to a state-space or recurrent part"),
    ("kimi-linear", hf(2, 8, 2, linear_attn_config={"num_heads": 2}), "linear_attn_config belongs to"),
    ("convbert", hf(2, 8, 2, head_ratio=2, conv_kernel_size=9), "head_ratio replaces a part of the heads"),
    ("perceiver", {"d_latents": 1280, "num_latents": 256, "d_model": 768}, "num_latents says that the layers work on"),
    ("ouro", hf(2, 8, 2, total_ut_steps=4), "total_ut_steps 4 runs the layers several times"),
    ("albert with inner groups", hf(2, 8, 2, inner_group_num=2), "inner_group_num 2 runs several layers"),
    ("mobilellm", hf(2, 8, 2, layer_sharing=True), "layer_sharing runs each layer several times"),
    ("mobilebert", hf(24, 512, 4, true_hidden_size=128, use_bottleneck=True), "use_bottleneck narrows the input"),
    (
        "no heads at all",
        {"num_hidden_layers": 2, "hidden_size": 8, "num_attention_heads": None},
        "got none of the keys",
    ),
    ("nested hybrid", {"text_config": hf(2, 8, 2, attn_layer_period=2)}, "text_config.attn_layer_period 2"),
]


@pytest.mark.parametrize(("config", "message"), [row[1:] for row in OUT_OF_SCOPE], ids=[r[0] for r in OUT_OF_SCOPE])
def test_networks_outside_the_theory(config, message):
    with pytest.raises(OutOfScope, match=message) as caught:
        read_config(config)
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "shown"), [("12", "'12'"), (12.0, "12.0"), (True, "True"), (-3, "-3"), (0, "0"), ({"a": 1}, "{}")]
)
@pytest.mark.parametrize("key", ["num_hidden_layers", "hidden_size", "num_attention_heads"])
def test_sizes_must_be_positive_whole_numbers(key, value, shown):
    with pytest.raises(InvalidInput, match=f"^{key} must be a whole number at least 1, got {shown}$"):
        read_config(hf(2, 8, 2) | {key: value})


@pytest.mark.parametrize("value", ["64", 64.0, True, False, -1, 0.0])
@pytest.mark.parametrize("key", ["head_dim", "num_key_value_heads", "v_head_dim", "kv_lora_rank", "qk_nope_head_dim"])
def test_optional_sizes_must_be_positive_whole_numbers_too(key, value):
    with pytest.raises(InvalidInput, match=f"^{key} must be a whole number at least 1, got "):
        read_config(hf(2, 8, 2, **{key: value}))


@pytest.mark.parametrize("value", [None, 0])
@pytest.mark.parametrize("key", ["head_dim", "num_key_value_heads", "v_head_dim", "kv_lora_rank", "num_hidden_groups"])
def test_optional_sizes_of_null_and_0_are_absent(key, value):
    reading = read_config(hf(2, 8, 2, **{key: value}))
    assert reading.architecture.da == 4
    assert reading.remarks == ()


def test_a_long_string_is_shortened_and_stays_on_one_line():
    with pytest.raises(InvalidInput) as caught:
        read_config(hf(2, 8, "x\n" * 10_000))
    assert len(str(caught.value)) < 200
    assert "\n" not in str(caught.value)


def test_huge_sizes_are_sizes():
    assert read_config(hf(2, 10**30, 1)).architecture.dx == 10**30


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (hf(2, 8, 2, n_layer=3), "num_hidden_layers=2 and n_layer=3"),
        (hf(2, 8, 2, n_embd=16), "hidden_size=8 and n_embd=16"),
        (hf(2, 8, 2, n_heads=4), "num_attention_heads=2 and n_heads=4"),
        (hf(2, 8, 2, head_dim=4, d_kv=8), "head_dim=4 and d_kv=8"),
        (hf(2, 8, 2, num_kv_heads=1, n_head_kv=2), "num_kv_heads=1 and n_head_kv=2"),
        (hf(2, 8, 2, attn_config={"n_heads": 4}), "num_attention_heads=2 and attn_config.n_heads=4"),
        (hf(2, 8, 2, qk_nope_head_dim=4, qk_rope_head_dim=2, qk_head_dim=7), "qk_head_dim=7"),
        (hf(2, 8, 2, qk_nope_head_dim=4, qk_rope_head_dim=2, head_dim=7), "head_dim=7 and qk_nope_head_dim"),
    ],
)
def test_keys_of_one_family_must_agree(config, message):
    with pytest.raises(InvalidInput, match="must agree, got " + message.replace("+", "[+]")):
        read_config(config)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, "config must state the number of layers, got none of the keys num_hidden_layers, n_layer, .*decoder_lay"),
        ({"n_layer": 2, "n_head": 2}, "config must state the width, got none of the keys hidden_size, n_embd"),
        (hf(2, 9, 2), "num_attention_heads must divide hidden_size when no head size is stated .*, got 9 and 2"),
        (hf(2, 8, 2, num_key_value_heads=4), "num_key_value_heads must divide the number of heads 2, got 4"),
        (hf(2, 8, 6, head_dim=4, num_key_value_heads=4), "must divide the number of heads 6, got 4"),
        (hf(2, 8, 2, qk_rope_head_dim=4), "qk_nope_head_dim must be stated with qk_rope_head_dim"),
        (hf(2, 8, 2, multi_query="yes"), "multi_query must be true or false, got 'yes'"),
    ],
)
def test_missing_and_contradictory_sizes(config, message):
    with pytest.raises(InvalidInput, match=message):
        read_config(config)


GOOD = json.dumps(hf(2, 8, 2)).encode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "config must be JSON, got .*bad.json': Expecting value at line 1 column 1"),
        (b"{'a': 1}", "config must be JSON, got .*bad.json': Expecting property name"),
        (b"[1, 2]", "config must hold a JSON object, got a list in .*bad.json"),
        (b"null", "got null in"),
        (b"3", "got a number in"),
        (b'{"a": NaN}', "config must hold finite numbers only, got NaN in .*bad.json"),
        (b'{"a": -Infinity}', "got -Infinity in"),
        (b'{"n_layer": 2, "n_layer": 3}', "each key once, got 'n_layer' twice with different values in .*bad.json"),
        (b'{"n_layer": 1, "n_layer": true}', "got 'n_layer' twice"),
        (b'{"a": "\xff"}', "config must be UTF-8 text, got byte 0xff at offset 7 in .*bad.json"),
        (GOOD.decode().encode("utf-16"), "config must be UTF-8 text, got byte 0xff at offset 0"),
        (b"\xef\xbb\xbf" + GOOD, "config must be JSON without a byte order mark"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"n_layer": ' + b"1" * 5000 + b"}", "a number with too many digits"),
        (b" " * (MAX_BYTES + 1), "config must be at most 16 MiB, got more in"),
    ],
)
def test_files_that_are_not_what_they_should_be(tmp_path, content, message):
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=message) as caught:
        read_config(path)
    assert "\n" not in str(caught.value)


def test_a_repeated_key_with_one_value_is_read(tmp_path):
    path = tmp_path / "twice.json"
    path.write_bytes(GOOD.replace(b"}", b', "hidden_size": 8}'))
    assert read_config(path).architecture.dx == 8


def test_paths_without_a_file(tmp_path):
    with pytest.raises(InvalidInput, match=r"config must be an existing file, got .*none\.json"):
        read_config(tmp_path / "none.json")
    with pytest.raises(InvalidInput, match="config must be a file, got the folder"):
        read_config(tmp_path)
    with pytest.raises(InvalidInput, match="config must be a file that can be read, got"):
        read_config("a\0b")
    with pytest.raises(InvalidInput, match="config must be a file that can be read, got"):
        read_config(tmp_path / ("x" * 300))
    with pytest.raises(InvalidInput, match="config must be a path or a mapping, got int"):
        read_config(7)
