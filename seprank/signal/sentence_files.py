"""Sentence pairs from a TSV file, as numbers: reading, vocabulary, padded batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from seprank.errors import InvalidInput
from seprank.validate import whole_number

PADDING, UNKNOWN, START, END = range(4)
SPECIAL = ("<pad>", "<unk>", "<s>", "</s>")


class Pair(NamedTuple):
    """Words of a sentence and of its translation."""

    source: list[str]
    target: list[str]


class Batch(NamedTuple):
    """Numbers of padded sentences, (batch, longest): `source` with its end, `given` target words with the start before
    them, and `wanted` target words with their end."""

    source: np.ndarray
    given: np.ndarray
    wanted: np.ndarray


def read_pairs(path: Path, longest: int = 100) -> list[Pair]:
    """The pairs of a UTF-8 file with one pair a line, the two sentences parted by a tab, words by spaces.

    Sentences are cut to `longest` words; empty lines are left out. Raises `InvalidInput`, naming the line.
    """
    longest = whole_number("longest", longest)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise InvalidInput(f"pairs must be a TSV file that can be read, got {str(path)!r}: {reason}") from None
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        columns = [column.split()[:longest] for column in line.split("\t")]
        if len(columns) != 2 or not all(columns):
            raise InvalidInput(
                f"pairs must have two sentences parted by a tab on each line, got {line!r} on line {number}"
            )
        found.append(Pair(*columns))
    if not found:
        raise InvalidInput(f"pairs must hold one pair at least, got none in {str(path)!r}")
    return found


@dataclass(frozen=True)
class Vocabulary:
    """Words of one language by number; the first four stand for padding, unknown words, start and end."""

    words: tuple[str, ...]

    @staticmethod
    def of(sentences: Iterable[Sequence[str]], size: int = 10000) -> Vocabulary:
        """The most frequent words, `size` at most with the special ones; ties in the order of the alphabet.

        >>> Vocabulary.of([["b", "a", "b"], ["c"]], size=6).words
        ('<pad>', '<unk>', '<s>', '</s>', 'b', 'a')
        """
        size = whole_number("size", size, least=len(SPECIAL) + 1)
        counts = Counter(word for sentence in sentences for word in sentence if word not in SPECIAL)
        ranked = sorted(counts, key=lambda word: (-counts[word], word))
        return Vocabulary((*SPECIAL, *ranked[: size - len(SPECIAL)]))

    def numbers(self, sentence: Sequence[str]) -> list[int]:
        """The numbers of the words of a sentence."""
        known = {word: number for number, word in enumerate(self.words)}
        return [known.get(word, UNKNOWN) for word in sentence]


def padded(sentences: Sequence[Sequence[int]]) -> np.ndarray:
    """Sentences of different lengths as one array, padded behind.

    >>> padded([[5], [6, 7]]).tolist()
    [[5, 0], [6, 7]]
    """
    found = np.full((len(sentences), max(map(len, sentences))), PADDING)
    for row, sentence in zip(found, sentences, strict=True):
        row[: len(sentence)] = sentence
    return found


def batch_of(pairs: Sequence[tuple[list[int], list[int]]]) -> Batch:
    """A batch of numbered pairs."""
    return Batch(
        padded([[*source, END] for source, _ in pairs]),
        padded([[START, *target] for _, target in pairs]),
        padded([[*target, END] for _, target in pairs]),
    )
