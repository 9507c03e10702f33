"""Statistics of a token matrix and of attention logits, in float64 (tokens) and float32 or float64 (logits)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

BLOCK, BLOCK_ON_DEVICE = 2**18, 2**25  # logits worked on at once: what a core's cache holds, and few launches


@dataclass(frozen=True)
class TokenStatistics:
    """Means over sequences of the statistics of their token matrices, as `LayerProbe` defines them."""

    n: int
    d: int
    cosine: float | None
    effective_rank: float | None
    stable_rank: float | None
    norm: float


def wide(tensor: Tensor) -> Tensor:
    """`tensor` without its gradient in float64, or in float32 on devices that have no float64."""
    return tensor.detach().to(torch.float32 if tensor.device.type == "mps" else torch.float64)


def token_statistics(tokens: Tensor) -> TokenStatistics:
    """Statistics of tokens of shape (..., n, d).

    >>> found = token_statistics(torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0]]))
    >>> round(found.cosine, 4), round(found.stable_rank, 4), round(found.norm**2, 4)
    (0.3333, 1.5, 6.0)
    """
    n, d = tokens.shape[-2:]
    X = wide(tokens).reshape(-1, n, d)
    peaks = X.abs().amax((-2, -1), keepdim=True)
    X = X / peaks.where(peaks > 0, torch.ones_like(peaks))  # squares of very large and very small tokens stay in range
    squares = _squared_singular_values(X)
    kept = squares[squares.sum(-1) > 0]
    return TokenStatistics(
        n=n,
        d=d,
        cosine=_mean_cosine(X),
        effective_rank=_mean(_effective_rank(kept)),
        stable_rank=_mean(kept.sum(-1) / kept.amax(-1)) if len(kept) else None,
        norm=float((peaks.flatten() * X.square().sum((-2, -1)).sqrt()).mean()),
    )


def _mean_cosine(X: Tensor) -> float | None:
    """Over pairs of different tokens that are not 0, from ||sum of unit tokens||^2 = count + sum over pairs."""
    lengths = X.norm(dim=-1, keepdim=True)
    units = X / lengths.where(lengths > 0, torch.ones_like(lengths))
    count = (lengths > 0).sum((-2, -1)).to(X.dtype)
    pairs = units.sum(-2).square().sum(-1) - count
    defined = count > 1
    return _mean(pairs[defined] / (count * (count - 1))[defined])


def _squared_singular_values(X: Tensor) -> Tensor:
    """Eigenvalues of the smaller Gram matrix, those below rounding error set to 0."""
    gram = X @ X.mT if X.shape[-2] <= X.shape[-1] else X.mT @ X
    values = torch.linalg.eigvalsh(gram)
    floor = values.amax(-1, keepdim=True) * values.shape[-1] * torch.finfo(values.dtype).eps
    return values.where(values > floor, torch.zeros_like(values))


def _effective_rank(squares: Tensor) -> Tensor:
    sizes = squares.sqrt()
    shares = sizes / sizes.sum(-1, keepdim=True)
    return torch.special.entr(shares).sum(-1).exp()


def _mean(values: Tensor) -> float | None:
    return float(values.mean()) if values.numel() else None


@dataclass
class LogitStatistics:
    """Running sums over blocks of attention logits; masked logits take no part, nor rows in which all are masked."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0
    pivot: float | None = None
    rows: int = 0
    entropy: float = 0.0
    uniform: float = 0.0

    def add(self, logits: Tensor, allowed: Tensor | None) -> None:
        """Take in logits (..., n, m) in float32 or float64; `allowed` is a Boolean mask of a shape that broadcasts."""
        if allowed is not None:
            logits, allowed = _without_empty_rows(logits, allowed.expand(logits.shape))
        if not logits.numel():
            return
        below, tops = _below_the_top(logits, allowed)
        rows = tops.numel()
        sizes = tops.new_full((rows,), logits.shape[-1]) if allowed is None else allowed.sum(-1).flatten()
        self.rows += rows
        self.uniform += float(sizes.to(tops.dtype).log().sum())
        self.entropy += float(_row_entropies(below, allowed).sum(dtype=tops.dtype))
        self._spread(below if allowed is None else below.masked_fill_(~allowed, 0.0), tops, sizes.to(tops.dtype))

    def _spread(self, below: Tensor, tops: Tensor, sizes: Tensor) -> None:
        """Sums of logits less the pivot, which is any logit: that keeps digits where all are nearly the same."""
        self.pivot = float(tops[0]) if self.pivot is None else self.pivot
        first, second = below.sum(-1).flatten().to(tops.dtype), below.norm(dim=-1).flatten().to(tops.dtype).square()
        off = tops - self.pivot
        self.count += int(sizes.sum())
        self.total += float((first + sizes * off).sum())
        self.squares += float((second + 2.0 * off * first + sizes * off.square()).sum())

    @property
    def finite(self) -> bool:
        """Whether no logit seen was NaN or infinite."""
        return math.isfinite(self.total) and math.isfinite(self.squares)

    @property
    def std(self) -> float | None:
        """Standard deviation of all logits seen."""
        if not self.count:
            return None
        mean = self.total / self.count
        return math.sqrt(max(0.0, self.squares / self.count - mean * mean))


def _without_empty_rows(logits: Tensor, allowed: Tensor) -> tuple[Tensor, Tensor]:
    kept = allowed.any(-1)
    return (logits, allowed) if bool(kept.all()) else (logits[kept], allowed[kept])


def _below_the_top(logits: Tensor, allowed: Tensor | None) -> tuple[Tensor, Tensor]:
    """Logits less the largest of their row (minus infinity where masked), and the largest, flat and wide."""
    shown = logits if allowed is None else logits.masked_fill(~allowed, -math.inf)
    tops = shown.amax(-1, keepdim=True)
    return shown - tops, tops.flatten().to(_sum_type(tops))


def _row_entropies(below: Tensor, allowed: Tensor | None) -> Tensor:
    """log Z less the mean of the logits under A."""
    weights = below.exp()
    total = weights.sum(-1)
    products = weights.mul_(below if allowed is None else below.masked_fill(~allowed, 0.0))
    return total.log() - products.sum(-1) / total


def block_of(tensor: Tensor) -> int:
    """How many logits to work on at once where `tensor` lies."""
    return BLOCK if tensor.device.type == "cpu" else BLOCK_ON_DEVICE


def _sum_type(tensor: Tensor) -> torch.dtype:
    return torch.float32 if tensor.device.type == "mps" else torch.float64


def single_or_double(tensor: Tensor) -> Tensor:
    """`tensor` without its gradient in float64 if it is so, else in float32."""
    return tensor.detach() if tensor.dtype == torch.float64 else tensor.detach().float()


def scaled_products(q: Tensor, k: Tensor, scale: float) -> Iterator[tuple[Tensor, slice, slice]]:
    """Blocks of scale q k^T for q (B, H, n, dh), k (B, G, m, dh): logits (some B, H, rows, m), sequences, rows.

    G divides H; head h of the queries goes with head h // (H / G) of the keys. B may be 1 for the keys alone.
    """
    B, H, n, m = *q.shape[:3], k.shape[-2]
    block = block_of(q)
    together, step = max(1, block // max(1, H * n * m)), max(1, block // max(1, H * m))
    for first in range(0, B, together):
        some = slice(first, first + together)
        keys = single_or_double(k[some] if len(k) > 1 else k).repeat_interleave(H // k.shape[1], dim=1)
        queries = single_or_double(q[some]) * scale
        for start in range(0, n, step):
            rows = slice(start, min(n, start + step))
            yield queries[:, :, rows] @ keys.mT, some, rows
