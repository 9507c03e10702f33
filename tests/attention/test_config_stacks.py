"""Files with several sections or stacks: which one is read, and when `--stack` is asked for."""

import pytest

from seprank.attention.config import read_config
from seprank.errors import InvalidInput, OutOfScope


def hf(depth, width, heads, **more):
    return {"num_hidden_layers": depth, "hidden_size": width, "num_attention_heads": heads, **more}


def sizes(source, stack=None):
    made = read_config(source, stack=stack).architecture
    return made.L, made.dx, made.H, made.da


VISION = {"hidden_size": 1152, "image_size": 896, "num_attention_heads": 16, "num_hidden_layers": 27, "patch_size": 14}
GEMMA3 = {
    "model_type": "gemma3",
    "mm_tokens_per_image": 256,
    "text_config": hf(62, 5376, 32, head_dim=128, num_key_value_heads=16, model_type="gemma3_text"),
    "vision_config": VISION,
}


def test_nested_language_section_is_read_and_towers_are_not():
    reading = read_config(GEMMA3)
    assert sizes(GEMMA3) == (62, 5376, 32, 128)
    assert reading.read["L"] == ("text_config.num_hidden_layers", 62)
    assert ("vision_config", "vision or audio tower") in reading.ignored
    assert reading.name == "gemma3"
    assert not reading.lower_bounds_proved_for_free_weights


@pytest.mark.parametrize(
    "config",
    [
        {"model_type": "llava", "text_config": hf(40, 5120, 40), "vision_config": VISION},
        {"model_type": "internvl_chat", "llm_config": hf(40, 5120, 40), "vision_config": VISION},
        {"model_type": "deepseek_vl_v2", "language_config": hf(40, 5120, 40), "vision_config": VISION},
        {"model_type": "qwen2_vl", **hf(40, 5120, 40), "vision_config": {"depth": 32, "embed_dim": 1280}},
        {"model_type": "qwen2_vl", **hf(40, 5120, 40), "text_config": hf(40, 5120, 40), "vision_config": VISION},
        {"model_type": "paligemma", "hidden_size": 5120, "text_config": hf(40, 5120, 40), "vision_config": VISION},
        {
            "model_type": "blip-2",
            "qformer_config": hf(12, 768, 12),
            "text_config": hf(40, 5120, 40, model_type="opt", word_embed_proj_dim=5120),
            "vision_config": VISION,
        },
        {
            "model_type": "qwen2_5_omni",
            "talker_config": hf(24, 896, 12),
            "thinker_config": {"audio_config": {"d_model": 1280}, "text_config": hf(40, 5120, 40)},
        },
        {
            "model_type": "llama4",
            "text_config": hf(40, 5120, 40, attention_chunk_size=8192, no_rope_layers=[1, 1, 1, 0]),
            "vision_config": VISION,
        },
        {"embed_dim": 1024, "text_cfg": {"layers": 40, "width": 5120, "heads": 40}, "vision_cfg": {"layers": 32}},
        {"model": hf(40, 5120, 40), "trainer": {"lr": 0.1}},
        {**hf(40, 5120, 40), "text_config": {"model_type": "llama"}, "vision_config": VISION},
    ],
)
def test_language_model_of_multimodal_files(config):
    assert sizes(config) == (40, 5120, 40, 128)


def test_clip_takes_the_text_tower():
    config = {"model_type": "clip", "projection_dim": 512, "text_config": hf(12, 512, 8), "vision_config": VISION}
    assert sizes(config) == (12, 512, 8, 64)


@pytest.mark.parametrize("section", [{"model_type": "llama", "vocab_size": 32064}, {"hidden_size": 2560}])
def test_nested_section_with_too_few_keys_is_an_error(section):
    with pytest.raises(InvalidInput, match="text_config must state the number of layers, got none of the keys num_hid"):
        read_config({"text_config": section, "vision_config": VISION})


def test_nested_section_without_heads_is_an_error():
    section = {"hidden_size": 2560, "num_hidden_layers": 34}
    with pytest.raises(OutOfScope, match="text_config must state the number of self-attention heads"):
        read_config({"model_type": "gemma3", "text_config": section, "vision_config": VISION})


def test_sizes_around_the_section_must_agree():
    with pytest.raises(InvalidInput, match=r"hidden_size=1024 and text_config\.hidden_size=2048"):
        read_config({"hidden_size": 1024, "text_config": hf(2, 2048, 8)})


def test_two_language_sections_are_an_error():
    with pytest.raises(InvalidInput, match="one language-model section, got text_config and llm_config"):
        read_config({"text_config": hf(2, 8, 2), "llm_config": hf(3, 8, 2)})


def test_towers_only_are_refused():
    with pytest.raises(OutOfScope, match="only vision_config, audio_config: a vision or audio tower is never read"):
        read_config({"vision_config": VISION, "audio_config": hf(2, 8, 2)})


def test_mllama_has_cross_attention():
    config = {"model_type": "mllama", "text_config": hf(40, 4096, 32, cross_attention_layers=[3, 8, 13])}
    reading = read_config(config)
    assert any("text_config.cross_attention_layers" in line for line in reading.remarks)
    assert not reading.lower_bounds_proved_for_free_weights


BART = {
    "model_type": "bart",
    "is_encoder_decoder": True,
    "d_model": 1024,
    "decoder_attention_heads": 16,
    "decoder_ffn_dim": 4096,
    "decoder_layers": 12,
    "encoder_attention_heads": 16,
    "encoder_ffn_dim": 4096,
    "encoder_layers": 12,
    "num_hidden_layers": 12,
}
DISTILBART = {**BART, "decoder_layers": 6}
WHISPER_TURBO = {
    "model_type": "whisper",
    "is_encoder_decoder": True,
    "d_model": 1280,
    "decoder_attention_heads": 20,
    "decoder_layers": 4,
    "encoder_attention_heads": 20,
    "encoder_layers": 32,
    "num_hidden_layers": 32,
    "num_mel_bins": 128,
}
T5_11B = {
    "model_type": "t5",
    "is_encoder_decoder": True,
    "d_ff": 65536,
    "d_kv": 128,
    "d_model": 1024,
    "num_decoder_layers": 24,
    "num_heads": 128,
    "num_layers": 24,
}
T5_EFFICIENT = {**T5_11B, "num_layers": 36}
VIT_MAE = {
    "model_type": "vit_mae",
    **hf(12, 768, 12),
    "decoder_hidden_size": 512,
    "decoder_num_attention_heads": 16,
    "decoder_num_hidden_layers": 8,
}
MOONSHINE = {
    "model_type": "moonshine",
    "hidden_size": 288,
    "is_encoder_decoder": True,
    "encoder_num_hidden_layers": 6,
    "decoder_num_hidden_layers": 6,
    "encoder_num_attention_heads": 8,
    "decoder_num_attention_heads": 8,
    "encoder_num_key_value_heads": 8,
    "decoder_num_key_value_heads": 8,
}
COMPOSITE = {
    "model_type": "encoder-decoder",
    "encoder": hf(12, 768, 12, model_type="bert"),
    "decoder": {"model_type": "gpt2", "n_layer": 24, "n_embd": 1024, "n_head": 16, "add_cross_attention": True},
}
MUSICGEN = {
    "model_type": "musicgen",
    "audio_encoder": {"model_type": "encodec", "hidden_size": 128, "num_lstm_layers": 2},
    "decoder": hf(24, 1024, 16, model_type="musicgen_decoder"),
    "text_encoder": {"model_type": "t5", "d_kv": 64, "d_model": 768, "num_heads": 12, "num_layers": 12},
}


@pytest.mark.parametrize(
    ("config", "encoder", "decoder"),
    [
        (DISTILBART, (12, 1024, 16, 64), (6, 1024, 16, 64)),
        (WHISPER_TURBO, (32, 1280, 20, 64), (4, 1280, 20, 64)),
        (T5_EFFICIENT, (36, 1024, 128, 128), (24, 1024, 128, 128)),
        (VIT_MAE, (12, 768, 12, 64), (8, 512, 16, 32)),
        (COMPOSITE, (12, 768, 12, 64), (24, 1024, 16, 64)),
        (MUSICGEN, (12, 768, 12, 64), (24, 1024, 16, 64)),
        ({**BART, "decoder_attention_heads": 8}, (12, 1024, 16, 64), (12, 1024, 8, 128)),
        ({"text_config": T5_EFFICIENT, "vision_config": VISION}, (36, 1024, 128, 128), (24, 1024, 128, 128)),
    ],
)
def test_stacks_that_differ_ask_for_a_choice(config, encoder, decoder):
    with pytest.raises(InvalidInput, match=f"encoder .L={encoder[0]}, .* --stack encoder or --stack decoder"):
        read_config(config)
    assert sizes(config, "encoder") == encoder
    assert sizes(config, "decoder") == decoder
    assert read_config(config, stack="encoder").lower_bounds_proved_for_free_weights
    assert not read_config(config, stack="decoder").lower_bounds_proved_for_free_weights


@pytest.mark.parametrize(
    ("config", "expected"),
    [(BART, (12, 1024, 16, 64)), (T5_11B, (24, 1024, 128, 128)), (MOONSHINE, (6, 288, 8, 36))],
)
def test_stacks_with_equal_sizes_need_no_choice(config, expected):
    for stack in (None, "encoder", "decoder"):
        assert sizes(config, stack) == expected
    reading = read_config(config)
    assert reading.remarks[0].startswith("Encoder and decoder have the same sizes")
    assert any("Cross-attention" in line for line in reading.remarks)


def test_t5_states_the_encoder_depth_under_the_general_name():
    assert read_config(T5_EFFICIENT, stack="encoder").read["L"] == ("num_layers", 36)
    assert ("num_decoder_layers", "belongs to another stack") in read_config(T5_EFFICIENT, stack="encoder").ignored


def test_one_depth_for_both_stacks_is_said():
    config = {key: value for key, value in T5_11B.items() if key != "num_decoder_layers"}
    assert "num_layers is the one depth that the file states for both stacks." in read_config(config).remarks


def test_the_general_name_must_agree_with_one_stack():
    with pytest.raises(InvalidInput, match="num_hidden_layers=7 and encoder_layers=12 and decoder_layers=6"):
        read_config({**DISTILBART, "num_hidden_layers": 7}, stack="encoder")
    with pytest.raises(InvalidInput, match="num_attention_heads=4 and encoder_attention_heads=16"):
        read_config({**BART, "num_attention_heads": 4}, stack="encoder")


def test_vision_encoder_is_never_read():
    config = {"encoder": {"model_type": "vit", **VISION}, "decoder": hf(12, 768, 12, model_type="gpt2")}
    reading = read_config(config)
    assert sizes(config) == sizes(config, "decoder") == (12, 768, 12, 64)
    assert "The encoder is a vision or audio tower, which is never read." in reading.remarks
    with pytest.raises(InvalidInput, match="got 'encoder' for a model without it"):
        read_config(config, stack="encoder")


@pytest.mark.parametrize("config", [hf(12, 768, 12), GEMMA3])
@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_a_model_with_one_stack_takes_no_choice(config, stack):
    with pytest.raises(InvalidInput, match=f"--stack names, got '{stack}' for a model without it"):
        read_config(config, stack=stack)


def test_a_lone_named_stack_may_be_named():
    config = {"d_model": 64, "decoder_layers": 2, "decoder_attention_heads": 4, "is_decoder": True, "num_layers": 2}
    assert sizes(config, "decoder") == (2, 64, 4, 16)
    with pytest.raises(InvalidInput, match="got 'encoder'"):
        read_config(config, stack="encoder")


def test_stack_must_be_one_of_two():
    with pytest.raises(InvalidInput, match="stack must be 'encoder' or 'decoder', got 'both'"):
        read_config(BART, stack="both")


def test_the_decoder_section_of_a_composite_may_carry_keys_of_both_stacks():
    decoder = {**BART, "decoder_layers": 10, "is_decoder": True, "is_encoder_decoder": False, "add_cross_attention": 1}
    encoder = {"model_type": "donut-swin", "depths": [2, 2, 14, 2], "image_size": [896, 672], "num_heads": [4, 8]}
    assert sizes({"encoder": encoder, "decoder": decoder}) == (10, 1024, 16, 64)


def test_several_networks_are_refused():
    with pytest.raises(OutOfScope, match="several networks, question_encoder and generator"):
        read_config({"model_type": "rag", "question_encoder": hf(2, 8, 2), "generator": BART})
