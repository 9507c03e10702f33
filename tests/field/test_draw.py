import hashlib
import re

import numpy as np
import pytest

from seprank.errors import InvalidInput
from seprank.field import residues
from seprank.field.draw import words


def word(seed: int, stream: str, i: int) -> int:
    """The rule of the module, one word at a time in plain Python."""
    digest = hashlib.sha256(f"seprank.draw/1:{seed}:{stream}".encode()).digest()
    z = (int.from_bytes(digest[:8], "little") + (i + 1) * 0x9E3779B97F4A7C15) % 2**64
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % 2**64
    return z ^ (z >> 31)


@pytest.mark.parametrize("seed", [0, 7, 2**63, 2**64 - 1])
def test_words_follow_the_written_rule(seed):
    expected = [word(seed, "a/b", i) for i in range(100)]
    assert [int(w) for w in words(seed, "a/b", 0, 100)] == expected
    assert [int(w) for w in words(seed, "a/b", 37, 20)] == expected[37:57]


def test_words_far_into_the_stream():
    assert int(words(5, "far", 2**62, 1)[0]) == word(5, "far", 2**62)


def test_golden_values():
    # Printed once by the function `word` above; they must never change.
    assert [int(w) for w in words(0, "example", 0, 3)] == [
        9135041285594514847,
        10267351787440296341,
        11766441224410878627,
    ]
    assert residues(7, "weights", (2, 3), 101).tolist() == [[6, 81, 82], [49, 35, 33]]


def test_residues_are_words_modulo_the_prime(prime):
    array = residues(3, "points", (4, 5), prime)
    assert array.dtype == np.int64
    assert array.shape == (4, 5)
    assert array.ravel().tolist() == [word(3, "points", i) % prime for i in range(20)]


def test_blocks_join_without_a_seam():
    size = 2**18 + 10
    array = residues(1, "long", size, 101)
    assert array[-20:].tolist() == [word(1, "long", i) % 101 for i in range(size - 20, size)]


def test_streams_and_seeds_differ():
    draws = {tuple(residues(seed, stream, 8, 65537).tolist()) for seed in (1, 11) for stream in ("", "1", "1:1")}
    assert len(draws) == 6


def test_all_residues_occur_about_equally_often():
    counts = np.bincount(residues(2, "even", 70000, 7), minlength=7)
    assert abs(counts - 10000).max() < 500  # five standard deviations


def test_empty_and_scalar_shapes():
    assert residues(0, "s", (0, 3), 7).shape == (0, 3)
    assert residues(0, "s", (), 7).shape == ()
    assert residues(0, "s", 3, 7).shape == (3,)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, True, "1"])
def test_bad_seeds_are_refused(seed):
    message = f"seed must be a whole number from 0 to 18446744073709551615, got {seed!r}"
    with pytest.raises(InvalidInput, match=re.escape(message)):
        residues(seed, "s", 3, 7)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, "é", 3, 7), "stream must be ASCII text, got 'é'"),
        ((0, 5, (0,), 7), "stream must be ASCII text, got 5"),
        ((0, "s", (2, -1), 7), "shape must be a whole number at least 0, got -1"),
        ((0, "s", "22", 7), "shape must be a whole number at least 0, got '22'"),
        ((0, "s", 3, 6), "prime must be a prime at most 2147483647, got 6"),
    ],
)
def test_other_bad_arguments_are_refused(arguments, message):
    with pytest.raises(InvalidInput, match=re.escape(message)):
        residues(*arguments)


def test_bad_word_numbers_are_refused():
    with pytest.raises(InvalidInput, match="start must be a whole number from 0"):
        words(0, "s", -1, 3)
    with pytest.raises(InvalidInput, match="count must be a whole number from 0"):
        words(0, "s", 0, 1.5)
