"""The depth run of 20 seeds at once against seeds one by one, each layer by torch.autograd.grad.

    python benchmarks/signal_depth.py [--L 48] [--seeds 20] [--repeats 3] [--json FILE]

Both sides draw the same weights and give the same squared gradient norms, which is checked first; the figure is a ratio
inside one run, on one thread. The slow side builds the graph of a seed once and asks for the gradients of every layer
in a call of its own.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from seprank.signal import GaussianTokens, NetworkSizes, depth_run
from seprank.signal.depth_measure import LOSS_STREAM
from seprank.signal.network import Network
from seprank.signal.network_threads import one_thread

TARGET = 5.0


def one_by_one(sizes: NetworkSizes, tokens: GaussianTokens, seeds: int) -> np.ndarray:
    """Squared gradient norms of WQ, WK, WV, shape (seeds, L, 3)."""
    found = np.empty((seeds, sizes.L, 3))
    for seed in range(seeds):
        network = Network(sizes, [seed])
        X = torch.from_numpy(tokens.sample(seed))[None]
        G = np.random.default_rng([seed, 0, LOSS_STREAM]).standard_normal((1, tokens.n, tokens.d))
        loss = (network(X)[:, 0] * torch.from_numpy(G)).sum()
        for layer, block in enumerate(network.blocks):
            gradients = torch.autograd.grad(loss, (block.query, block.key, block.value), retain_graph=True)
            found[seed, layer] = [float(gradient.square().sum()) for gradient in gradients]
    return found


def best(task: Callable[[], object], repeats: int) -> float:
    """Seconds of the fastest of some runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        task()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--L", type=int, default=48)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    sizes, tokens = NetworkSizes(L=options.L, d=64, norm="post"), GaussianTokens(n=16, d=64)
    with one_thread():
        start = time.perf_counter()
        slow = one_by_one(sizes, tokens, options.seeds)
        slow_seconds = time.perf_counter() - start
    run = depth_run(sizes, tokens, options.seeds)
    for column, name in enumerate(("query", "key", "value")):
        found = [getattr(row, name).squared.mean for row in run.layers]
        np.testing.assert_allclose(found, slow[:, :, column].mean(axis=0), rtol=1e-6)
    fast_seconds = best(lambda: depth_run(sizes, tokens, options.seeds), options.repeats)
    ratio = slow_seconds / fast_seconds
    document = {
        "schema": "seprank.bench/1",
        "L": options.L,
        "seeds": options.seeds,
        "one by one, seconds": round(slow_seconds, 2),
        "at once, seconds": round(fast_seconds, 2),
        "times faster": round(ratio, 1),
        "target": TARGET,
        "reached": ratio >= TARGET,
    }
    text = json.dumps(document, indent=1)
    print(text)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
