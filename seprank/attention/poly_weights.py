"""Small whole-number weights that anyone can draw again, for polynomials that people can read."""

from __future__ import annotations

from math import prod

from seprank.attention.architecture import Architecture
from seprank.attention.weights import Weights
from seprank.field.draw import words

LARGEST = 9


def small_weights(architecture: Architecture, seed: int) -> Weights:
    """Weights from -9 to 9 without 0, the same on every machine for the same `seed` (0 to ``2**64 - 1``).

    The four arrays are the streams ``"Q"``, ``"K"``, ``"V"``, ``"O"`` of `seprank.field.draw.words`, filled in
    row-major order; with ``r`` the word modulo 18, the weight is ``r - 9`` below 9 and ``r - 8`` from there on.
    Raises `InvalidInput` for a bad seed.

    >>> small_weights(Architecture(L=1, dx=2), seed=0).query.tolist()
    [[[[-9, -8], [3, 6]]]]
    """
    read = (architecture.L, architecture.H, architecture.da, architecture.dx)
    write = (architecture.L, architecture.H, architecture.dx, architecture.da)
    arrays = []
    for stream, shape in zip("QKVO", (read, read, read, write), strict=True):
        drawn = (words(seed, stream, 0, prod(shape)) % (2 * LARGEST)).astype("int64") - LARGEST
        arrays.append((drawn + (drawn >= 0)).reshape(shape))
    return Weights(architecture, *arrays)
