"""The constructions of the k-hop task by name, and from which length on a number type no longer carries them."""

from __future__ import annotations

from collections.abc import Callable

from seprank.errors import InvalidInput, OutOfScope
from seprank.parallel.construction import Construction, resolution
from seprank.parallel.counting import build_counting
from seprank.parallel.pointer_doubling import build_pointer_doubling
from seprank.parallel.ranking import build_ranking
from seprank.validate import whole_number

BUILDERS: dict[str, Callable[..., Construction]] = {
    "C1": build_pointer_doubling,
    "C2": build_counting,
    "C3": build_ranking,
}
MOST_N = 1 << 40


def hop_construction(
    name: str, k: int, N: int, alphabet: int, dtype: str = "float64", digits: int | None = None
) -> Construction:
    """The construction `name` ("C1", "C2", "C3") of hop_k for strings of length `N` over ``0..alphabet-1``.

    `digits` (1 or 2) is for C2 alone: counts as one number, or as two digits with smaller logits. Raises
    `InvalidInput` for an argument that breaks its rule, and `OutOfScope`, saying what would work, where `dtype`
    ("float64", "float32") cannot carry the margin by which rounding is right. What the depth certifies: it is counted
    in every run; that the answers are right is proved for exact arithmetic and checked by `verify_construction`.

    >>> [hop_construction(name, 6, 50, 4).depth_formula for name in ("C1", "C2", "C3")]
    [5, 4, 4]
    """
    if name not in BUILDERS:
        raise InvalidInput(f"construction must be one of {', '.join(BUILDERS)}, got {name!r}")
    resolution(dtype)
    if digits is None:
        return BUILDERS[name](k, N, alphabet, dtype)
    if name != "C2":
        raise InvalidInput(f"digits goes with construction C2 alone, got digits={digits!r} with {name}")
    return build_counting(k, N, alphabet, dtype, digits)


def first_refused_length(name: str, k: int, alphabet: int, dtype: str, digits: int | None = None) -> int | None:
    """The first N for which `hop_construction` refuses `dtype`; None if there is none up to 2**40.

    >>> first_refused_length("C2", 3, 4, "float32") < first_refused_length("C2", 3, 4, "float32", digits=2)
    True
    """

    def refused(N: int) -> bool:
        try:
            hop_construction(name, k, N, alphabet, dtype, digits)
        except OutOfScope:
            return True
        return False

    low, high = 0, 1
    whole_number("k", k)
    while not refused(high):
        low, high = high, 2 * high
        if high > MOST_N:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if refused(middle) else (middle, high)
    return high
