"""One cycle or two, from raw edge tokens by attention layers alone: Theorem 3.1 end to end on its standard example.

The input is 2 n tokens, the two ends of edge after edge. Machine v lives on token v; layer 1 fetches the other end of
the edge, layer 2 brings a vertex its two neighbours, R layers double pointers, one uniform layer compares labels:
depth ``R + 3`` with ``R = ceil(log2(n + 1)) - 1``. Source: sanford2024log, Theorem 3.1; docs/parallel.md, routing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from seprank.errors import InvalidInput
from seprank.parallel.decoder import softmax
from seprank.parallel.mpc import Memory, Messages, MPCRun, Step, Words
from seprank.parallel.mpc_as_transformer import AttentionExchange, run_by_attention
from seprank.parallel.small_protocols import CycleDoubling
from seprank.validate import whole_number


@dataclass(frozen=True)
class CyclesFromEdges:
    """The protocol on ``2 * vertices`` machines, one a token; `fewer` leaves out so many rounds of doubling.

    Memory at the start: ``symbol`` (1,), the vertex at that end of an edge; at the end machines below `vertices` have
    ``least`` (1,), the least label they have heard of.
    """

    vertices: int
    fewer: int = 0

    @property
    def rounds(self) -> int:
        """Partner, neighbours, doubling: ``R + 2``."""
        return 2 + CycleDoubling(self.vertices).rounds - self.fewer

    def step(self, machine: int, memory: Memory, inbox: Messages, round: int) -> Step:
        """Rounds: 1 to the other end of the edge; 2 to the vertex; from 3 on pointer doubling."""
        done = round > self.rounds
        if round == 1:
            return Step(memory, Messages(np.array([machine ^ 1]), memory["symbol"][:, None]), False)
        if round == 2:
            return Step({}, Messages(memory["symbol"].copy(), inbox.words), False)
        if machine >= self.vertices:
            return Step({}, Messages.none(2), done)
        if round == 3:
            memory, inbox = {"pointers": np.sort(inbox.words[:, 0]), "least": np.array([machine])}, Messages.none(2)
        step = CycleDoubling(self.vertices).step(machine, memory, inbox, round - 2)
        return Step(step.memory, Messages.none(2) if done else step.outbox, done)


@dataclass(frozen=True, eq=False)
class CycleVerdict:
    """`one_cycle` as a transformer of `depth` layers reads it, the `labels` of the vertices, the run, the layers."""

    one_cycle: bool
    labels: Words
    depth: int
    run: MPCRun
    exchange: AttentionExchange


def one_cycle_by_attention(
    edges: ArrayLike, seed: int = 0, dtype: str = "float64", rows: int = 14, fewer: int = 0
) -> CycleVerdict:
    """Whether a 2-regular graph is one cycle, by attention layers over its 2 n edge tokens.

    `edges` has shape ``(n, 2)`` and meets every vertex ``0..n-1`` twice. The verdict is right for one cycle and for two
    of n / 2 vertices wherever no self-check fails (`CheckFailed`); with ``fewer=1`` one cycle is taken for two.
    Raises `InvalidInput` for edges that are no 2-regular graph on ``0..n-1``.

    >>> verdict = one_cycle_by_attention([[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3]])
    >>> verdict.one_cycle, verdict.labels.tolist(), verdict.depth
    (False, [0, 0, 0, 3, 3, 3], 5)
    """
    tokens = np.asarray(edges, np.int64).ravel()
    n = len(tokens) // 2
    if n < 3 or not np.array_equal(np.bincount(tokens[tokens >= 0], minlength=n), np.full(n, 2)):
        raise InvalidInput("edges must meet every vertex 0..n-1 twice, n at least 3, got another degree or vertex")
    protocol = CyclesFromEdges(n, whole_number("fewer", fewer, least=0, most=n.bit_length() - 1))
    memories: list[Memory] = [{"symbol": np.array([token])} for token in tokens]
    run, exchange = run_by_attention(protocol, memories, 4, protocol.rounds + 1, 2, rows, seed, dtype)
    labels = np.array([int(run.memories[v]["least"][0]) for v in range(n)])
    values = np.concatenate([labels, np.zeros(n)]).astype(dtype)
    average = softmax(np.zeros((2 * n, 2 * n), dtype), np) @ values  # the query is zero: equal weights
    one = bool((np.abs(2 * n * average[:n] - 2 * n * labels) < 0.5).all())
    return CycleVerdict(one, labels, exchange.depth + 1, run, exchange)
