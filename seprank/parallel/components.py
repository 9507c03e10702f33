"""Protocols for connected components: random mate, label propagation, hook and shortcut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from seprank.parallel.combining_tree import NOTHING, Pairs, TreeProtocol, look_up, public_hash
from seprank.parallel.mpc import Memory, Words


@dataclass(frozen=True)
class RandomMate(TreeProtocol):
    """Contraction: each label flips a public coin; a tail joins the least head that it has an edge to.

    Memory: ``edges`` (e, 2), labels at both ends; ``vertices`` (v, 2), vertex and label. A label that still has an edge
    disappears with probability at least 1/4 an iteration, so ``O(log n)`` iterations suffice; with its seed fixed the
    protocol is deterministic. Source: docs/parallel.md, random mate.
    """

    def asks(self, stage: int, iteration: int, memory: Memory) -> Pairs:
        """Tails ask for the least head across their edges, wherever those are kept."""
        a, b = memory["edges"].T
        heads = self._heads(a, iteration), self._heads(b, iteration)
        forward, backward = ~heads[0] & heads[1], heads[0] & ~heads[1]
        labels = memory["vertices"][:, 1]
        ends = np.concatenate([labels, a, b])
        waiting = ends[~np.concatenate([self._heads(labels, iteration), *heads])]
        keys = np.concatenate([a[forward], b[backward], waiting])
        values = np.concatenate([b[forward], a[backward], np.full(len(waiting), NOTHING)])
        return keys, values

    def learns(self, stage: int, iteration: int, memory: Memory, answers: Pairs) -> Memory:
        """Relabel, drop loops and repeated edges."""
        edges, vertices = memory["edges"], memory["vertices"]
        ends = look_up(edges.ravel(), answers, edges.ravel()).reshape(-1, 2)
        labels = look_up(vertices[:, 1], answers, vertices[:, 1])
        return {
            "edges": _simple(ends),
            "vertices": np.stack([vertices[:, 0], labels], axis=1),
        }

    def works(self, memory: Memory) -> bool:
        """An edge is left."""
        return len(memory["edges"]) > 0

    def _heads(self, labels: Words, iteration: int) -> np.ndarray:
        coin = public_hash(self.seed + 1, labels, iteration)
        return (coin >> np.uint64(40)) & np.uint64(1) == 1


@dataclass(frozen=True)
class LabelPropagation(TreeProtocol):
    """Every vertex takes the least label among its neighbours and itself, until nothing changes.

    Memory: ``edges`` (e, 4): both ends and their labels; ``vertices`` (v, 2); ``changed`` (1,). It is what a message-
    passing graph network does, and takes about as many iterations as the diameter. Source: docs/parallel.md.
    """

    def asks(self, stage: int, iteration: int, memory: Memory) -> Pairs:
        """Each end of an edge is offered the label of the other end."""
        u, v, label_u, label_v = memory["edges"].T
        own = memory["vertices"][:, 0]
        keys = np.concatenate([u, v, own])
        return keys, np.concatenate([label_v, label_u, np.full(len(own), NOTHING)])

    def learns(self, stage: int, iteration: int, memory: Memory, answers: Pairs) -> Memory:
        """Labels fall to what was offered."""
        u, v, label_u, label_v = memory["edges"].T
        new_u, new_v = (np.minimum(label, look_up(end, answers, label)) for end, label in ((u, label_u), (v, label_v)))
        own, label = memory["vertices"].T
        new = np.minimum(label, look_up(own, answers, label))
        changed = bool((new != label).any() or (new_u != label_u).any() or (new_v != label_v).any())
        return {
            "edges": np.stack([u, v, new_u, new_v], axis=1),
            "vertices": np.stack([own, new], axis=1),
            "changed": np.array([changed], np.int64),
        }

    def works(self, memory: Memory) -> bool:
        """Something changed in the last iteration."""
        return bool(memory["changed"][0])


@dataclass(frozen=True)
class HookAndShortcut(TreeProtocol):
    """Trees of pointers that hook on to one another and are flattened, three joins an iteration.

    Memory: ``edges`` (e, 2) vertices; ``vertices`` (v, 3): vertex, pointer f, pointer's pointer g; ``ends`` (e, 4): f
    and g of both ends; ``changed`` (1,). In every iteration f(f(u)) and f(u) fall to the least g(v) of a neighbour v,
    and f(u) to g(u). ``O(log n)`` iterations are observed, not proved. Source: docs/parallel.md, hook and shortcut.
    """

    stages: ClassVar[int] = 3

    def asks(self, stage: int, iteration: int, memory: Memory) -> Pairs:
        """0: the pointer of one's pointer. 1: edges ask for both pointers of their ends. 2: hooks are offered."""
        own, f, g = memory["vertices"].T
        if stage == 0:
            return np.concatenate([own, f]), np.concatenate([f, np.full(len(f), NOTHING)])
        u, v = memory["edges"].T
        if stage == 1:
            ends = np.concatenate([u, v])
            keys = np.concatenate([2 * own, 2 * own + 1, 2 * ends, 2 * ends + 1])
            return keys, np.concatenate([f, g, np.full(2 * len(ends), NOTHING)])
        f_u, g_u, f_v, g_v = memory["ends"].T
        keys = np.concatenate([f_u, u, f_v, v, own])
        return keys, np.concatenate([g_v, g_v, g_u, g_u, np.full(len(own), NOTHING)])

    def learns(self, stage: int, iteration: int, memory: Memory, answers: Pairs) -> Memory:
        """0: g = f(f). 1: the pointers at the ends of edges. 2: hook and shortcut."""
        own, f, g = memory["vertices"].T
        u, v = memory["edges"].T
        if stage == 0:
            return {**memory, "vertices": np.stack([own, f, look_up(f, answers, f)], axis=1)}
        if stage == 1:
            parts = [look_up(2 * end + side, answers, end) for end in (u, v) for side in (0, 1)]
            return {**memory, "ends": np.stack(parts, axis=1)}
        new = np.minimum(np.minimum(f, g), look_up(own, answers, f))
        return {
            "edges": memory["edges"],
            "vertices": np.stack([own, new, g], axis=1),
            "changed": np.array([(new != f).any()], np.int64),
        }

    def works(self, memory: Memory) -> bool:
        """A pointer changed in the last iteration."""
        return bool(memory["changed"][0])


def _simple(edges: Words) -> Words:
    """Edges without loops, each once."""
    kept = edges[edges[:, 0] != edges[:, 1]]
    if not len(kept):
        return kept
    kept = np.sort(kept, axis=1)
    kept = kept[np.lexsort((kept[:, 1], kept[:, 0]))]
    return kept[np.append(True, (kept[1:] != kept[:-1]).any(axis=1))]
