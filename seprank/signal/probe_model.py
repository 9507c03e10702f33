"""Probe a user's own model: rank collapse and query/key gradients, layer by layer, without changing it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

from seprank.errors import InvalidInput
from seprank.signal.probe_guard import recorded_gradients, unchanged
from seprank.signal.probe_loss import Loss, loss_of
from seprank.signal.probe_names import chosen_sites
from seprank.signal.probe_origin import first_not_finite
from seprank.signal.probe_rows import layer_rows
from seprank.signal.probe_sites import Site
from seprank.signal.probe_statistics import wide
from seprank.signal.probe_table import Probe
from seprank.signal.probe_watch import NotFinite, Progress, Watch, check_finite

LOSS_SCALES = (2.0**16, 2.0**8, 1.0, 2.0**-8)  # against gradients that float16 would round to 0 or infinity


def probe(
    model: nn.Module,
    inputs: object,
    loss: Loss | None = None,
    *,
    attention: str | Mapping[str, object] | None = None,
    progress: Progress | None = None,
) -> Probe:
    """Token cosine, ranks, logits, attention entropy and query/key/value gradients of every attention layer of `model`.

    `inputs` is a tensor, a tuple or list of positional arguments, or a mapping of keyword arguments; token matrices
    have shape (..., n, d) inside the model. `loss` maps the model's output to a scalar; by default it is the output's
    own `loss` if there is one, else a fixed random linear form of the output, <G, output> with G standard normal, so
    that squared gradient norms estimate squared norms of Jacobians. Attention layers are found by their class
    (nn.MultiheadAttention and what holds it) or the names of their projections, or named by `attention` (see
    `seprank.signal.probe_names.chosen_sites`).

    The numbers are measurements of this model at these inputs, exact up to rounding: statistics in float64, logits in
    float32 (float64 for float64 models), whatever the model's own precision. One forward and one backward pass, in the
    mode (train or eval) that the model is in; parameters, their `.grad`, buffers, modes, hooks and the states of random
    generators are as before afterwards. An error of the model itself passes through unchanged.

    Raises `InvalidInput`: no attention layer found or run, no gradient path from query, key or value weights to the
    loss, NaN or infinity (with the layer and what holds it), a loss that is no scalar. Source: noci2022signal;
    docs/signal.md.

    >>> torch.manual_seed(0) and None
    >>> layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
    >>> found = probe(nn.TransformerEncoder(layer, 3), torch.randn(4, 10, 16))
    >>> len(found), found[0].name, found[0].mask, found[0].cosine < 0.1 < found[2].cosine
    (3, 'layers.0.self_attn', 'none', True)
    """
    if not isinstance(model, nn.Module):
        raise InvalidInput(f"model must be a torch.nn.Module, got {type(model).__name__}")
    if loss is not None and not callable(loss):
        raise InvalidInput(f"loss must be a function of the model's output, got {loss!r}")
    model = getattr(model, "_orig_mod", model)  # what torch.compile wraps: compiled code runs no new hooks
    sites = chosen_sites(model, attention)
    with recorded_gradients():
        try:
            with unchanged(model):
                return _probe(model, inputs, loss, sites, progress)
        except NotFinite as error:
            with unchanged(model):
                origin = first_not_finite(model, inputs, lambda: call(model, inputs))
            raise InvalidInput(f"activations and gradients must be finite, got {error}{origin}") from None


def _probe(
    model: nn.Module, inputs: object, loss: Loss | None, sites: Sequence[Site], progress: Progress | None
) -> Probe:
    with Watch(sites, progress) as watch:
        output = call(model, inputs)
    if not watch.records:
        raise InvalidInput(f"model must run its attention layers, got a forward pass without {sites[0].name!r}")
    if all(token.n < 2 for record in watch.records for token in record.tokens):
        raise InvalidInput("inputs must give the attention layers at least 2 tokens, got 1")
    value, kind = loss_of(output, loss)
    check_finite(value, "the loss")
    rows = layer_rows(watch.records, _gradients(value, [record.site for record in watch.records]))
    reached = {id(record.site) for record in watch.records}
    unreached = tuple(site.name for site in sites if id(site) not in reached)
    return Probe(type(model).__name__, float(value.detach()), kind, rows, unreached)


def call(model: nn.Module, inputs: object) -> object:
    """The output of `model` for a mapping, a tuple or list, or a single argument."""
    if isinstance(inputs, Mapping):
        return model(**{name: _for_gradients(value) for name, value in inputs.items()})
    positional = inputs if isinstance(inputs, tuple | list) else (inputs,)
    return model(*map(_for_gradients, positional))


def _for_gradients(value: object) -> object:
    """A tensor made in inference mode as one that a backward pass may need; anything else as it is."""
    return value.clone() if isinstance(value, Tensor) and value.is_inference() else value


def _gradients(value: Tensor, sites: Sequence[Site]) -> dict[int, Tensor | None]:
    """The gradient of the loss by every query, key and value weight, by the id of the weight."""
    found = {id(part.weight): part.weight for site in sites for part in site.projections}
    weights = [weight for weight in found.values() if weight.requires_grad]
    if not weights:
        raise InvalidInput("model must have a gradient path, got query, key and value weights that are all frozen")
    grads = _by_weights(value, weights) if value.requires_grad else (None,) * len(weights)
    if all(grad is None for grad in grads):
        raise InvalidInput(
            "model must have a gradient path from its query, key and value weights to the loss, got a loss that does "
            "not depend on them (detached, computed without gradients, or in reentrant checkpoints)"
        )
    return {id(weight): grad for weight, grad in zip(weights, grads, strict=True)}


def _by_weights(value: Tensor, weights: list[nn.Parameter]) -> Sequence[Tensor | None]:
    half = any(weight.dtype == torch.float16 for weight in weights)
    scales = LOSS_SCALES if half else (1.0,)
    for scale in scales:
        last = scale == scales[-1]
        grads = torch.autograd.grad(value * scale, weights, allow_unused=True, retain_graph=not last)
        if last or all(bool(grad.isfinite().all()) for grad in grads if grad is not None):
            break
    return [None if grad is None else wide(grad) / scale if half else grad for grad in grads]
