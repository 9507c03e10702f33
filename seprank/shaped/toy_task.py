"""A toy task beside each other: shaped blocks and Pre-LN blocks learn to print digits from the end. Needs torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from seprank.errors import InvalidInput
from seprank.shaped.block_module import ShapedBlock
from seprank.shaped.schedule import at_step
from seprank.shaped.torch_threads import one_thread
from seprank.validate import real_number, whole_number

KINDS = ("recover", "learn", "fixed", "pre-ln")
DIGITS = 10
CHECKED = 512  # fresh strings at the end


@dataclass(frozen=True)
class ToyTask:
    """Strings of `length` digits through `depth` blocks of width `n`; Adam for `steps` steps of `batch` strings.

    `gamma` weighs branches of shaped blocks at first, and their weights recover over half of the steps. Raises
    `InvalidInput`.
    """

    depth: int = 6
    n: int = 32
    heads: int = 2
    length: int = 8
    steps: int = 400
    batch: int = 64
    rate: float = 2e-3
    gamma: float = 0.2

    def __post_init__(self) -> None:
        for name in ("depth", "n", "heads", "length", "steps", "batch"):
            object.__setattr__(self, name, whole_number(name, getattr(self, name), most=10**6))
        object.__setattr__(self, "rate", real_number("rate", self.rate, positive=True))


class ToyResult(NamedTuple):
    """Cross-entropy (nats a digit) of every step, and the share of right digits on 512 fresh strings."""

    losses: tuple[float, ...]
    accuracy: float


class PreLNBlock(torch.nn.Module):
    """The usual block: X + attention(norm X), then X + FF(norm X), with multi-head attention and ReLU of torch."""

    def __init__(self, n: int, heads: int) -> None:
        super().__init__()
        self.norms = torch.nn.ModuleList([torch.nn.LayerNorm(n), torch.nn.LayerNorm(n)])
        self.attention = torch.nn.MultiheadAttention(n, heads, bias=False, batch_first=True)
        self.feed = torch.nn.Sequential(
            torch.nn.Linear(n, n, bias=False), torch.nn.ReLU(), torch.nn.Linear(n, n, bias=False)
        )

    def forward(self, X: Tensor) -> Tensor:
        """Tokens (batch, m, n) behind the block."""
        Y = self.norms[0](X)
        X = X + self.attention(Y, Y, Y, need_weights=False)[0]
        return X + self.feed(self.norms[1](X))


class ToyNetwork(torch.nn.Module):
    """Digits and positions into width n, blocks of one kind, a read-out that sees normalised tokens."""

    def __init__(self, task: ToyTask, kind: str) -> None:
        super().__init__()
        self.digits = torch.nn.Parameter(torch.randn(DIGITS, task.n) / 2**0.5)
        self.places = torch.nn.Parameter(torch.randn(task.length, task.n) / 2**0.5)
        self.blocks = torch.nn.Sequential(*(_block(task, kind) for _ in range(task.depth)))
        self.norm = torch.nn.LayerNorm(task.n) if kind == "pre-ln" else torch.nn.Identity()
        self.readout = torch.nn.Parameter(torch.randn(task.n, DIGITS) / task.n**0.5)

    def forward(self, strings: Tensor) -> Tensor:
        """Logits (batch, length, 10) for strings (batch, length)."""
        return self.norm(self.blocks(self.digits[strings] + self.places)) @ self.readout


def train(task: ToyTask, kind: str, seed: int = 0) -> ToyResult:
    """Train one network of `kind` ("recover", "learn", "fixed" shaped blocks, or "pre-ln"), float64 on one thread.

    The weights depend on `seed` and `kind`, the strings on `seed` and the step; torch's generator is left alone.
    Raises `InvalidInput`, also where the loss leaves the range of floats, naming the step. A toy: it shows that shaped
    blocks train without layer norm, not which of them trains best.

    >>> result = train(ToyTask(depth=1, n=8, length=3, steps=2, batch=4), "learn")
    >>> len(result.losses)
    2
    """
    if kind not in KINDS:
        raise InvalidInput(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    seed = whole_number("seed", seed, least=0, most=2**60)
    with one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(3 * seed)
        model = ToyNetwork(task, kind).double()
        losses = tuple(_steps(model, task, torch.Generator().manual_seed(3 * seed + 1)))
        strings = torch.randint(DIGITS, (CHECKED, task.length), generator=torch.Generator().manual_seed(3 * seed + 2))
        with torch.no_grad():
            right = model(strings).argmax(dim=-1) == strings.flip(-1)
    return ToyResult(losses, float(right.double().mean()))


def _block(task: ToyTask, kind: str) -> torch.nn.Module:
    if kind == "pre-ln":
        return PreLNBlock(task.n, task.heads)
    return ShapedBlock(task.n, task.gamma, task.heads, mode=kind, steps=max(1, task.steps // 2))


def _steps(model: ToyNetwork, task: ToyTask, generator: torch.Generator) -> list[float]:
    optimiser = torch.optim.Adam(model.parameters(), lr=task.rate)
    losses = []
    for step in range(task.steps):
        at_step(model, step)
        strings = torch.randint(DIGITS, (task.batch, task.length), generator=generator)
        logits = model(strings)
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), strings.flip(-1).flatten())
        if not loss.isfinite():
            raise InvalidInput(f"the loss leaves the range of floats at step {step}; a smaller rate or gamma helps")
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    at_step(model, task.steps)
    return losses
