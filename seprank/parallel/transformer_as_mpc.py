"""A transformer run by machines: ``O(L / (delta' - delta))`` rounds on ``N + N**2`` machines.

Token machine i holds row i; pair machine (i, j) forms the score of query i and key j. Queries fan out along rows and
keys and values along columns by trees of branching b; triples (maximum, denominator, numerator) fan back in along rows,
merged by an associative rule. Source: sanford2024log, Theorem 3.4, at the level of messages in docs/parallel.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from seprank.errors import InvalidInput
from seprank.field.draw import words as random_words
from seprank.parallel.mpc import Memory, Messages, MPCRun, Step, run_protocol
from seprank.validate import whole_number

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TransformerSizes:
    """A transformer without mask: `N` tokens, `L` layers of `H` heads of width `m`, residual, one ReLU layer as MLP.

    Its weights are a fixed function of `seed`, entries uniform in [-1, 1] divided by ``sqrt(m H)``; all machines know
    them.
    """

    N: int
    m: int
    L: int
    H: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("N", "m", "L", "H"):
            whole_number(name, getattr(self, name))

    @property
    def width(self) -> int:
        """Numbers in a row, ``m H``."""
        return self.m * self.H

    def tokens(self) -> Floats:
        """Input rows ``(N, m H)`` drawn from the seed."""
        return _uniform(self.seed, "tokens", (self.N, self.width))


def direct_pass(sizes: TransformerSizes) -> Floats:
    """The transformer's output ``(N, m H)``, computed in the usual way.

    >>> direct_pass(TransformerSizes(N=3, m=2, L=1)).shape
    (3, 2)
    """
    X = sizes.tokens()
    for layer in range(sizes.L):
        heads = []
        for head in range(sizes.H):
            Q, K, V = (X @ matrix for matrix in _weights(sizes, layer)[head])
            scores = np.exp(Q @ K.T - (Q @ K.T).max(axis=1, keepdims=True))
            heads.append(scores / scores.sum(axis=1, keepdims=True) @ V)
        X = _behind(sizes, layer, X, np.hstack(heads))
    return X


def branching(sizes: TransformerSizes, words: int) -> int:
    """Branching of the trees: ``b = floor(s / max(3 m H, (m + 2) H))``; raises `InvalidInput` below 2.

    >>> branching(TransformerSizes(N=16, m=2, L=3), words=24)
    4
    """
    b = whole_number("words", words) // max(3 * sizes.width, (sizes.m + 2) * sizes.H)
    if b < 2:
        needed = 2 * max(3 * sizes.width, (sizes.m + 2) * sizes.H)
        raise InvalidInput(f"words must be at least {needed} for rows of {sizes.width} numbers, got {words}")
    return b


@dataclass(frozen=True)
class AttentionByPairs:
    """The protocol: ``2 D`` rounds a layer with ``D = ceil(log_b N)``. Numbers travel as the bits of floats."""

    N: int
    m: int
    L: int
    H: int
    seed: int
    b: int

    @property
    def sizes(self) -> TransformerSizes:
        """The transformer that is run."""
        return TransformerSizes(self.N, self.m, self.L, self.H, self.seed)

    @property
    def depth(self) -> int:
        """Levels of the trees, D."""
        depth, reach = 1, self.b
        while reach < self.N:
            depth, reach = depth + 1, reach * self.b
        return depth

    def step(self, machine: int, memory: Memory, inbox: Messages, round: int) -> Step:
        """Fan out for D rounds, form triples, fan in for D rounds."""
        layer, phase = divmod(round - 1, 2 * self.depth)
        if machine < self.N:
            return self._token(machine, memory, inbox, layer, phase)
        i, j = divmod(machine - self.N, self.N)
        if 0 < phase < self.depth:
            return Step({}, self._fan_out(i, j, inbox, phase), False)
        if phase == self.depth:
            return Step({}, self._fan_in(i, j, self._triple(inbox), 1), False)
        if phase > self.depth:
            triples = _numbers(inbox.words)
            merged = merge(triples.reshape(len(triples), self.H, self.m + 2)) if len(triples) else triples
            return Step({}, self._fan_in(i, j, merged, phase - self.depth + 1), False)
        return Step({}, Messages.none(self.sizes.width), layer == self.L)

    def _token(self, i: int, memory: Memory, inbox: Messages, layer: int, phase: int) -> Step:
        if phase:
            return Step(memory, Messages.none(self.sizes.width), False)
        x = _numbers(memory["x"])
        if layer:
            merged = merge(_numbers(inbox.words).reshape(len(inbox.words), self.H, self.m + 2))
            heads = merged[:, 2:] / merged[:, 1:2]
            x = _behind(self.sizes, layer - 1, x[None], heads.reshape(1, -1))[0]
        kept = {"x": _bits(x)}
        if layer == self.L:
            return Step(kept, Messages.none(self.sizes.width), True)
        parts = [np.concatenate([x @ head[part] for head in _weights(self.sizes, layer)]) for part in range(3)]
        block = self.b ** (self.depth - 1)
        leaders = range(0, self.N, block)
        row = [(self._pair(i, j), parts[0]) for j in leaders]
        column = [(self._pair(j, i), part) for j in leaders for part in parts[1:]]
        return Step(kept, _messages(row + column, self.sizes.width), False)

    def _fan_out(self, i: int, j: int, inbox: Messages, phase: int) -> Messages:
        """The head of a block hands on what it got to the heads of its parts, itself among them."""
        parts = _parts(inbox)
        block = self.b ** (self.depth - phase)
        part = block // self.b
        sent = []
        for place in range(0, block, part):
            if "q" in parts and j + place < self.N:
                sent.append((self._pair(i, j + place), parts["q"]))
        for place in range(0, block, part):
            if "k" in parts and i + place < self.N:
                sent += [(self._pair(i + place, j), parts["k"]), (self._pair(i + place, j), parts["v"])]
        return _messages(sent, self.sizes.width)

    def _triple(self, inbox: Messages) -> Floats:
        q, k, v = (_parts(inbox)[name].reshape(self.H, self.m) for name in "qkv")
        return np.hstack([(q * k).sum(axis=1, keepdims=True), np.ones((self.H, 1)), v])

    def _fan_in(self, i: int, j: int, triple: Floats, stage: int) -> Messages:
        if not len(triple):
            return Messages.none((self.m + 2) * self.H)
        head = j - j % self.b**stage
        receiver = self._pair(i, head) if stage < self.depth else i
        return _messages([(receiver, triple.ravel())], (self.m + 2) * self.H)

    def _pair(self, i: int, j: int) -> int:
        return self.N + i * self.N + j


def run_on_machines(sizes: TransformerSizes, words: int) -> tuple[Floats, MPCRun, AttentionByPairs]:
    """The transformer's output by machines of `words` words, the run with rounds and loads, and the protocol.

    It equals `direct_pass` up to rounding. Raises `InvalidInput` for words that no tree fits in.

    >>> sizes = TransformerSizes(N=5, m=2, L=2)
    >>> output, run, _ = run_on_machines(sizes, words=24)
    >>> bool(np.allclose(output, direct_pass(sizes))), run.rounds
    (True, 8)
    """
    b = branching(sizes, words)
    protocol = AttentionByPairs(sizes.N, sizes.m, sizes.L, sizes.H, sizes.seed, b)
    memories: list[Memory] = [{"x": _bits(row)} for row in sizes.tokens()]
    memories += [{}] * sizes.N**2
    run = run_protocol(protocol, memories, words, 2 * protocol.depth * sizes.L + 1)
    return np.stack([_numbers(memory["x"]) for memory in run.memories[: sizes.N]]), run, protocol


def merge(triples: Floats) -> Floats:
    """One triple (maximum, denominator, numerator) for several, ``(count, H, m + 2)`` to ``(H, m + 2)``: associative.

    >>> merge(np.array([[[0.0, 1.0, 4.0]], [[0.0, 1.0, 8.0]]])).tolist()
    [[0.0, 2.0, 12.0]]
    """
    largest = triples[:, :, :1].max(axis=0)
    scaled = np.exp(triples[:, :, :1] - largest) * triples[:, :, 1:]
    return np.hstack([largest, scaled.sum(axis=0)])


def _parts(inbox: Messages) -> dict[str, Floats]:
    """What arrived, told apart by how many messages a sender sent: 1 is a query, 2 key and value, 3 all of them."""
    found: dict[str, Floats] = {}
    values = _numbers(inbox.words)
    for sender in np.unique(inbox.machines):
        rows = values[inbox.machines == sender]
        names = {1: "q", 2: "kv", 3: "qkv"}[len(rows)]
        found.update(zip(names, rows, strict=True))
    return found


def _behind(sizes: TransformerSizes, layer: int, X: Floats, attended: Floats) -> Floats:
    """Residual sum and the row-wise MLP."""
    Z = X + attended
    first, second = (
        _uniform(sizes.seed, f"mlp/{layer}/{which}", (sizes.width, sizes.width)) / np.sqrt(sizes.width)
        for which in (0, 1)
    )
    result: Floats = Z + np.maximum(Z @ first, 0) @ second
    return result


@lru_cache(maxsize=64)
def _weights(sizes: TransformerSizes, layer: int) -> tuple[tuple[Floats, Floats, Floats], ...]:
    shape = (sizes.H, 3, sizes.width, sizes.m)
    drawn = _uniform(sizes.seed, f"attention/{layer}", shape) / np.sqrt(sizes.width)
    return tuple((head[0], head[1], head[2]) for head in drawn)


def _uniform(seed: int, name: str, shape: tuple[int, ...]) -> Floats:
    raw = random_words(seed, name, 0, int(np.prod(shape))) >> np.uint64(11)
    return (raw.astype(np.float64) / 2.0**52 - 1).reshape(shape)


def _messages(sent: list[tuple[int, Floats]], width: int) -> Messages:
    if not sent:
        return Messages.none(width)
    return Messages(np.array([to for to, _ in sent], np.int64), _bits(np.stack([words for _, words in sent])))


def _bits(numbers: Floats) -> NDArray[np.int64]:
    return np.ascontiguousarray(numbers, np.float64).view(np.int64)


def _numbers(bits: NDArray[np.int64]) -> Floats:
    return np.ascontiguousarray(bits).view(np.float64)
