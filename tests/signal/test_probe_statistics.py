"""Statistics of tokens and logits against plain numpy; masks; where fused weights keep their parts."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from seprank.errors import InvalidInput
from seprank.signal.probe_layouts import codegen, grouped, stacked
from seprank.signal.probe_logits import of_heads, of_softmax
from seprank.signal.probe_masks import Pattern, causal, masked
from seprank.signal.probe_statistics import LogitStatistics, token_statistics

CPU = torch.device("cpu")


def by_numpy(X):
    """Cosine over pairs by a double loop, ranks by singular values."""
    n = len(X)
    cosines = [X[i] @ X[j] / np.linalg.norm(X[i]) / np.linalg.norm(X[j]) for i in range(n) for j in range(i)]
    sizes = np.linalg.svd(X, compute_uv=False)
    shares = sizes[sizes > 1e-12] / sizes.sum()
    entropy = -(shares * np.log(shares)).sum()
    return np.mean(cosines), math.exp(entropy), (sizes**2).sum() / sizes[0] ** 2, np.linalg.norm(X)


@pytest.mark.parametrize(("n", "d"), [(2, 5), (7, 3), (4, 4)])
def test_tokens_against_numpy(n, d):
    X = np.random.default_rng(n).standard_normal((3, n, d)) + 0.5
    found = token_statistics(torch.tensor(X))
    expected = np.mean([by_numpy(one) for one in X], axis=0)
    assert (found.n, found.d) == (n, d)
    assert (found.cosine, found.effective_rank, found.stable_rank, found.norm) == pytest.approx(tuple(expected))


def test_special_tokens():
    orthogonal = token_statistics(torch.eye(3))
    assert (orthogonal.cosine, orthogonal.effective_rank, orthogonal.stable_rank) == pytest.approx((0.0, 3.0, 3.0))
    same = token_statistics(torch.ones(5, 4, dtype=torch.float16))
    assert (same.cosine, same.effective_rank, same.stable_rank) == pytest.approx((1.0, 1.0, 1.0), abs=1e-6)
    opposite = token_statistics(torch.tensor([[1.0, 0.0], [-3.0, 0.0]]))
    assert opposite.cosine == pytest.approx(-1.0)
    one_zero = token_statistics(torch.tensor([[1.0, 0.0], [0.0, 0.0], [1.0, 1.0]]))
    assert one_zero.cosine == pytest.approx(math.sqrt(0.5))  # pairs with a token that is 0 have no angle
    zero = token_statistics(torch.zeros(2, 3, 4))
    assert (zero.cosine, zero.effective_rank, zero.stable_rank, zero.norm) == (None, None, None, 0.0)
    assert token_statistics(torch.ones(1, 4)).cosine is None


def test_a_cosine_near_one_keeps_its_digits():
    X = torch.tensor([[1.0, 1e-6], [1.0, -1e-6]], dtype=torch.float64)
    assert 1.0 - token_statistics(X).cosine == pytest.approx(2e-12, rel=1e-3)


def logits_by_numpy(M, allowed):
    """Standard deviation over all that takes part, mean row entropy, mean entropy of uniform rows."""
    entropies, uniform = [], []
    for row, keep in zip(M.reshape(-1, M.shape[-1]), allowed.reshape(-1, M.shape[-1]), strict=True):
        if keep.any():
            A = np.exp(row[keep]) / np.exp(row[keep]).sum()
            entropies.append(-(A * np.log(A)).sum())
            uniform.append(math.log(keep.sum()))
    return M[allowed].std(), np.mean(entropies), np.mean(uniform)


@given(st.integers(0, 10**6), st.sampled_from(["none", "causal", "other"]), st.booleans())
def test_logits_against_numpy(seed, kind, added):
    rng = np.random.default_rng(seed)
    B, H, G, n, d = 2, 4, 2, 5, 3
    q, k = rng.standard_normal((B, H, n, d)), rng.standard_normal((B, G, n, d))
    masks = {"none": np.ones((n, n), bool), "causal": np.tril(np.ones((n, n), bool)), "other": rng.random((n, n)) < 0.6}
    allowed = np.broadcast_to(masks[kind], (B, H, n, n))
    M = 0.7 * np.einsum("bhid,bhjd->bhij", q, np.repeat(k, 2, axis=1))
    mask = torch.tensor(masks[kind])[None, None]
    mask = torch.zeros(mask.shape, dtype=torch.float64).masked_fill(~mask, -math.inf) if added else mask
    seen = of_heads(torch.tensor(q), torch.tensor(k), 0.7, mask, False, "sdpa")
    values = seen.statistics
    found = values.std, values.entropy / values.rows, values.uniform / values.rows
    assert found == pytest.approx(logits_by_numpy(M, allowed), rel=1e-9, abs=1e-9)
    again = of_softmax({"input": torch.tensor(np.where(allowed, M, -1e9)), "dim": -1}, n, n)
    assert again.statistics.std == pytest.approx(values.std, rel=1e-9, abs=1e-9)
    assert (again.heads, again.statistics.entropy) == (4, pytest.approx(values.entropy, abs=1e-9))
    if kind != "other":
        assert seen.mask == again.mask == kind


def test_blocks_change_nothing(monkeypatch):
    torch.manual_seed(0)
    q, k = torch.randn(3, 2, 7, 4), torch.randn(3, 2, 7, 4)
    mask = torch.rand(3, 1, 1, 7) < 0.8
    whole = of_heads(q, k, 0.5, mask, True, "sdpa")
    monkeypatch.setattr("seprank.signal.probe_statistics.BLOCK", 30)
    parts = of_heads(q, k, 0.5, mask, True, "sdpa")
    assert parts.mask == whole.mask == "other"
    for name in ("count", "rows", "std", "entropy", "uniform"):
        assert getattr(parts.statistics, name) == pytest.approx(getattr(whole.statistics, name), rel=1e-5)


def test_logits_nearly_equal_keep_their_spread():
    values = LogitStatistics()
    values.add(torch.tensor([[1000.0, 1000.0 + 2**-10]]), None)
    assert values.std == pytest.approx(2**-11)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_logits_that_are_not_finite(bad):
    values = LogitStatistics()
    values.add(torch.tensor([[1.0, bad]]), None)
    assert not values.finite


def test_a_softmax_of_another_shape_is_not_attention():
    for shape, dim in (((2, 5, 7), -1), ((5, 5), -1), ((2, 5, 5), 1), ((2, 6, 5), -1)):
        assert of_softmax({"input": torch.zeros(shape), "dim": dim}, 5, 5) is None
    assert of_softmax({"input": torch.zeros(2, 5, 7), "dim": 2}, 5, None).mask == "none"


def test_what_counts_as_masked():
    least = torch.finfo(torch.float16).min
    half = torch.tensor([least, -2.0, -1e4, -20000.0], dtype=torch.float16)
    assert masked(half).tolist() == [True, False, True, False]
    single = torch.tensor([-1e9 + 3, -1e10, -1e20, -1e4 + 2, -2e9, -54321.0, 1e9, 0.0])
    assert masked(single).tolist() == [True, True, True, True, False, False, False, False]


def test_patterns():
    def name(allowed):
        kind = Pattern()
        for row in range(len(allowed)):
            kind.add(allowed[row : row + 1], slice(row, row + 1), *allowed.shape)
        return kind.name

    assert name(causal(4, 4, CPU)) == "causal"
    assert name(causal(2, 5, CPU, 3)) == "causal"
    assert name(torch.ones(3, 3, dtype=torch.bool)) == "none"
    assert name(causal(4, 4, CPU, 1)) == "other"
    assert name(causal(4, 4, CPU).T) == "other"


def test_layouts_by_hand():
    whole = ["q0", "q1", "k0", "k1", "v0", "v1"]
    assert [[whole[i] for i in part] for part in vars(stacked(6)).values()] == [whole[:2], whole[2:4], whole[4:]]
    heads = ["q0", "k0", "v0", "q1", "k1", "v1"]
    parts = [[heads[i] for i in part] for part in vars(grouped(6, heads=2)).values()]
    assert parts == [["q0", "q1"], ["k0", "k1"], ["v0", "v1"]]
    shared = ["q0", "q1", "k0", "v0", "q2", "q3", "k1", "v1"]  # four heads of size 1 in two groups
    parts = [[shared[i] for i in part] for part in vars(grouped(8, heads=4, groups=2)).values()]
    assert parts == [["q0", "q1", "q2", "q3"], ["k0", "k1"], ["v0", "v1"]]
    assert [list(part) for part in vars(codegen(12)).values()] == [[0, 3, 6, 9], [2, 5, 8, 11], [1, 4, 7, 10]]


@given(st.integers(1, 4), st.integers(1, 3), st.integers(1, 3))
def test_layouts_hold_every_row_once(groups, members, size):
    heads, out = groups * members, (groups * members + 2 * groups) * size
    for rows in (grouped(out, heads, groups), stacked(out, query=heads * size)):
        assert sorted([*rows.query, *rows.key, *rows.value]) == list(range(out))
        assert (len(rows.query), len(rows.key), len(rows.value)) == (heads * size, groups * size, groups * size)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stacked(4), "must hold queries, keys and values, got 4 rows with 1 queries"),
        (lambda: grouped(7, heads=2), "of 2 heads in 2 groups must have a multiple of 6 rows, got 7"),
        (lambda: grouped(10, heads=3, groups=2), "of 3 heads in 2 groups"),
    ],
)
def test_sizes_that_do_not_fit(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
