"""Random residues that anyone can draw again: a counter-based generator written out in full.

Word number ``i`` (from 0) of the stream ``stream`` under the seed ``seed`` is, modulo ``2**64``::

    state = first 8 bytes, little endian, of SHA-256 of the ASCII text "seprank.draw/1:{seed}:{stream}"
    z = state + (i + 1) * 0x9E3779B97F4A7C15
    z = (z xor (z >> 30)) * 0xBF58476D1CE4E5B9
    z = (z xor (z >> 27)) * 0x94D049BB133111EB
    word = z xor (z >> 31)

which is the generator splitmix64 started at ``state``. A residue is its word modulo the prime (no residue is
likelier than another by more than one part in ``2**32``), and arrays are filled in row-major order. The "1"
is the version of this rule.
"""

import hashlib
import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from seprank.errors import InvalidInput
from seprank.field.primes import check_prime
from seprank.validate import whole_number

_BLOCK = 1 << 18  # words made at a time: the temporaries then stay inside the cache


def residues(seed: int, stream: str, shape: int | Iterable[int], prime: int) -> NDArray[np.int64]:
    """An int64 array of random residues, from 0 to ``prime - 1``, of the given shape.

    Parameters
    ----------
    seed : whole number from 0 to ``2**64 - 1``.
    stream : ASCII text that names the use; different streams of a seed are unrelated.
    shape : one whole number or several, each at least 0.
    prime : a prime at most 2147483647.

    The array is a function of the four arguments alone, by the rule at the top of this module. Raises
    `InvalidInput` when an argument breaks its rule.

    >>> residues(7, "weights", (2, 3), 101).tolist()
    [[6, 81, 82], [49, 35, 33]]
    """
    modulus = np.uint64(check_prime(prime))
    sizes = _shape(shape)
    flat = np.empty(math.prod(sizes), dtype=np.int64)
    for start in range(0, flat.size, _BLOCK):
        block = flat[start : start + _BLOCK]
        block[:] = words(seed, stream, start, block.size) % modulus
    _state(seed, stream)  # an empty array checks its arguments too
    return flat.reshape(sizes)


def words(seed: int, stream: str, start: int, count: int) -> NDArray[np.uint64]:
    """Words number `start` to ``start + count - 1`` of a stream, as uint64 (rule at the top of this module).

    `seed` is a whole number from 0 to ``2**64 - 1``, `stream` is ASCII text, `start` and `count` are whole
    numbers up to ``2**62``. Raises `InvalidInput` when an argument breaks its rule.

    >>> hex(words(0, "example", 0, 1)[0])
    '0x7ec62fa65463859f'
    """
    state = _state(seed, stream)
    first = whole_number("start", start, least=0, most=2**62) + 1
    number = whole_number("count", count, least=0, most=2**62)
    z = np.arange(first, first + number, dtype=np.uint64)
    z *= np.uint64(0x9E3779B97F4A7C15)
    z += state
    z ^= z >> np.uint64(30)
    z *= np.uint64(0xBF58476D1CE4E5B9)
    z ^= z >> np.uint64(27)
    z *= np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return z


def _state(seed: int, stream: str) -> np.uint64:
    number = whole_number("seed", seed, least=0, most=2**64 - 1)
    if not isinstance(stream, str) or not stream.isascii():
        raise InvalidInput(f"stream must be ASCII text, got {stream!r}")
    digest = hashlib.sha256(f"seprank.draw/1:{number}:{stream}".encode("ascii")).digest()
    return np.uint64(int.from_bytes(digest[:8], "little"))


def _shape(shape: int | Iterable[int]) -> tuple[int, ...]:
    sizes = tuple(shape) if isinstance(shape, Iterable) and not isinstance(shape, str) else (shape,)
    return tuple(whole_number("shape", size, least=0) for size in sizes)
