"""Which modules count as attention, and which rows of their weights make queries, keys and values."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from seprank.errors import InvalidInput
from seprank.signal import probe
from seprank.signal.probe_sites import attention_sites

D = 4


class Conv1D(nn.Module):
    """A linear map whose outputs are columns."""

    def __init__(self, out):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(D, out))


def holder(name="Holder", state=None, **parts):
    """A module of the class `name` with parts and plain attributes."""
    module = type(name, (nn.Module,), {})()
    for key, value in (parts | (state or {})).items():
        setattr(module, key, value)
    return module


def rows(module):
    """The row numbers of queries, keys, values that the one site of `module` cuts out of its first weight."""
    (site,) = attention_sites(module)
    found = []
    for part in site.projections:
        numbered = torch.arange(part.weight.numel()).reshape(part.weight.shape)
        cut = part.part(numbered)
        found.append(((cut[:, 0]) if part.columns else cut[:, 0] // numbered.shape[1]).tolist())
    return found


def test_layouts_of_fused_weights():
    stacked = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    by_head = [[0, 1, 6, 7], [2, 3, 8, 9], [4, 5, 10, 11]]
    two = {"num_heads": 2}
    assert rows(holder(c_attn=Conv1D(3 * D))) == stacked
    assert rows(holder(qkv=nn.Linear(D, 3 * D), state=two)) == stacked
    assert rows(holder(query_key_value=nn.Linear(D, 3 * D), state=two)) == by_head
    assert rows(holder(c_attn=nn.Linear(D, 3 * D), state=two | {"multi_query": False})) == by_head
    shared = [[0, 1, 2, 3], [4, 5], [6, 7]]
    assert rows(holder(c_attn=nn.Linear(D, 8), state=two | {"multi_query": True, "head_dim": 2})) == shared
    assert rows(holder(query_key_value=nn.Linear(D, 8), state=two | {"num_kv_heads": 1, "head_dim": 2})) == shared
    wide = nn.Linear(D, 16)  # four heads of size 2 on a width of 4, two key heads
    assert rows(holder(qkv_proj=wide, state={"num_heads": 4, "head_dim": 2}))[1:] == [[8, 9, 10, 11], [12, 13, 14, 15]]
    parts = rows(holder("CodeGenAttention", qkv_proj=nn.Linear(D, 3 * D)))
    assert parts == [[0, 3, 6, 9], [2, 5, 8, 11], [1, 4, 7, 10]]


def test_queries_of_their_own_beside_fused_keys_and_values():
    (site,) = attention_sites(holder(q_attn=Conv1D(D), c_attn=Conv1D(2 * D)))
    assert site.query.rows is None
    assert (list(site.key.rows), list(site.value.rows)) == ([0, 1, 2, 3], [4, 5, 6, 7])


def test_heads_are_read_where_they_are_stated():
    def heads(**state):
        parts = {"q_proj": nn.Linear(D, 8), "k_proj": nn.Linear(D, 4), "v_proj": nn.Linear(D, 4)}
        (site,) = attention_sites(holder(state=state, **parts))
        return site.heads, site.groups

    class Config:
        num_attention_heads = 4

    assert heads(num_heads=4) == heads(config=Config()) == heads(head_dim=2) == (4, 2)
    assert heads() == (None, None)
    assert heads(num_heads=3) == (None, None)
    assert heads(num_heads=1) == (1, None)


def test_what_is_no_attention():
    for module in (
        holder(query=nn.Linear(D, D), key=nn.Linear(D, D)),
        holder(query=nn.Linear(D, D), key=nn.Linear(D, D), value=nn.ReLU()),
        holder(qkv=nn.Conv2d(D, 3 * D, 1)),
        holder(q=nn.Parameter(torch.ones(D)), k=nn.Parameter(torch.ones(D)), v=nn.Parameter(torch.ones(D))),
    ):
        assert list(attention_sites(module)) == []


def test_a_fused_weight_that_fits_no_layout():
    with pytest.raises(InvalidInput, match=r"attention layer 'inner': a fused projection must hold .* attention="):
        list(attention_sites(holder(inner=holder(qkv=nn.Linear(D, 7)))))


class Flat(nn.Module):
    """Attention on three or five axes, beside softmaxes that are none."""

    def __init__(self, mask=None):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(D, D) for _ in range(3))
        self.mask = mask

    def forward(self, x):
        x = F.gelu(F.softmax(x, dim=-1))  # a softmax before any queries
        q, k, v = self.query(x), self.key(x), self.value(x)
        F.softmax(v.sum(-1), -1)  # no attention: two axes
        F.softmax(v.unsqueeze(1), dim=1)  # nor along keys
        return F.scaled_dot_product_attention(q, k, v, attn_mask=self.mask)


def test_masks_on_three_axes():
    mask = torch.tensor([[True, False, False], [True, True, False], [True, True, True]])
    torch.manual_seed(0)
    x = torch.randn(2, 3, D)
    model = Flat(mask)
    (three,) = probe(model, x)
    assert (three.mask, three.logits, three.heads) == ("causal", "sdpa", 1)
    model.mask = mask.expand(1, 2, 1, 3, 3)
    (five,) = probe(model, x.reshape(1, 2, 1, 3, D))
    assert (five.mask, five.n) == ("causal", 3)
    assert five.attention_entropy == pytest.approx(three.attention_entropy, rel=1e-6)
    model.mask = mask.clone()
    model.mask[0] = False
    (empty,) = probe(model, x, loss=lambda output: output[:, 1:].sum())
    assert empty.uniform_entropy == pytest.approx((math.log(2) + math.log(3)) / 2)
