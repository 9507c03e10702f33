"""A deep network at initialisation, measured layer by layer over many seeds, beside the predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from seprank.errors import InvalidInput, TooLarge
from seprank.signal.depth_diagnosis import Diagnosis, diagnose
from seprank.signal.depth_rows import LayerRow, TokenRow, predictions
from seprank.signal.depth_statistics import layer_row, token_row
from seprank.signal.network_sizes import NetworkSizes
from seprank.signal.tokens import GaussianTokens
from seprank.validate import whole_number

if TYPE_CHECKING:
    from seprank.signal.depth_measure import Measured, Progress

BATCH_BYTES = 2**28  # of the seeds that pass side by side
MOST_BYTES = 2**32  # of one seed
NANOSECONDS = 40.0  # for each weight of each seed: drawing, two passes forward, one back, one core


@dataclass(frozen=True)
class DepthRun:
    """What `depth_run` measured: `layers` in order, what leaves the last block (`end`), and a `diagnosis`."""

    sizes: NetworkSizes
    tokens: GaussianTokens
    seeds: tuple[int, ...]
    layers: tuple[LayerRow, ...]
    end: TokenRow
    diagnosis: Diagnosis


def depth_run(
    sizes: NetworkSizes, tokens: GaussianTokens, seeds: int | Sequence[int] = 20, progress: Progress | None = None
) -> DepthRun:
    """Networks of `sizes` on Gaussian `tokens`, each seed with its own weights, tokens and loss <G, X_L>.

    `seeds` is their number (then they are 0, 1, ...) or the seeds themselves; they pass side by side, on one thread.
    `progress` is called with steps done and in all. Estimates over the seeds, with standard errors; the same seeds give
    the same answer up to rounding, whatever else runs beside them. Raises `InvalidInput` where activations leave the
    range of floats, with layer and seed, and `TooLarge` before anything is computed where a seed needs over 4 GiB.
    Needs torch. Source: noci2022signal, section 3; measured as in docs/signal.md.

    >>> run = depth_run(NetworkSizes(L=12, d=16, norm="post"), GaussianTokens(n=4, d=16), seeds=2)
    >>> run.diagnosis.kind, len(run.layers)
    ('collapses', 12)
    """
    chosen = _seeds(seeds)
    found = _measured(sizes, tokens, chosen, progress, backward=True)
    expected = predictions(sizes, tokens)
    layers = tuple(layer_row(sizes, tokens.n, found, layer, expected[layer]) for layer in range(sizes.L))
    end = token_row(tokens.n, found, sizes.L, expected[-1])
    return DepthRun(sizes, tokens, chosen, layers, end, diagnose(layers, end))


def token_run(
    sizes: NetworkSizes, tokens: GaussianTokens, seeds: int | Sequence[int] = 20, progress: Progress | None = None
) -> tuple[list[TokenRow], np.ndarray]:
    """The forward half of `depth_run`: tokens in layers 1..L and behind the last, and the squared norm of the output of
    every seed, shape (seeds,).

    For networks whose gradients leave the range of floats, and for many seeds. Arguments and errors as there.

    >>> rows, norms = token_run(NetworkSizes(L=3, d=4), GaussianTokens(n=2, d=4), seeds=5)
    >>> len(rows), norms.shape
    (4, (5,))
    """
    found = _measured(sizes, tokens, _seeds(seeds), progress, backward=False)
    expected = predictions(sizes, tokens)
    rows = [token_row(tokens.n, found, place, expected[place]) for place in range(sizes.L + 1)]
    return rows, np.concatenate([measured.tokens[-1].norm for measured in found])


def _measured(
    sizes: NetworkSizes, tokens: GaussianTokens, seeds: tuple[int, ...], progress: Progress | None, backward: bool
) -> list[Measured]:
    """Batch by batch, so that memory holds as many seeds as fit."""
    if tokens.d != sizes.d:
        raise InvalidInput(f"d must be the same for tokens and network, got {tokens.d} and {sizes.d}")
    size = max(1, BATCH_BYTES // refuse_if_large(sizes, tokens.n))
    batches = [seeds[start : start + size] for start in range(0, len(seeds), size)]
    from seprank.signal.depth_measure import measure
    from seprank.signal.network_threads import one_thread

    with one_thread():
        return [
            measure(sizes, tokens, batch, part(progress, index, len(batches)), backward)
            for index, batch in enumerate(batches)
        ]


def seconds(sizes: NetworkSizes, n: int, seeds: int) -> float:
    """A rough estimate of the time that `depth_run` takes on one core."""
    tokens = n * sizes.L * seeds * (sizes.d + sizes.H * n) * 30.0
    products = n * sizes.entries * seeds * 6.0 * 0.1
    return 1e-9 * (NANOSECONDS * sizes.entries * seeds + products + tokens)


def _seeds(seeds: int | Sequence[int]) -> tuple[int, ...]:
    if isinstance(seeds, Sequence):
        if not seeds:
            raise InvalidInput("seeds must hold one seed at least, got none")
        return tuple(whole_number("seed", seed, least=0) for seed in seeds)
    return tuple(range(whole_number("seeds", seeds, most=10**6)))


def refuse_if_large(sizes: NetworkSizes, n: int) -> int:
    """Bytes of one seed: weights, what enters every block, and the graph of one block. Raises `TooLarge`."""
    block = n * (12 * sizes.d + 4 * sizes.dF + 6 * sizes.H * n) + sizes.entries // sizes.L
    needed = 8 * (sizes.entries + (sizes.L + 1) * n * sizes.d + block)
    if needed > MOST_BYTES:
        raise TooLarge(
            f"one network with L={sizes.L}, d={sizes.d} on {n} tokens would take {needed / 2**30:.3g} GiB, above the "
            f"limit of {MOST_BYTES / 2**30:g}; fewer layers, tokens or a smaller width make it fit"
        )
    return needed


def part(progress: Progress | None, index: int, parts: int) -> Progress | None:
    """Progress of one of several `parts`, told as a share of all."""
    if progress is None:
        return None
    return lambda done, total: progress(index * total + done, parts * total)
