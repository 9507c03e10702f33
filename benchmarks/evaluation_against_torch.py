"""Evaluating the value matrix: against PyTorch on explicit tokens, against elimination, and against interpolation.

    python benchmarks/evaluation_against_torch.py [--threads 1] [--points 4096] [--most 12000] [--json FILE]

Every figure is a ratio inside one run. "torch" evaluates eq. 3 layer by layer on batches of float64 tokens, for the
same pairs of assignments (its values are rounded, those of seprank exact modulo a prime). "evaluation over
elimination" sums both over all blocks of one rank by sampling; `--most` bounds the points per side.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch

from seprank import Architecture, Partition, field
from seprank.attention.weights import Weights, random_weights
from seprank.field.elimination import eliminate
from seprank.field.primes import DEFAULT_PRIME
from seprank.separation.assignments import draw_assignments
from seprank.separation.blocks import balanced_blocks
from seprank.separation.network import AttentionNetwork, network_function
from seprank.separation.plan import plan_rank

Row = dict[str, object]
Residues = np.ndarray
AGAINST_TORCH = ((2, 16, 1), (2, 16, 2), (2, 16, 4))
AGAINST_ELIMINATION = ((2, 16, 1), (2, 16, 2), (2, 16, 4), (2, 16, 8), (2, 16, 16), (3, 4, 1), (3, 4, 2), (3, 4, 4))
AGAINST_INTERPOLATION = ((2, 16, 1), (2, 16, 4), (3, 4, 1), (3, 4, 2))


def best(task: Callable[[], object], repeats: int = 3) -> float:
    """Seconds of the fastest of some runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        task()
        times.append(time.perf_counter() - start)
    return min(times)


def drawn(arch: Architecture, N: int, points: int) -> tuple[AttentionNetwork, Residues, Residues]:
    """A network and assignments of half of N tokens to each side."""
    network = network_function(random_weights(arch, DEFAULT_PRIME, 0), DEFAULT_PRIME)
    return network, *draw_assignments(Partition.balanced(N), arch.dx, DEFAULT_PRIME, 0, points)


def torch_values(weights: Weights, left: torch.Tensor, right: torch.Tensor, batch: int) -> None:
    """Entry 0 at position 0 for every pair of the two sides, by eq. 3 on explicit tokens."""
    layers = [[torch.tensor(array[l] / DEFAULT_PRIME) for array in weights] for l in range(weights.architecture.L)]
    for a in range(len(left)):
        for start in range(0, len(right), batch):
            part = right[start : start + batch]
            x = torch.cat([left[a].expand(len(part), -1, -1), part], dim=1)
            for query, key, value, output in layers:
                heads = zip(query, key, value, output, strict=True)
                parts = (((x @ Q.T) @ (x @ K.T).transpose(1, 2)) @ (x @ V.T) @ O.T for Q, K, V, O in heads)
                x = torch.stack(list(parts)).sum(dim=0)
            x[:, 0, 0].sum()


def torch_seconds(network: AttentionNetwork, A: Residues, B: Residues) -> float:
    """Seconds for one pair, with the best of three sizes of batch."""
    left, right = (torch.tensor(side / DEFAULT_PRIME) for side in (A, B))
    times = []
    with torch.no_grad():
        for batch in (128, 512, 2048):
            task = lambda batch=batch: torch_values(network.weights, left[:2], right[:2048], batch)  # noqa: E731
            times.append(best(task) / (2 * min(2048, len(right))))
    return min(times)


def seprank_seconds(network: AttentionNetwork, A: Residues, B: Residues, orders: Sequence[int]) -> float:
    """Seconds for one pair, preparation of the sides included."""
    targets = {k: np.empty((len(A), len(B))) for k in orders}

    def task() -> None:
        form = network.blocks(A, B)
        if form is None:
            raise SystemExit("these sizes have no block form")
        form.fill(targets)

    return best(task) / (len(A) * len(B))


def against_torch(sizes: tuple[int, int, int], points: int) -> Row:
    """Time per pair at N = 16 beside that of torch, and at larger N beside N = 16."""
    arch = Architecture(*sizes)
    middle, every = [arch.C // 2], range(arch.C + 1)
    network, A, B = drawn(arch, 16, points)
    own = seprank_seconds(network, A, B, middle)
    row: Row = {"sizes": sizes, "N": 16, "nanoseconds per pair": round(1e9 * own, 1)}
    peer = torch_seconds(network, A, B)
    row["times faster than torch, one block"] = round(peer / own, 1)
    row["times faster than torch, all blocks"] = round(peer / seprank_seconds(network, A, B, every), 1)
    for N in (64, 256):
        row[f"time at N = {N} over N = 16"] = round(seprank_seconds(*drawn(arch, N, points), middle) / own, 2)
    return row


def against_elimination(sizes: tuple[int, int, int], most: int) -> Row:
    """Both halves of a rank by sampling."""
    arch = Architecture(*sizes)
    plan = plan_rank(arch, method="blocks", points=most)
    network, A, B = drawn(arch, 2 * arch.dx, plan.points)
    evaluation = elimination = 0.0
    rank, clock = 0, time.perf_counter()
    for _, matrix in balanced_blocks(network, A, B, plan.sizes, plan.prime, memory=plan.memory):
        middle = time.perf_counter()
        rank += eliminate(matrix, plan.prime).rank
        end = time.perf_counter()
        evaluation, elimination, clock = evaluation + middle - clock, elimination + end - middle, end
        del matrix
    row: Row = {"sizes": sizes, "points": plan.points, "rank": rank}
    row |= {"evaluation seconds": round(evaluation, 2), "elimination seconds": round(elimination, 2)}
    row["evaluation over elimination"] = round(evaluation / elimination, 2)
    return row


def against_interpolation(sizes: tuple[int, int, int], points: int) -> Row:
    """The largest block as a coefficient, and all blocks by interpolation (which gives no block alone)."""
    arch = Architecture(*sizes)
    network, A, B = drawn(arch, 2 * arch.dx, points)
    wanted = [points if k in (arch.C // 2, arch.C // 2 + 1) else None for k in range(arch.C + 1)]

    def evaluate(function: object) -> float:
        return best(lambda: list(balanced_blocks(function, A, B, wanted, DEFAULT_PRIME)), 1)

    ratio = evaluate(lambda A, B: network(A, B)) / evaluate(network)
    return {"sizes": sizes, "points": points, "times faster than interpolation": round(ratio, 1)}


def shown(rows: list[Row], row: Row) -> None:
    """Keep a row, and show it at once."""
    rows.append(row)
    print("  ".join(f"{name}: {value}" for name, value in row.items()), file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--points", type=int, default=4096, help="assignments per side for torch and interpolation")
    parser.add_argument("--most", type=int, default=12000, help="most assignments per side of a whole rank")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    document: Row = {"schema": "seprank.bench/1", "threads": options.threads, "prime": DEFAULT_PRIME}
    with field.thread_limit(options.threads):
        for sizes in AGAINST_INTERPOLATION:
            against_elimination(sizes, 80)  # compile
        for name, task, cases, size in (
            ("torch", against_torch, AGAINST_TORCH, options.points),
            ("interpolation", against_interpolation, AGAINST_INTERPOLATION, options.points // 2),
            ("elimination", against_elimination, AGAINST_ELIMINATION, options.most),
        ):
            rows: list[Row] = []
            for sizes in cases:
                shown(rows, task(sizes, size))
            document[name] = rows
    text = json.dumps(document, indent=1)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
