"""What the theory predicts for the sizes of a real model: collapse, imbalance, and what restores balance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

from seprank.attention.architecture import Architecture
from seprank.signal.feed_forward import ACTIVATIONS
from seprank.signal.imbalance import gradient_ratio, layer_validity, restoring_temperature
from seprank.signal.sizes import LayerSizes
from seprank.signal.stream import NORMS, State, Stream
from seprank.signal.tokens import LARGEST, correlation, scale
from seprank.signal.uniform import Validity
from seprank.validate import one_of, whole_number

UNSCALED, SCALED = "1", "1/sqrt(L)"
DEEPEST = 10**4  # layers; the branch scale is found by some hundred passes through them
COLLAPSED = 0.99  # correlation from which on tokens are called collapsed


@dataclass(frozen=True)
class Prediction:
    """One way to build the network: where its layer norm is, how its branches are scaled, and what follows.

    `first` and `last` are what enters attention in the first and the last layer, `end` what leaves the last block.
    `ratio_first` and `ratio_last` are squared gradient norms, queries over values, in these layers. `temperature`
    brings `ratio_last` to 1 (None: no temperature does). `collapse_layer` is the first layer, from 1, whose attention
    sees a correlation above 0.99 (None: none does). `validity` is that of the last layer, `restored` the one there at
    `temperature`.
    """

    norm: str
    branches: str
    alpha: float
    first: State
    last: State
    end: State
    ratio_first: float | None
    ratio_last: float | None
    temperature: float | None
    collapse_layer: int | None
    validity: Validity
    restored: Validity | None


@dataclass(frozen=True)
class Advice:
    """Predictions for every place of layer norm and both branch scales, and the largest balanced branch scale.

    `balancing_scale` holds for every place of layer norm the largest alpha, at most 1, at which the correlation that
    the last layer sees leaves query gradients at least as large as value gradients, at tau = 1 and at the entry
    variance that layer norm sets, or without it that of the input (growing norms raise query gradients until softmax
    saturates); None where not even alpha = 0 does it.
    """

    architecture: Architecture
    n: int
    rho: float
    sigma: float
    activation: str
    sizes: LayerSizes
    predictions: tuple[Prediction, ...]
    balancing_scale: dict[str, float | None]


def advise(
    architecture: Architecture, n: int, rho: float = 0.0, sigma: float = 1.0, activation: str = "relu"
) -> Advice:
    """Predictions at initialisation for a model of these sizes on `n` tokens of correlation `rho` and entry standard
    deviation `sigma`.

    Weights have mean 0 and variance 1/dx, as stacked projections of fan-out dx have; heads act side by side.
    Estimates for uniform attention, infinite width, equal norms and angles; each prediction carries its validity.
    Raises `InvalidInput`. Source: noci2022signal, section 3; layer norm: docs/signal.md.

    >>> found = advise(Architecture(L=12, dx=768, H=12), n=1024)
    >>> [(p.norm, p.branches, round(p.last.rho, 2)) for p in found.predictions][2:4]
    [('post', '1', 1.0), ('post', '1/sqrt(L)', 0.31)]
    """
    n, L = whole_number("n", n, least=2, most=LARGEST), whole_number("L", architecture.L, most=DEEPEST)
    rho, sigma, activation = (
        correlation("rho", rho, n),
        scale("sigma", sigma),
        one_of("activation", activation, ACTIVATIONS),
    )
    d = architecture.dx
    sizes = LayerSizes(d=d, dk=architecture.da, dv=architecture.da, sigma_v2=1.0 / d, sigma_k2=1.0 / d)
    setting = _Setting(L, n, rho, sigma, activation, sizes)
    scales = {UNSCALED: 1.0, SCALED: 1.0 / sqrt(L)}
    predictions = tuple(setting.predict(norm, branches, alpha) for norm in NORMS for branches, alpha in scales.items())
    balance = {norm: setting.balancing_scale(norm) for norm in NORMS}
    return Advice(architecture, n, rho, sigma, activation, sizes, predictions, balance)


@dataclass(frozen=True)
class _Setting:
    L: int
    n: int
    rho: float
    sigma: float
    activation: str
    sizes: LayerSizes

    def states(self, norm: str, alpha: float) -> list[State]:
        return Stream(self.n, self.L, alpha, alpha, norm, self.activation).states(self.rho, self.sigma)

    def ratio(self, state: State) -> float | None:
        return gradient_ratio(self.n, state.gap, state.sigma2, self.sizes)

    def predict(self, norm: str, branches: str, alpha: float) -> Prediction:
        states = self.states(norm, alpha)
        last = states[-2]
        ratio = self.ratio(last)
        temperature = restoring_temperature(ratio)
        collapsed = (layer for layer, state in enumerate(states[:-1], 1) if state.gap < 1.0 - COLLAPSED)
        return Prediction(
            norm=norm,
            branches=branches,
            alpha=alpha,
            first=states[0],
            last=last,
            end=states[-1],
            ratio_first=self.ratio(states[0]),
            ratio_last=ratio,
            temperature=temperature,
            collapse_layer=next(collapsed, None),
            validity=layer_validity(self.n, last.gap, last.sigma2, self.sizes),
            restored=None if temperature is None else self.restored(last, temperature),
        )

    def restored(self, last: State, temperature: float) -> Validity:
        sizes = replace(self.sizes, tau=temperature)
        return layer_validity(self.n, last.gap, last.sigma2, sizes)

    def balancing_scale(self, norm: str) -> float | None:
        """By bisection: the correlation of the last layer grows with alpha."""

        def balanced(alpha: float) -> bool:
            sigma2 = self.sigma**2 if norm == "none" else 1.0
            ratio = gradient_ratio(self.n, self.states(norm, alpha)[-2].gap, sigma2, self.sizes)
            return ratio is None or ratio >= 1.0

        if balanced(1.0):
            return 1.0
        low, high = 0.0, 1.0
        if not balanced(low):
            return None
        for _ in range(30):
            middle = (low + high) / 2
            low, high = (middle, high) if balanced(middle) else (low, middle)
        return low
