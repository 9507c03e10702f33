"""The shaped Transformer block as torch modules: shaped attention, shaped ReLU, trained skip weights. Needs torch."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from seprank.errors import InvalidInput
from seprank.shaped.attention_module import ShapedAttention
from seprank.shaped.schedule import Weight
from seprank.validate import real_number, whole_number


class ShapedReLU(torch.nn.Module):
    """sqrt(c) (s_plus max(x, 0) + s_minus min(x, 0)) with c = 2 / (s_plus^2 + s_minus^2): second moments stay.

    s_plus = 1 + c_plus / sqrt(n) stays, s_minus = 1 + c_minus / sqrt(n) at first, then as `mode` says ("recover": 0 in
    the end, the usual ReLU with He's factor). Raises `InvalidInput`. Source: noci2023shaped, section 2.

    >>> ShapedReLU(n=4, c_minus=-2.0)(torch.tensor([-1.0, 2.0])).square().round().tolist()
    [0.0, 8.0]
    """

    def __init__(
        self, n: int, c_plus: float = 0.0, c_minus: float = -1.0, mode: str = "fixed", steps: int = 4000
    ) -> None:
        super().__init__()
        root = math.sqrt(whole_number("n", n))
        self.s_plus = 1.0 + real_number("c_plus", c_plus) / root
        if self.s_plus == 0.0:
            raise InvalidInput(f"c_plus must leave a slope that is not 0, got {c_plus:g} for n={n}")
        self.s_minus = Weight("s_minus", 1.0 + real_number("c_minus", c_minus) / root, mode, steps)

    def forward(self, G: Tensor) -> Tensor:
        """The activation of every entry of `G`."""
        s_minus = self.s_minus()
        scale = (2.0 / (self.s_plus**2 + s_minus**2)) ** 0.5
        return scale * (self.s_plus * G.clamp(min=0.0) + s_minus * G.clamp(max=0.0))


class ShapedBlock(torch.nn.Module):
    """Z = skip X + gamma A(X), X' = skip Z + gamma FF(Z), with `ShapedAttention` A and FF = WPost ShapedReLU WPre.

    skip = sqrt(1 - gamma^2) and `gamma` begin as given; both are trained, one pair for each half, unless
    `train_skips` is False. No layer norm. Hidden width `mlp_ratio` n. Other arguments as in `ShapedAttention`.
    Values of gamma from 0.05 to 0.2 were trained in the paper. Raises `InvalidInput`.
    Source: noci2023shaped, section 4 and appendix D.

    >>> block = ShapedBlock(n=8, gamma=0.2, heads=2)
    >>> block(torch.zeros(5, 8)).abs().max().item()
    0.0
    """

    def __init__(
        self,
        n: int,
        gamma: float = 0.1,
        heads: int = 1,
        head_dim: int | None = None,
        tau0: float = 1.0,
        mlp_ratio: float = 1.0,
        c_plus: float = 0.0,
        c_minus: float = -1.0,
        causal: bool = False,
        mode: str = "recover",
        steps: int = 4000,
        train_skips: bool = True,
    ) -> None:
        super().__init__()
        gamma = real_number("gamma", gamma, most=1.0, positive=True)
        self.attention = ShapedAttention(n, heads, head_dim, tau0, causal, mode=mode, steps=steps)
        hidden = whole_number("hidden width", round(real_number("mlp_ratio", mlp_ratio, positive=True) * n))
        self.activation = ShapedReLU(n, c_plus, c_minus, mode, steps)
        self.before = torch.nn.Parameter(torch.empty(n, hidden))
        self.after = torch.nn.Parameter(torch.empty(hidden, n))
        pair = torch.tensor([[math.sqrt(1.0 - gamma * gamma), gamma]] * 2)
        self.skips = torch.nn.Parameter(pair, requires_grad=train_skips)
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Draw all matrices anew; skip weights stay."""
        self.attention.reset_parameters()
        self.activation.s_minus.reset()
        for matrix in (self.before, self.after):
            matrix.normal_(std=matrix.shape[0] ** -0.5)

    def forward(self, X: Tensor, mask: Tensor | None = None) -> Tensor:
        """Tokens (..., m, n) behind the block; `mask` as in `ShapedAttention`."""
        (skip, gamma), (skip_2, gamma_2) = self.skips
        Z = skip * X + gamma * self.attention(X, mask)
        return skip_2 * Z + gamma_2 * self.activation(Z @ self.before) @ self.after
