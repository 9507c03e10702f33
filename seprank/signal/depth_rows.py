"""The rows of a depth run: what was measured in a layer, and what the theory predicts for it."""

from __future__ import annotations

from dataclasses import dataclass

from seprank.signal.imbalance import gradient_ratio, layer_validity
from seprank.signal.network_sizes import NetworkSizes
from seprank.signal.stream import State, Stream
from seprank.signal.tokens import GaussianTokens

LARGEST_VARIANCE = 1e60  # beyond it, and where the stream stops, nothing is predicted


@dataclass(frozen=True)
class Mean:
    """The mean over the seeds and its standard error (None for one seed)."""

    mean: float
    error: float | None


@dataclass(frozen=True)
class Gradient:
    """Squared gradient norm of one weight matrix: mean over the seeds with its standard error, and the mean of log10
    (None where a gradient is 0), which heavy tails leave alone."""

    squared: Mean
    log10: float | None


@dataclass(frozen=True)
class Prediction:
    """What the theory says of a layer from the sizes alone: `state` of the tokens, squared `norm` of the stream,
    squared query over value gradient norm (`ratio`), and whether it is within its range, with the `reason`.

    Estimates for uniform attention and infinite width; `ratio` is None behind the last layer and where nothing is
    predicted.
    """

    state: State
    norm: float
    ratio: float | None
    valid: bool
    reason: str


@dataclass(frozen=True)
class TokenRow:
    """What enters attention in layer `layer` (from 1), or behind the last layer would enter another one.

    `cosine` is the mean cosine of two tokens over pairs and seeds, `gap` is 1 less it with all digits; `rho` is the
    ratio of expectations (the Gram matrix averaged over the seeds first), `rho_gap` 1 less it. `norm` is the squared
    norm of the stream, `sigma2` the entry variance of what enters attention.
    """

    layer: int
    cosine: Mean
    gap: float
    rho: float
    rho_gap: float
    norm: Mean
    sigma2: float
    predicted: Prediction


@dataclass(frozen=True)
class LayerRow(TokenRow):
    """A layer with its attention and its gradients under the loss <G, X_L>.

    `logit_std` is the root mean square of the logits, `logit_spread` that of their deviation from the mean of the row,
    which is what softmax sees; `peak` is the mean largest attention weight of a row. `ratio` is the geometric mean of
    the squared query over value gradient norms (None where a gradient is 0), `ratio_at_tokens` the geometric
    mean of eq. 18 over eq. 17 at the measured cosine and entry variance of each seed.
    """

    logit_std: float
    logit_spread: float
    peak: float
    query: Gradient
    key: Gradient
    value: Gradient
    ratio: float | None
    ratio_at_tokens: float | None


def predictions(sizes: NetworkSizes, tokens: GaussianTokens) -> list[Prediction]:
    """The predictions for layers 1..L and behind the last. Source: noci2022signal, section 3; docs/signal.md."""
    stream = Stream(tokens.n, sizes.L, sizes.alpha1, sizes.alpha2, sizes.norm, sizes.activation)
    states = stream.states(tokens.rho, tokens.sigma)
    found = [_prediction(sizes, tokens, state, layer) for layer, state in enumerate(states, 1)]
    return found


def _prediction(sizes: NetworkSizes, tokens: GaussianTokens, state: State, layer: int) -> Prediction:
    valid, reason = _validity(sizes, tokens, state)
    ratio = None if layer > sizes.L else ratio_at(sizes, tokens.n, state.gap, state.sigma2)
    return Prediction(state, tokens.n * sizes.d * state.stream, ratio, valid, reason)


def ratio_at(sizes: NetworkSizes, n: int, gap: float, sigma2: float) -> float | None:
    """Eq. 18 over eq. 17 for tokens of correlation ``1 - gap`` and entry variance `sigma2`; None out of range."""
    if not 0.0 < sigma2 < LARGEST_VARIANCE:
        return None
    return gradient_ratio(n, min(gap, n / (n - 1)), sigma2, sizes.layer)


def _validity(sizes: NetworkSizes, tokens: GaussianTokens, state: State) -> tuple[bool, str]:
    if sizes.causal:
        return False, "no: formulas are for attention without a mask"
    if state.stream >= LARGEST_VARIANCE:
        return False, f"no: entry variances above {LARGEST_VARIANCE:g} are not followed"
    if sizes.attention == "uniform":
        return True, "yes: attention is uniform"
    validity = layer_validity(tokens.n, state.gap, state.sigma2, sizes.layer)
    return validity.valid, validity.reason
