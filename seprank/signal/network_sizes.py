"""Sizes and kind of a transformer of the theory: one description for every network that is measured or trained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from seprank.errors import InvalidInput
from seprank.signal.feed_forward import ACTIVATIONS, variances
from seprank.signal.scaling import branch_scale
from seprank.signal.sizes import LayerSizes
from seprank.signal.stream import NORMS
from seprank.signal.tokens import LARGEST, scale
from seprank.validate import one_of, whole_number

ATTENTIONS = ("softmax", "uniform")


@dataclass(frozen=True)
class NetworkSizes:
    """`L` blocks Z = X + alpha1 S(X), X' = Z + alpha2 FF(Z) on tokens of width `d`, with `H` heads side by side.

    Parameters
    ----------
    L, d, H : depth, width, number of heads.
    dk, dv : query/key and value width of a head, ``d/H`` where left out; ``H dv`` must be `d`, since a block adds.
    dF : hidden width of the feed-forward branch, `d` where left out.
    attention : "softmax", or "uniform", its limit tau -> 0: 1/n in the forward pass, tokens get gradients through the
        values alone, and WQ, WK those of softmax at logits 0, in units of tau.
    activation : of the feed-forward branch, "relu" or "linear".
    norm : layer norm nowhere ("none"), behind each sum ("post") or at the entrance of each branch ("pre").
    alpha1, alpha2 : branch scales, numbers or rules such as "1/sqrt(L)"; with `trainable` they are parameters, one a
        block.
    tau, tau_steps : inverse temperature, reached linearly from 1 over that many steps (0: from the start).
    causal : a token attends to itself and those before it.

    Weights have mean 0; WV and WQ, WK have the variances ``1/d`` and ``1/(H dk)`` of their fan-out, the feed-forward
    weights those of gain 1. Raises `InvalidInput`. Source: noci2022signal, eq. 1 and appendix.

    >>> sizes = NetworkSizes(L=16, d=64, H=4, alpha1="1/sqrt(L)")
    >>> sizes.dk, sizes.dF, sizes.alpha1, sizes.alpha2
    (16, 64, 0.25, 1.0)
    """

    L: int
    d: int
    H: int = 1
    dk: int = None  # type: ignore[assignment]  # None stands for d/H and is replaced when built
    dv: int = None  # type: ignore[assignment]
    dF: int = None  # type: ignore[assignment]  # None stands for d
    attention: str = "softmax"
    activation: str = "relu"
    norm: str = "none"
    alpha1: float = 1.0
    alpha2: float = 1.0
    trainable: bool = False
    tau: float = 1.0
    tau_steps: int = 0
    causal: bool = False

    def __post_init__(self) -> None:
        L, d = whole_number("L", self.L, most=10**5), whole_number("d", self.d, most=LARGEST)
        H = whole_number("H", self.H, most=LARGEST)
        checked: dict[str, Any] = {"L": L, "d": d, "H": H}
        for name in ("dk", "dv"):
            checked[name] = _head_width(name, getattr(self, name), d, H)
        checked["dF"] = d if self.dF is None else whole_number("dF", self.dF, most=LARGEST)
        checked |= {name: branch_scale(name, getattr(self, name), L) for name in ("alpha1", "alpha2")}
        checked |= {"tau": scale("tau", self.tau), "tau_steps": whole_number("tau_steps", self.tau_steps, least=0)}
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        one_of("activation", self.activation, ACTIVATIONS)
        one_of("attention", self.attention, ATTENTIONS)
        one_of("norm", self.norm, NORMS)
        if H * self.dv != d:
            raise InvalidInput(f"dv must be d/H = {d}/{H} where a block adds its input, got {self.dv}")
        if self.norm != "none" and d < 2:
            raise InvalidInput(f"d must be at least 2 with layer norm, got {d}")

    @property
    def layer(self) -> LayerSizes:
        """Widths and variances of one head, as the closed forms take them."""
        return LayerSizes(self.d, self.dk, self.dv, self.tau, sigma_v2=1.0 / self.d, sigma_k2=self.key_variance)

    @property
    def key_variance(self) -> float:
        """Variance of the entries of WQ and WK."""
        return 1.0 / (self.H * self.dk)

    @property
    def shapes(self) -> dict[str, tuple[int, int, float]]:
        """Rows, columns and standard deviation of the entries of every weight of a block, in the order of drawing."""
        first, second = variances(self.d, self.dF, "fan-out", self.activation)
        d, wide = self.d, self.H * self.dk
        return {
            "query": (d, wide, self.key_variance**0.5),
            "key": (d, wide, self.key_variance**0.5),
            "value": (d, d, (1.0 / d) ** 0.5),
            "first": (d, self.dF, first**0.5),
            "second": (self.dF, d, second**0.5),
        }

    @property
    def entries(self) -> int:
        """Number of weights of all blocks."""
        return self.L * sum(rows * columns for rows, columns, _ in self.shapes.values())


def _head_width(name: str, value: object, d: int, H: int) -> int:
    if value is not None:
        return whole_number(name, value, most=LARGEST)
    if d % H:
        raise InvalidInput(f"H must divide d where {name} is not given, got H={H} with d={d}")
    return d // H
