"""Compiled passes over a string, behind `seprank.parallel.hop`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seprank.field.kernels import kernel


@kernel
def first_links(symbols: NDArray[Any], alphabet: int) -> NDArray[Any]:
    """find^1 of every position, counted from 1, for symbols below `alphabet`."""
    after = np.zeros(alphabet, np.int64)
    links = np.empty(symbols.size, np.int64)
    for i in range(symbols.size):
        if i:
            after[symbols[i - 1]] = i + 1
        links[i] = after[symbols[i]]
    return links


@kernel
def registers_pass(symbols: NDArray[Any], k: int, alphabet: int, found: NDArray[Any]) -> None:
    """Write hop_k of every position to `found`, by one pass.

    Register l of symbol c holds hop_(l-1) at the last place after a c. On a symbol x after a symbol y, the registers
    of y become (x, hop_1, ..., hop_(k-1)) of this place, where hop_l is register l of x; for x = y they are all x. The
    registers of a symbol are packed into words, x + 1 in as many bits as it needs (0 is blank), so that moving all of
    them by one is a shift.
    """
    bits = 1
    while alphabet >> bits:
        bits += 1
    slots = 64 // bits
    words = (k + slots - 1) // slots
    all_of = np.uint64(0)
    for slot in range(slots):
        all_of |= np.uint64(1) << np.uint64(slot * bits)
    full = all_of * ((np.uint64(1) << np.uint64(bits)) - np.uint64(1))
    out_word, out_shift = (k - 1) // slots, np.uint64(((k - 1) % slots) * bits)
    if words == 1:
        _one_word(symbols, alphabet, np.uint64(bits), all_of, full, out_shift, found)
    else:
        _many_words(symbols, alphabet, words, np.uint64(bits), all_of, full, out_word, out_shift, found)


@kernel
def _one_word(
    symbols: NDArray[Any], alphabet: int, bits: Any, all_of: Any, full: Any, out_shift: Any, found: NDArray[Any]
) -> None:
    table = np.zeros(alphabet, np.uint64)
    mask = (np.uint64(1) << bits) - np.uint64(1)
    found[0] = -1
    y = symbols[0]
    for i in range(1, symbols.size):
        x = symbols[i]
        code = np.uint64(x) + np.uint64(1)
        here = all_of * code if x == y else table[x]
        table[y] = here if x == y else ((here << bits) & full) | code
        found[i] = np.int64((here >> out_shift) & mask) - 1
        y = x


@kernel
def _many_words(
    symbols: NDArray[Any],
    alphabet: int,
    words: int,
    bits: Any,
    all_of: Any,
    full: Any,
    out_word: int,
    out_shift: Any,
    found: NDArray[Any],
) -> None:
    table = np.zeros(alphabet * words, np.uint64)
    mask = (np.uint64(1) << bits) - np.uint64(1)
    top = np.uint64(0)
    while (full >> top) > mask:  # where the highest register of a word starts
        top += bits
    found[0] = -1
    y = symbols[0]
    for i in range(1, symbols.size):
        x = symbols[i]
        carry = np.uint64(x) + np.uint64(1)
        here, there = np.int64(x) * words, np.int64(y) * words
        if x == y:
            for word in range(words):
                table[there + word] = all_of * carry
        else:
            for word in range(words):
                old = table[here + word]
                table[there + word] = ((old << bits) & full) | carry
                carry = old >> top
        found[i] = np.int64((table[here + out_word] >> out_shift) & mask) - 1
        y = x
