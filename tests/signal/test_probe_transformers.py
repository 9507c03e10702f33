"""Probing randomly initialised models of transformers, built from small configs without any download."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from seprank.signal import probe

transformers = pytest.importorskip("transformers")

L, D, H, N, V = 2, 16, 4, 6, 11
IDS = torch.randint(3, V, (2, N), generator=torch.Generator().manual_seed(0))
SPECIAL = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": None}
COMMON = {"num_hidden_layers": L, "hidden_size": D, "num_attention_heads": H, "intermediate_size": 32, **SPECIAL}


def gpt2(how):
    config = transformers.GPT2Config(
        n_layer=L, n_embd=D, n_head=H, vocab_size=V, n_positions=N, attn_implementation=how, **SPECIAL
    )
    config.loss_type = "ForCausalLM"
    return transformers.GPT2LMHeadModel(config)


def bert(how):
    return transformers.BertModel(transformers.BertConfig(vocab_size=V, attn_implementation=how, **COMMON))


def llama(how):
    config = transformers.LlamaConfig(vocab_size=V, num_key_value_heads=2, attn_implementation=how, **COMMON)
    return transformers.LlamaForCausalLM(config)


def gpt_neox(how):
    return transformers.GPTNeoXForCausalLM(
        transformers.GPTNeoXConfig(vocab_size=V, attn_implementation=how, rotary_pct=0.5, **COMMON)
    )


def falcon(how):
    config = transformers.FalconConfig(
        vocab_size=V, num_kv_heads=2, new_decoder_architecture=True, attn_implementation=how, **COMMON
    )
    return transformers.FalconForCausalLM(config)


def vit(how):
    sizes = {name: value for name, value in COMMON.items() if name not in SPECIAL}
    return transformers.ViTModel(
        transformers.ViTConfig(image_size=8, patch_size=4, num_channels=1, attn_implementation=how, **sizes)
    )


def t5(how):
    config = transformers.T5Config(
        d_model=D, d_kv=4, num_heads=H, num_layers=1, d_ff=32, vocab_size=V, decoder_start_token_id=0
    )
    return transformers.T5ForConditionalGeneration(config)


def built(make, how="sdpa"):
    """A model in float64 and eval mode, with weights large enough that attention is far from uniform."""
    torch.manual_seed(0)
    model = make(how).double().eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(8.0 if weight.ndim == 2 else 1.0)
    return model


def inputs(make):
    if make is vit:
        return torch.randn(2, 1, 8, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    return {"input_ids": IDS, "labels": IDS} if make is t5 else {"input_ids": IDS}


def squares(output):
    return next(iter(output.values())).square().sum() if isinstance(output, dict) else output[0].square().sum()


def split_by_hand(make, model, layer):
    """Gradients of queries, keys, values of a layer, cut out by reshaping."""
    size, G = D // H, 2
    if make is gpt2:
        whole = model.transformer.h[layer].attn.c_attn.weight.grad
        return [whole[:, i * D : (i + 1) * D] for i in range(3)]
    if make is gpt_neox:
        whole = model.gpt_neox.layers[layer].attention.query_key_value.weight.grad.reshape(H, 3, size, D)
        return [whole[:, i] for i in range(3)]
    if make is falcon:
        whole = model.transformer.h[layer].self_attention.query_key_value.weight.grad.reshape(G, H // G + 2, size, D)
        return [whole[:, :-2], whole[:, -2], whole[:, -1]]
    if make is bert:
        attention = model.encoder.layer[layer].attention.self
        return [part.weight.grad for part in (attention.query, attention.key, attention.value)]
    name = ["q_proj", "k_proj", "v_proj"]
    found = [[p.grad for key, p in model.named_parameters() if key.endswith(f"{part}.weight")] for part in name]
    return [part[layer] for part in found]


@pytest.mark.parametrize("make", [gpt2, bert, llama, gpt_neox, falcon, vit])
def test_gradients_logits_and_tokens(make):
    model = built(make)
    found = probe(model, inputs(make), loss=squares)
    assert len(found) == L
    attention = "none" if make in (bert, vit) else "causal"
    assert {(row.mask, row.logits, row.d, row.heads) for row in found} == {(attention, "sdpa", D, H)}
    output = model(**inputs(make)) if make is not vit else model(inputs(make))
    squares(output).backward()
    for layer, row in enumerate(found):
        norms = [float(part.norm()) for part in split_by_hand(make, model, layer)]
        assert [row.query_gradient, row.key_gradient, row.value_gradient] == pytest.approx(norms)
    assert min(row.query_gradient for row in found) > 0.0
    eager = built(make, "eager")
    asked = inputs(make) if make is not vit else {"pixel_values": inputs(make)}
    weights = eager(**asked, output_attentions=True).attentions
    for row, other, A in zip(found, probe(eager, inputs(make), loss=squares), weights, strict=True):
        A = A.detach().numpy()
        entropy = -(A * np.log(np.where(A > 0, A, 1.0))).sum(-1).mean()
        assert row.attention_entropy == pytest.approx(entropy, rel=1e-5)  # some models round to float32 in softmax
        assert other.logits == "softmax"
        assert other.mask == row.mask
        for name in ("attention_entropy", "uniform_entropy", "logit_std", "cosine", "query_gradient"):
            assert getattr(other, name) == pytest.approx(getattr(row, name), rel=1e-4), name


def test_the_tokens_are_what_the_projection_reads():
    model = built(gpt2)
    seen = []
    handle = model.transformer.h[1].ln_1.register_forward_hook(lambda module, args, output: seen.append(output))
    row = probe(model, IDS)[1]
    handle.remove()
    X = seen[0].detach().numpy()
    units = X / np.linalg.norm(X, axis=-1, keepdims=True)
    pairs = [np.mean([one[i] @ one[j] for i in range(N) for j in range(i)]) for one in units]
    assert row.cosine == pytest.approx(np.mean(pairs))
    assert row.norm == pytest.approx(np.mean([np.linalg.norm(one) for one in X]))


@pytest.mark.parametrize("make", [gpt2, bert, llama])
def test_projections_alone_give_the_logits_without_positions(make, monkeypatch):
    """With fused attention out of sight; Llama's rotary positions are what is missing then."""
    seen = probe(built(make), inputs(make))
    monkeypatch.setattr("seprank.signal.probe_watch._LOOKED_AT", {})
    for row, other in zip(seen, probe(built(make), inputs(make)), strict=True):
        assert (other.logits, other.mask, other.heads) == ("projections", row.mask, H)
        same = other.attention_entropy == pytest.approx(row.attention_entropy, rel=1e-9)
        assert same == (make is not llama)
        assert other.uniform_entropy == pytest.approx(row.uniform_entropy)


def test_padding_is_a_mask_of_another_kind():
    padded = {"input_ids": IDS, "attention_mask": torch.tensor([[1] * N, [1] * (N - 2) + [0] * 2])}
    for how in ("sdpa", "eager"):
        row = probe(built(bert, how), padded)[0]
        assert row.mask == "other"
        assert row.uniform_entropy == pytest.approx((math.log(N) + math.log(N - 2)) / 2)


def test_encoder_and_decoder():
    found = probe(built(t5), inputs(t5))
    assert [(row.name.split(".")[-1], row.mask) for row in found] == [
        ("SelfAttention", "none"),
        ("SelfAttention", "causal"),
        ("EncDecAttention", "none"),
    ]
    assert found.loss_kind == "loss of the output"
    assert all(row.query_gradient > 0 for row in found)


def test_half_precision_and_bare_layers():
    model = built(llama).to(torch.bfloat16)
    found = probe(model, IDS)
    assert all(math.isfinite(row.cosine + row.query_gradient + row.logit_std) for row in found)
    assert model.dtype == torch.bfloat16
    (row,) = probe(model, IDS, attention="model.layers.1.*")
    assert row.name == "model.layers.1.self_attn"
    assert not any(isinstance(module, nn.MultiheadAttention) for module in model.modules())
