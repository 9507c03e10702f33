"""A model's own count, against the weights of the models that transformers builds from the same config."""

import json
from pathlib import Path

import pytest

from seprank.attention.config import read_config
from seprank.planning.config_count import GATED, PLAIN, own_count

CONFIGS = Path(__file__).parent.parent / "data" / "configs"
SIZES = {"num_hidden_layers": 3, "hidden_size": 48, "num_attention_heads": 4, "intermediate_size": 80}
GPT = {"n_layer": 3, "n_embd": 48, "n_head": 4, "n_inner": 80}
GROUPED = SIZES | {"num_key_value_heads": 2}
CASES = {
    "bert": SIZES,
    "deit": SIZES,
    "electra": SIZES,
    "gemma": GROUPED | {"head_dim": 20},
    "gpt2": GPT,
    "gpt_neox": SIZES,
    "gptj": GPT | {"rotary_dim": 4},
    "llama": GROUPED,
    "mistral": GROUPED,
    "mixtral": GROUPED | {"num_local_experts": 4},
    "opt": {"num_hidden_layers": 3, "hidden_size": 48, "num_attention_heads": 4, "ffn_dim": 80},
    "phi": SIZES,
    "phi3": GROUPED | {"pad_token_id": 0},
    "qwen2": GROUPED,
    "qwen3": GROUPED | {"head_dim": 20},
    "roberta": SIZES,
    "starcoder2": GROUPED,
    "vit": SIZES,
}


def counted(content):
    return own_count(read_config(content), content)


def in_the_layers(model):
    """Weights in matrices of the stack of layers: names with a layer number, two axes or more."""
    parts = {name: tensor for name, tensor in model.named_parameters() if any(p.isdigit() for p in name.split("."))}
    return sum(tensor.numel() for tensor in parts.values() if tensor.ndim > 1)


def test_every_family_that_is_counted_is_built():
    assert set(CASES) == set(PLAIN + GATED)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("family", sorted(CASES))
def test_the_built_model_has_that_many_weights(family):
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    config = transformers.AutoConfig.for_model(family, **CASES[family])
    with torch.device("meta"):
        model = transformers.AutoModel.from_config(config)
    assert counted({"model_type": family, **CASES[family]}).params == in_the_layers(model)


def test_a_plain_block_of_four_times_the_width_is_the_formula():
    sizes = {"num_hidden_layers": 12, "hidden_size": 768, "num_attention_heads": 12, "intermediate_size": 3072}
    assert counted({"model_type": "bert", **sizes}).params == 12 * 12 * 768**2
    assert counted({"model_type": "llama", **sizes}).params == 12 * 16 * 768**2


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.json")), ids=lambda path: path.stem)
def test_sample_configs_have_a_count_or_a_reason(path):
    content = json.loads(path.read_text())
    found = own_count(read_config(path), content)
    assert (found.params is None) == found.about.startswith("not computed: ")
    known = content["model_type"] in PLAIN + GATED
    stated = {"intermediate_size", "ffn_dim"} & {key for key, value in content.items() if value is not None}
    assert (found.params is not None) == (known and bool(stated))


def test_a_nested_model_is_counted_where_its_depth_was_read():
    inner = {"model_type": "llama", **GROUPED}
    content = {"model_type": "llava", "text_config": inner, "vision_config": {"model_type": "vit", **SIZES}}
    assert counted(content).params == counted(inner).params


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({"model_type": "falcon", **SIZES}, "not computed: the layers of model type 'falcon' are not known here"),
        (SIZES, "not computed: the layers of model type 'None' are not known here"),
        ({"model_type": "gpt2", **GPT, "n_inner": None}, "not computed: the file states no feed-forward size"),
        ({"model_type": "bert", **SIZES, "intermediate_size": "big"}, "not computed: the file states no feed-forward"),
        ({"model_type": "mixtral", **GROUPED}, "not computed: the file states no number of experts"),
    ],
)
def test_no_default_stands_in_for_a_size(content, reason):
    found = counted(content)
    assert found.params is None
    assert found.about.startswith(reason)
