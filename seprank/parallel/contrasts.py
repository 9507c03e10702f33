"""What other architectures need for the tasks that a transformer solves in logarithmic depth, as functions of sizes.

Each says what it certifies: proved here, stated in the paper, or rebuilt from the paper's words ("reconstructed": the
exponent follows from a consequence that the paper states, constants and logarithms are unknown). Bounds whose form the
paper's text does not determine (kernel features, local attention, chain of thought) are left out.
Source: docs/parallel.md, contrasts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from seprank.errors import InvalidInput
from seprank.parallel.thresholds import ceiling_rule, floor_rule
from seprank.validate import real_number, whole_number


@dataclass(frozen=True)
class Bound:
    """A lower bound: `value` of `quantity`, and its `status` ("proved", "stated", "reconstructed", "conditional").

    Only "proved" bounds hold for the numbers as they are; of the others the growth is meant, up to constants and
    logarithms.
    """

    quantity: str
    value: float
    status: str
    source: str


def layered_size(N: int, k: int) -> int:
    """The largest n whose layered string of k permutations fits in N symbols: ``floor((N - 1) / (2 k))``.

    >>> layered_size(101, 5)
    10
    """
    return (whole_number("N", N) - 1) // (2 * whole_number("k", k))


def recurrent_state_bits(N: int, k: int) -> Bound:
    """Bits that pass from a prefix to the rest, ``L m >= log2(n!)``, for any recurrence that solves hop_k on N symbols.

    Proved, for alphabets of at least ``(k + 1) n`` symbols, n = `layered_size`: all n! prefixes of layered strings must
    be told apart. It grows like ``(N / k) log N`` and does not apply to a fixed alphabet, where `minimal_states` is
    the truth.

    >>> round(recurrent_state_bits(41, 4).value, 6)
    6.906891
    """
    n = layered_size(N, k)
    return Bound("L m", math.lgamma(n + 1) / math.log(2), "proved", "docs/parallel.md, recurrences")


def recurrent_width(N: int, k: int, L: int) -> Bound | None:
    """``m = Omega(N / k**6)`` for a recurrence of fewer than k layers; None for ``L >= k``, where nothing is claimed.

    Reconstructed from the consequence in the paper (width O(N^(1/7)) needs depth k while k = O(N^(1/7))); constants
    are not known. Its alphabet must grow. Source: sanford2024log, Corollary 5.2.

    >>> recurrent_width(10**7, 10, L=3).value
    10.0
    """
    if whole_number("L", L) >= whole_number("k", k):
        return None
    return Bound("m", whole_number("N", N) / k**6, "reconstructed", "sanford2024log, Corollary 5.2")


def recurrent_exponent(consequence: int = 7) -> int:
    """The a in ``m = Omega(N / k**a)`` that gives width ``N**(1/c)`` at ``k = N**(1/c)``: ``1 - a/c = 1/c``.

    >>> recurrent_exponent()
    6
    """
    return whole_number("consequence", consequence) - 1


def graph_network_depth(N: int, epsilon: float) -> Bound:
    """``N**(1/4 - epsilon/2)``: depth at which a graph network of width ``N**epsilon`` decides subgraph connectivity.

    Stated in the paper, up to constants and logarithms, from ``L sqrt(m) = Omega~(N**(1/4))``; a transformer needs
    O(log N). Source: sanford2024log, Section 3.3; loukas2020graph, Corollary 4.2.

    >>> graph_network_depth(10**8, 0.0).value
    100.0
    """
    epsilon = real_number("epsilon", epsilon, least=0, most=0.5)
    return Bound("L", whole_number("N", N) ** (0.25 - epsilon / 2), "stated", "sanford2024log, Section 3.3")


def transformer_depth(k: int, construction: str = "C3") -> int:
    """Layers of the explicit transformers of hop_k: ``ceil(log2 k) + 2`` (C1), ``floor(log2 k) + 2`` (C2, C3); exact.

    >>> transformer_depth(3, "C1"), transformer_depth(3, "C3")
    (4, 3)
    """
    if construction not in ("C1", "C2", "C3"):
        raise InvalidInput(f"construction must be one of C1, C2, C3, got {construction!r}")
    return ceiling_rule(k) if construction == "C1" else floor_rule(k)


def cycle_reduction(n: int) -> tuple[int, int, int]:
    """Sizes (k, N, largest alphabet) of the k-hop string that tells one cycle on n vertices from two of n / 2.

    ``k = n / 2``, ``N = 8 k**2 + 1``, at most ``4 k (k + 1)`` symbols: exact. That this makes depth Omega(log k)
    necessary rests on the one-versus-two-cycles conjecture. Source: sanford2024log, Corollary 4.3.

    >>> cycle_reduction(6)
    (3, 73, 48)
    """
    n = whole_number("n", n, least=6)
    if n % 2:
        raise InvalidInput(f"n must be even, got {n}")
    k = n // 2
    return k, 8 * k * k + 1, 4 * k * (k + 1)


def routing_value_width(machines: int, words: int) -> tuple[int, int]:
    """Rows R of hash tables with which one draw serves all patterns, and the width of the values, ``4 B R``.

    The least R with ``s**2 q**(2 s**2) 2**-R < 1``, in exact integers, with B = 2 s**2 buckets: a proof of existence,
    ``O(s**4 log q)``. Source: sanford2024log, Lemma 3.2; docs/parallel.md, routing.

    >>> routing_value_width(64, 2)
    (51, 1632)
    """
    q, s = whole_number("machines", machines, least=2), whole_number("words", words)
    rows = (s**2 * q ** (2 * s**2)).bit_length()
    return rows, 8 * s**2 * rows
