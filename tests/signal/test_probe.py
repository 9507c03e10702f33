"""Probing models of PyTorch and hand-written attention: rows, gradients by hand, nothing changed, errors."""

import math
import random
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from seprank.errors import InvalidInput
from seprank.signal import Probe, probe

N, D = 5, 8


class Attention(nn.Module):
    """One head, softmax written out; `how` is the road to the attention matrix."""

    def __init__(self, d=D, how="softmax", causal=False, fused=False):
        super().__init__()
        self.num_heads, self.how, self.is_causal = 1, how, causal
        if fused:
            self.qkv = nn.Linear(d, 3 * d)
        else:
            self.query, self.key, self.value = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x):
        parts = self.qkv(x).chunk(3, -1) if hasattr(self, "qkv") else (self.query(x), self.key(x), self.value(x))
        q, k, v = parts
        if self.how == "sdpa":
            return F.scaled_dot_product_attention(q, k, v, is_causal=self.is_causal)
        M = q @ k.mT / math.sqrt(x.shape[-1])
        if self.is_causal:
            M = M.masked_fill(torch.ones_like(M, dtype=torch.bool).triu(1), -1e9)
        if self.how == "softmax":
            return M.softmax(-1) @ v
        weights = (M - M.amax(-1, keepdim=True)).exp()
        return weights / weights.sum(-1, keepdim=True) @ v


def tokens(B=3, n=N, d=D, dtype=torch.float64):
    return torch.randn(B, n, d, dtype=torch.float64, generator=torch.Generator().manual_seed(1)).to(dtype)


def seeded(make):
    torch.manual_seed(0)
    return make().double()


def encoder(L=2, norm_first=False, **more):
    layer = nn.TransformerEncoderLayer(D, 2, 16, batch_first=True, norm_first=norm_first, **more)
    return nn.TransformerEncoder(layer, L, enable_nested_tensor=False)


def squares(output):
    return output.square().sum()


def test_every_road_to_the_logits_agrees():
    """Softmax seen, fused attention seen, worked out from projections, and plain numpy."""
    for causal in (False, True):
        base = seeded(lambda: Attention(causal=causal))  # noqa: B023
        x = tokens()
        q, k = (part(x).detach().numpy() for part in (base.query, base.key))
        M = q @ k.transpose(0, 2, 1) / math.sqrt(D)
        allowed = np.broadcast_to(np.tril(np.ones((N, N), bool)) if causal else np.ones((N, N), bool), M.shape)
        A = np.where(allowed, np.exp(M), 0.0)
        A /= A.sum(-1, keepdims=True)
        entropy = -np.where(allowed, A * np.log(np.where(allowed, A, 1.0)), 0.0).sum(-1).mean()
        for how, source in (("softmax", "softmax"), ("sdpa", "sdpa"), ("by hand", "projections")):
            base.how = how
            (row,) = probe(base, x)
            assert (row.logits, row.mask) == (source, "causal" if causal else "none")
            assert row.logit_std == pytest.approx(M[allowed].std(), rel=1e-9)
            assert row.attention_entropy == pytest.approx(entropy, rel=1e-9)
            uniform = np.log(np.arange(1, N + 1)).mean() if causal else math.log(N)
            assert row.uniform_entropy == pytest.approx(uniform)


def test_gradients_of_one_token_pair_by_hand():
    """n = d = 2, uniform attention (zero queries): dL/dWV is known, dL/dWK vanishes, dL/dWQ is written out."""
    model = Attention(2).double()
    with torch.no_grad():
        for part in (model.query, model.key, model.value):
            part.bias.zero_()
        model.query.weight.zero_()
        model.key.weight.copy_(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
        model.value.weight.copy_(torch.eye(2))
    X, G = np.array([[1.0, 0.0], [2.0, 1.0]]), np.array([[1.0, -1.0], [0.5, 2.0]])
    (row,) = probe(model, torch.tensor(X)[None], loss=lambda output: (torch.tensor(G) * output).sum())
    mean = X.mean(0)
    value = np.outer(G.sum(0), mean)  # S_i = W mean for both tokens
    K = X @ np.array([[1.0, 2.0], [3.0, 4.0]]).T
    centred = (X - mean) / 2 / math.sqrt(2)  # derivative of uniform attention over the logits, 1/n P
    query = sum(np.outer(K.T @ (centred @ G[i]), X[i]) for i in range(2))
    assert row.value_gradient == pytest.approx(np.linalg.norm(value))
    assert row.query_gradient == pytest.approx(np.linalg.norm(query))
    assert row.key_gradient == 0.0
    assert row.query_over_value == pytest.approx(np.linalg.norm(query) / np.linalg.norm(value))


@pytest.mark.parametrize("norm_first", [False, True])
def test_gradients_of_an_encoder_are_those_of_autograd(norm_first):
    model, x = seeded(lambda: encoder(norm_first=norm_first, dropout=0.0)), tokens()
    found = probe(model, x, loss=squares)
    squares(model(x)).backward()
    assert [row.name for row in found] == ["layers.0.self_attn", "layers.1.self_attn"]
    for row, layer in zip(found, model.layers, strict=True):
        parts = layer.self_attn.in_proj_weight.grad.numpy().reshape(3, D, D)
        gradients = (row.query_gradient, row.key_gradient, row.value_gradient)
        assert gradients == pytest.approx([np.linalg.norm(part) for part in parts])
        assert (row.n, row.d, row.heads, row.calls) == (N, D, 2, 1)


def test_fused_and_separate_weights_give_the_same():
    separate, fused = seeded(Attention), seeded(lambda: Attention(fused=True))
    with torch.no_grad():
        parts = (separate.query, separate.key, separate.value)
        fused.qkv.weight.copy_(torch.cat([part.weight for part in parts]))
        fused.qkv.bias.copy_(torch.cat([part.bias for part in parts]))
    for how in ("softmax", "by hand"):
        separate.how = fused.how = how
        one, two = probe(separate, tokens())[0], probe(fused, tokens())[0]
        numbers = ["query_gradient", "key_gradient", "value_gradient", "logit_std", "attention_entropy", "cosine"]
        for name in numbers:
            assert getattr(one, name) == pytest.approx(getattr(two, name)), name


def test_default_loss_gives_the_norm_of_the_jacobian():
    """The mean over G of ||dL/dW||^2 is ||dX/dW||^2; behind a layer norm a mean of squares would give 0."""
    model, x = seeded(lambda: encoder(1, dropout=0.0)), tokens(1, 3)
    found = probe(model, x)
    G = torch.randn(1, 3, D, generator=torch.Generator().manual_seed(0), dtype=torch.float32).double()
    again = probe(model, x, loss=lambda output: (G * output).sum())
    assert found[0].value_gradient == again[0].value_gradient > 1e-3
    flat = probe(model, x, loss=lambda output: output.square().mean())
    assert flat[0].value_gradient < 1e-4 * found[0].value_gradient
    assert (found.loss_kind, again.loss_kind) == ("random linear form of the output", "loss given")


def test_multihead_attention_with_everything():
    """Masks, padding, added keys, other widths of keys and values: logits against a run that returns its weights."""
    torch.manual_seed(0)
    options = {"add_bias_kv": True, "add_zero_attn": True, "kdim": 6, "vdim": 7, "batch_first": True}
    for more in ({}, options):
        model = nn.MultiheadAttention(D, 2, **more).double().eval()
        with torch.no_grad():
            model.in_proj_bias.normal_()
        query, key, value = tokens(2, 4), tokens(2, 5, more.get("kdim", D)), tokens(2, 5, more.get("vdim", D))
        if not more:
            query, key, value = (part.transpose(0, 1) for part in (query, key, value))
        padding = torch.tensor([[False] * 5, [False, False, True, False, True]])
        mask = torch.zeros(4, 5, dtype=torch.bool).triu(2)
        call = {"query": query, "key": key, "value": value, "attn_mask": mask, "key_padding_mask": padding}
        (row,) = probe(model, call)
        with torch.no_grad():
            A = model(**call, average_attn_weights=False)[1].numpy()
        entropy = -(A * np.log(np.where(A > 0, A, 1.0))).sum(-1).mean()
        assert (row.logits, row.mask, row.n, row.d) == ("inputs", "other", 4, D)
        assert row.attention_entropy == pytest.approx(entropy, rel=1e-9)
        assert row.uniform_entropy == pytest.approx(np.log((A > 0).sum(-1)).mean())


def test_a_decoder_has_two_rows_a_layer():
    model = seeded(lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(D, 2, 16, batch_first=True), 1)).eval()
    mask = nn.Transformer.generate_square_subsequent_mask(N, dtype=torch.float64)
    found = probe(model, {"tgt": tokens(), "memory": tokens(3, 7), "tgt_mask": mask, "tgt_is_causal": True})
    assert [(row.name, row.mask) for row in found] == [
        ("layers.0.self_attn", "causal"),
        ("layers.0.multihead_attn", "none"),
    ]


def test_unbatched_input_and_the_fused_encoder_in_eval_mode():
    model = seeded(lambda: encoder()).eval()
    whole, one = probe(model, tokens(1)), probe(model, tokens(1)[0])
    assert len(whole) == len(one) == 2
    for row, other in zip(whole, one, strict=True):
        assert row.logit_std == pytest.approx(other.logit_std)
        assert row.cosine == pytest.approx(other.cosine)
    for name, part in model.layers[0].named_parameters():
        part.requires_grad_("layers" in name)  # a layer in which nothing needs gradients may take the fused road
    found = probe(model, tokens())
    assert [row.query_gradient is None for row in found] == [True, False]
    assert "Weights frozen or without influence on the loss in layers 1." in found.conclusion
    assert torch.backends.mha.get_fastpath_enabled()


class Counting(nn.Module):
    """Everything that a forward pass may touch: batch norm, dropout, own buffers, random numbers, an old hook."""

    def __init__(self):
        super().__init__()
        self.norm, self.attention, self.drop = nn.BatchNorm1d(N), Attention(), nn.Dropout(0.5)
        self.register_buffer("steps", torch.zeros(()))
        self.attention.query.register_forward_hook(lambda *_: None)

    def forward(self, x, fail=False):
        self.steps = self.steps + random.random() + np.random.rand() + torch.rand(())  # noqa: NPY002
        x = self.drop(self.attention(self.norm(x)))
        if fail:
            raise RuntimeError("as asked")
        return x


def state(model):
    """All that has to stay, as values that can be compared."""
    hooks = ["_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_forward_pre_hooks_with_kwargs"]
    return (
        [(name, value.tolist(), value.requires_grad) for name, value in model.named_parameters()],
        [None if part.grad is None else part.grad.tolist() for part in model.parameters()],
        [(name, id(value), value.tolist()) for name, value in model.named_buffers()],
        [module.training for module in model.modules()],
        [len(getattr(module, name)) for module in model.modules() for name in hooks],
        (torch.get_rng_state().tolist(), random.getstate(), np.random.get_state()[1].tolist()),  # noqa: NPY002
        (torch.is_grad_enabled(), torch.backends.mha.get_fastpath_enabled()),
    )


@pytest.mark.parametrize("train", [True, False])
def test_nothing_is_changed(train):
    model = seeded(Counting).train(train)
    model.attention.key.weight.requires_grad_(False)
    model(tokens()).sum().backward()
    before = state(model)
    for surrounding in (torch.no_grad, torch.enable_grad, torch.inference_mode):
        with surrounding():
            found = probe(model, tokens())
        assert found[0].key_gradient is None
        assert state(model) == before
    assert probe(model, tokens()) == found  # random numbers are put back: the same again
    for bad in ({"x": tokens(), "fail": True}, (tokens(3, N, 3),), (tokens() * math.nan,)):
        with pytest.raises((RuntimeError, InvalidInput)):
            probe(model, bad)
        assert state(model) == before
    with pytest.raises(ZeroDivisionError):
        probe(model, tokens(), loss=lambda output: 1 / 0)
    assert state(model) == before


def test_errors_of_the_model_pass_through():
    with pytest.raises(RuntimeError, match=r"^as asked$"):
        probe(seeded(Counting), {"x": tokens(), "fail": True})


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_half_precision(dtype):
    exact = seeded(lambda: encoder(dropout=0.0)).eval()
    rounded = seeded(lambda: encoder(dropout=0.0)).eval().to(dtype)
    for row, other in zip(probe(exact, tokens()), probe(rounded, tokens(dtype=dtype)), strict=True):
        for name in ("cosine", "effective_rank", "norm", "value_gradient", "query_gradient", "logit_std"):
            assert getattr(other, name) == pytest.approx(getattr(row, name), rel=0.1, abs=0.02), (name, row.layer)


def test_float16_gradients_below_its_range_are_seen():
    rounded = seeded(lambda: encoder(1, dropout=0.0)).eval().half()
    tiny = probe(rounded, tokens(dtype=torch.float16), loss=lambda y: 1e-6 * (y.float() * tokens()[:1].float()).sum())
    whole = probe(rounded, tokens(dtype=torch.float16), loss=lambda y: (y.float() * tokens()[:1].float()).sum())
    assert tiny[0].value_gradient == pytest.approx(1e-6 * whole[0].value_gradient, rel=0.05)


def test_inputs_outputs_and_losses_of_several_kinds():
    class Wrapped(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner, self.kind = Attention(), "dict"

        def forward(self, x, scale=1.0):
            y = self.inner(x) * scale
            outputs = {"dict": {"ids": torch.arange(3), "y": y}, "loss": {"loss": squares(y)}, "scalar": y.sum()}
            return outputs.get(self.kind, [torch.arange(2)] if self.kind == "none" else (y,))

    model, x = seeded(Wrapped), tokens()
    first = probe(model, x)
    for inputs in ((x,), [x, 1.0], {"x": x}, {"x": x, "scale": 1.0}):
        assert probe(model, inputs) == first
    model.kind = "tuple"
    assert probe(model, x) == first
    model.kind = "loss"
    own = probe(model, x)
    assert own.loss_kind == "loss of the output"
    assert own[0].query_gradient == probe(model, x, loss=lambda output: output["loss"])[0].query_gradient
    model.kind = "scalar"
    assert probe(model, x).loss_kind == "output, a scalar"
    model.kind = "none"
    with pytest.raises(InvalidInput, match="model must give a tensor of floats, got list; pass loss="):
        probe(model, x)


def test_a_shared_layer_counts_its_calls():
    class Shared(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.idle = Attention(), Attention()

        def forward(self, x):
            return self.layer(self.layer(x))

    model = seeded(Shared)
    found = probe(model, tokens())
    first, second = probe(model.layer, tokens())[0], probe(model.layer, model.layer(tokens()).detach())[0]
    assert (len(found), found[0].calls, found.unreached) == (1, 2, ("idle",))
    assert found[0].cosine == pytest.approx((first.cosine + second.cosine) / 2)
    assert "Attention layers that did not run: idle." in found.conclusion


class Unusual(nn.Module):
    """Names that nothing knows; raw parameters; heads side by side in one weight."""

    def __init__(self):
        super().__init__()
        self.A, self.B, self.C = (nn.Linear(D, D, bias=False) for _ in range(3))
        self.mix = nn.Linear(D, 3 * D, bias=False)
        self.WQ, self.WK, self.WV = (nn.Parameter(torch.randn(D, D)) for _ in range(3))

    def forward(self, x):
        x = x + F.scaled_dot_product_attention(self.A(x), self.B(x), self.C(x))
        q, k, v = self.mix(x).unflatten(-1, (2, 3, -1)).permute(3, 0, 2, 1, 4)
        x = x + F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
        return torch.softmax(x @ self.WQ @ (x @ self.WK).mT, dim=2) @ x @ self.WV


def test_layers_that_the_user_names():
    model, x = seeded(Unusual), tokens()
    squares(model(x)).backward()
    norm = lambda *parts: pytest.approx([float(part.norm()) for part in parts])  # noqa: E731
    gradients = lambda row: [row.query_gradient, row.key_gradient, row.value_gradient]  # noqa: E731
    (raw,) = probe(model, x, squares)
    assert gradients(raw) == norm(model.WQ.grad, model.WK.grad, model.WV.grad)
    assert (raw.logits, raw.d) == ("sdpa", D)  # its tokens are the input of the module, so is the first attention seen
    (named,) = probe(model, x, squares, attention={"query": "A", "key": "B", "value": "C"})
    assert gradients(named) == norm(model.A.weight.grad, model.B.weight.grad, model.C.weight.grad)
    by_head = model.mix.weight.grad.reshape(2, 3, D // 2, D)
    (fused,) = probe(model, x, squares, attention={"qkv": "mix", "heads": 2})
    assert gradients(fused) == norm(*(by_head[:, i] for i in range(3)))
    assert (fused.heads, fused.logits) == (2, "sdpa")
    (stacked,) = probe(model, x, squares, attention={"qkv": "m*"})
    assert gradients(stacked) == norm(*model.mix.weight.grad.chunk(3))


def test_a_sequence_first_model_is_told_by_its_softmax():
    class SequenceFirst(nn.Module):
        def __init__(self):
            super().__init__()
            self.q_proj, self.k_proj, self.v_proj = (nn.Linear(D, D) for _ in range(3))

        def forward(self, x):  # (n, B, d)
            q, k, v = (part(x).transpose(0, 1) for part in (self.q_proj, self.k_proj, self.v_proj))
            return (q @ k.mT).softmax(dim=2) @ v

    model = seeded(SequenceFirst)
    (row,) = probe(model, tokens(3).transpose(0, 1))
    units = F.normalize(tokens(3), dim=-1)
    cosine = ((units @ units.mT).sum((1, 2)) - N) / (N * (N - 1))
    assert (row.n, row.cosine, row.logits) == (N, pytest.approx(float(cosine.mean())), "softmax")


def test_wrong_variants_give_other_numbers():
    """A fused weight not split, or split head by head where it is not, and a cosine with the diagonal."""
    model, x = seeded(lambda: encoder(1, dropout=0.0)), tokens()
    (row,) = probe(model, x, squares)
    squares(model(x)).backward()
    whole = model.layers[0].self_attn.in_proj_weight.grad
    by_head = whole.reshape(2, 3, D // 2, D)[:, 0]
    for wrong in (whole, by_head, whole[D : 2 * D], whole[:D].square().sum()):
        assert abs(float(wrong.norm()) - row.query_gradient) > 0.02 * row.query_gradient
    units = F.normalize(x, dim=-1)
    assert abs(float((units @ units.mT).mean()) - row.cosine) > 0.1


def test_a_pattern_chooses_layers():
    found = probe(seeded(lambda: encoder(3)), tokens(), attention="layers.[12].*")
    assert [(row.layer, row.name) for row in found] == [(1, "layers.1.self_attn"), (2, "layers.2.self_attn")]


def broken(layer, what):
    model = seeded(lambda: encoder(3, norm_first=True, dropout=0.0))
    with torch.no_grad():
        model.layers[layer].get_submodule(what).weight[0, 0] = math.nan
    return model


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: probe("gpt2", tokens()), "model must be a torch.nn.Module, got str"),
        (lambda: probe(nn.Linear(2, 2), torch.ones(2, 2)), "found none in Linear; attention= names them"),
        (lambda: probe(seeded(Attention), tokens(), loss=3), "loss must be a function of the model's output, got 3"),
        (lambda: probe(seeded(Attention), tokens(), loss=lambda y: y), r"loss must be a scalar tensor .* got shape"),
        (lambda: probe(seeded(Attention), tokens(), loss=lambda y: 1.0), "loss must be a scalar .* got float"),
        (lambda: probe(seeded(Attention).requires_grad_(False), tokens()), "gradient path, got .* that are all frozen"),
        (lambda: probe(seeded(Attention), tokens(), lambda y: y.detach().sum()), "gradient path .* does not depend on"),
        (lambda: probe(seeded(Attention), tokens(3, 1)), "at least 2 tokens, got 1"),
        (
            lambda: probe(seeded(Attention), tokens() / 0),
            r"got (NaN|infinity) in the tokens of attention layer 1 \(Attention\); the inputs hold it already$",
        ),
        (
            lambda: probe(broken(1, "linear2"), tokens()),
            r"got NaN in the tokens of attention layer 3 \(layers.2.self_attn\); it first appears in the output of "
            "'layers.1.linear2'",
        ),
        (lambda: probe(broken(2, "linear2"), tokens()), "got NaN in the loss; it .* 'layers.2.linear2'"),
        (
            lambda: probe(seeded(Attention), tokens() * 1e200),
            r"got NaN or infinity in the logits of attention layer 1",
        ),
        (
            lambda: probe(seeded(Attention), tokens(), lambda y: y.square().sum().sqrt() * math.inf),
            "got infinity in the loss",
        ),
        (
            lambda: probe(seeded(Attention), tokens(), lambda y: (y - y.detach()).norm() + (y - y).sum().sqrt()),
            r"in the gradient of the query weight of attention layer 1 \(Attention\)",
        ),
        (lambda: probe(seeded(Attention), tokens(), attention="x*"), "attention must match .* got 'x\\*'; those .* ''"),
        (lambda: probe(seeded(Attention), tokens(), attention={"q": "x"}), "attention must be a pattern .* got"),
        (lambda: probe(seeded(Unusual), tokens(), attention={"qkv": "nix"}), "matrix, or parameters, got qkv='nix'"),
        (lambda: probe(seeded(Unusual), tokens(), attention={"qkv": "WQ"}), "modules for qkv, got the parameter 'WQ'"),
        (lambda: probe(seeded(Unusual), tokens(), attention={"qkv": 3}), "pattern of names for qkv, got 3"),
        (
            lambda: probe(seeded(Unusual), tokens(), attention={"query": "[AB]", "key": "B", "value": "C"}),
            "as many queries as keys and values, got 2, 1, 1",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(InvalidInput, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_layer_that_never_runs():
    class Idle(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention, self.out = Attention(), nn.Linear(D, D)

        def forward(self, x):
            return self.out(x)

    with pytest.raises(InvalidInput, match="got a forward pass without 'attention'"):
        probe(seeded(Idle), tokens())


def test_collapse_is_found():
    model = seeded(lambda: encoder(3, dropout=0.0)).eval()
    same = torch.ones(2, N, D, dtype=torch.float64) + 1e-5 * tokens(2)
    found = probe(model, same)
    assert (found.collapse_layer, found[0].layer) == (1, 1)
    assert "above 0.99 from layer 1 on" in found.conclusion
    assert found[2].query_over_value < 1e-4
    assert found[0].stable_rank == pytest.approx(1.0, abs=1e-6)


def test_the_table():
    found = probe(seeded(lambda: encoder()), tokens())
    assert isinstance(found, Probe)
    assert [row["layer"] for row in found.as_dicts()] == [row.layer for row in found] == [1, 2]
    assert found.as_dicts()[1]["cosine"] == found[1].cosine
    shown = ElementTree.fromstring(found._repr_html_())
    assert len(list(shown.iter("tr"))) == 3
    assert found.conclusion in shown.find("caption").text
    assert probe(seeded(lambda: encoder(1)), tokens()).conclusion.count("in layer") == 1


def test_importing_the_room_imports_no_torch():
    code = "import sys, seprank.signal; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
