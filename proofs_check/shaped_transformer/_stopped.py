"""Stopped laws of blocks on three tokens, networks beside the SDE."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from proofs_check.plain.shaped_formulas import RIGHT, Variant
from proofs_check.plain.shaped_laws import statistics, stopped_networks, stopped_structured
from proofs_check.shaped_transformer import _library
from proofs_check.shaped_transformer._cases import THREE
from proofs_check.shaped_transformer._results import Samples
from proofs_check.verdict import Claim

BIAS = 0.015  # of a width of 100
C = (1.5, -1.5)


class Case(NamedTuple):
    """Block, residual weight, temperature constant, width, depth, radius, paths."""

    block: str
    gamma: float
    tau0: float
    n: int
    depth: int
    radius: float
    paths: int


def by_networks(case: Case) -> Samples:
    """Networks drawn, frozen at the first block where the norm reaches the radius."""
    block, gamma, tau0, n, depth, radius, paths = case
    return Samples(statistics(stopped_networks(THREE, block, gamma, tau0, C, n, depth, radius, paths, 16)))


def by_library(case: Case) -> Samples:
    """Paths of the SDE with exits tested at the same spacing 1/n."""
    block, gamma, tau0, n, depth, radius, paths = case
    return Samples(statistics(_library.stopped_law(THREE, block, gamma, tau0, C, n, depth, radius, 3 * paths)))


@cache
def by_structured(case: Case, variant: Variant = RIGHT) -> Samples:
    """Euler steps, two to a layer, with structured noise."""
    block, gamma, tau0, n, depth, radius, paths = case
    gap = (C[0] - C[1]) ** 2
    V = stopped_structured(THREE, block, gamma, tau0, gap, 2 * depth, depth / n, radius, 3 * paths, 17, variant, 2)
    return Samples(statistics(V))


def has_law(**wrong: float) -> Claim:
    """The claim that networks have the stopped law of a variant of the SDE."""
    return lambda case, result: result.agrees(by_structured(case, Variant(**wrong)), BIAS)
