"""Runs of the explicit transformers, whole, cut short, and without their mask."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from proofs_check.plain.hops import KINDS, Word, fast_hops, word

Answers = tuple[int, tuple[Word, ...]]


class Case(NamedTuple):
    """A construction with its sizes, and the strings that it is run on."""

    name: str
    k: int
    N: int
    alphabet: int
    exhaustive: bool = False

    def __str__(self) -> str:
        return f"{self.name}, k = {self.k}, N = {self.N}, {self.alphabet} symbols"

    def words(self) -> list[Word]:
        """All strings, or one of each kind."""
        if self.exhaustive:
            return list(itertools.product(range(self.alphabet), repeat=self.N))
        return [word(kind, self.N, self.alphabet, self.k) for kind in KINDS]


def sizes(names: Iterable[str], level: str) -> Iterable[Case]:
    """Every string of small size; samples for k up to 16."""
    full = level == "full"
    for name in names:
        for k in range(1, 7):
            yield Case(name, k, 7 if full else 5, 2, True)
            yield Case(name, k, 6 if full else 4, 3, True)
        for k in range(1, 17) if full else (3, 7, 8, 15, 16):
            yield Case(name, k, 100 if full else 60, 4)
        yield Case(name, 3, 37, 3)
        if full:
            yield Case(name, 33, 300, 4)


def by_attention(case: Case) -> Answers:
    """The library's forward pass, with the layers that attended."""
    from seprank.parallel.constructions import hop_construction

    answers, run = hop_construction(case.name, case.k, case.N, case.alphabet).run(np.array(case.words()))
    return run.depth, tuple(map(tuple, answers.tolist()))


def with_fewer_layers(case: Case) -> tuple[Word, ...]:
    """The answers that the last layer but one would give."""
    from seprank.parallel.constructions import hop_construction

    built = hop_construction(case.name, case.k, case.N, case.alphabet)
    answers, _ = replace(built, layers=built.layers[:-1]).run(np.array(case.words()))
    return tuple(map(tuple, answers.tolist()))


def without_mask(case: Case) -> tuple[Word, ...]:
    """The answers when every position attends to all."""
    from seprank.parallel.constructions import hop_construction
    from seprank.parallel.decoder import Rows

    built, rows = hop_construction(case.name, case.k, case.N, case.alphabet), Rows(np)
    Z = built.embed(np.array(case.words()))
    with np.errstate(all="ignore"):
        for layer in built.layers:
            outputs = []
            for head in layer.heads:
                logits = (Z @ head.W_Q) @ (Z @ head.W_K).swapaxes(-1, -2)
                weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
                outputs.append(weights / weights.sum(axis=-1, keepdims=True) @ (Z @ head.W_V))
            Z = layer.step(Z, outputs, rows)
        return tuple(map(tuple, np.nan_to_num(built.read(Z, rows)).astype(np.int64).tolist()))


def by_definition(case: Case, depth: int) -> Answers:
    """The recurrence, beside a depth by formula."""
    return depth, tuple(fast_hops(X, case.k) for X in case.words())
