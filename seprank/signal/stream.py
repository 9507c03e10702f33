"""Norm and correlation of equally correlated tokens layer by layer, with or without layer norm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from seprank.errors import InvalidInput
from seprank.signal.feed_forward import ACTIVATIONS
from seprank.signal.relu import relu_gap
from seprank.signal.tokens import correlation, scale
from seprank.validate import one_of, real_number, whole_number

NORMS = ("none", "post", "pre")
LARGEST_VARIANCE = 1e60


class State(NamedTuple):
    """What enters an attention sub-layer: `gap` = 1 - rho and the entry variance `sigma2` of the tokens there.

    The gap keeps its digits near collapse. `stream` is the entry variance of the residual stream at that place, the
    same as `sigma2` unless the norm is "pre".
    """

    gap: float
    sigma2: float
    stream: float

    @property
    def rho(self) -> float:
        """The correlation of two tokens."""
        return 1.0 - self.gap


@dataclass(frozen=True)
class Stream:
    """A network of `L` blocks on `n` tokens: Z = X + alpha1 S(X), X' = Z + alpha2 FF(Z), with layer norm nowhere
    ("none"), behind each sum ("post") or at the entrance of each branch ("pre").

    `activation` is "linear" or "relu", with weights of gain 1. Raises `InvalidInput`.
    """

    n: int
    L: int
    alpha1: float = 1.0
    alpha2: float = 1.0
    norm: str = "none"
    activation: str = "relu"

    def __post_init__(self) -> None:
        whole_number("n", self.n, least=2)
        whole_number("L", self.L, least=1, most=10**6)
        for name in ("alpha1", "alpha2"):
            object.__setattr__(self, name, real_number(name, getattr(self, name), least=0.0, most=1e6))
        one_of("activation", self.activation, ACTIVATIONS)
        if self.norm not in NORMS:
            raise InvalidInput(f"norm must be one of {', '.join(NORMS)}, got {self.norm!r}")

    def states(self, rho: float, sigma: float) -> list[State]:
        """What enters attention in layer 0..L - 1, then what leaves the last block, as if another one followed.

        For tokens of equal norm and equal angles, uniform attention, infinite width. Exact for linear branches
        without layer norm; elsewhere the limit of infinite width, in which layer norm divides every token by its
        norm. Entry variances stop at 1e60. Source: noci2022signal, appendix A.3; layer norm and ReLU: docs/signal.md.

        >>> [round(state.rho, 4) for state in Stream(n=4, L=6, activation="linear").states(0.1, 1.0)][::6]
        [0.1, 0.9581]
        """
        rho, sigma = correlation("rho", rho, self.n), scale("sigma", sigma)
        q, gap = sigma**2, sigma**2 * (1.0 - rho)
        found = [self._entering(q, gap)]
        for _ in range(self.L):
            q, gap = self._block(q, gap)
            found.append(self._entering(q, gap))
        return found

    def _block(self, q: float, gap: float) -> tuple[float, float]:
        """One block on the variance of an entry and its variance less the covariance of two tokens.

        The gap is carried instead of the covariance, so that 1 - rho keeps its digits near collapse.
        """
        first, first_gap = (1.0, gap / q) if self.norm == "pre" else (q, gap)
        q += self.alpha1**2 * max(0.0, first - first_gap * (self.n - 1) / self.n)
        q, gap = self._normalised(q, gap)
        second, second_gap = (1.0, gap / q) if self.norm == "pre" else (q, gap)
        q, gap = q + self.alpha2**2 * second, gap + self.alpha2**2 * self._activated(second, second_gap)
        return self._normalised(q, gap)

    def _activated(self, q: float, gap: float) -> float:
        if self.activation == "linear":
            return gap
        return q * relu_gap(gap / q)

    def _normalised(self, q: float, gap: float) -> tuple[float, float]:
        if self.norm == "post":
            return 1.0, gap / q
        if q > LARGEST_VARIANCE:
            return LARGEST_VARIANCE, gap / q * LARGEST_VARIANCE
        return q, gap

    def _entering(self, q: float, gap: float) -> State:
        return State(gap=gap / q, sigma2=1.0 if self.norm == "pre" else q, stream=q)
