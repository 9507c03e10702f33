"""Errors of trained models on the k-hop task: the authors' table, and the same models without dropout.

The tables are files of counts with their provenance in a header: ``data/authors_errors.csv`` and
``data/without_dropout.csv``.
"""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import NamedTuple

FRESH = -1  # `samples` of a model that saw fresh strings at every step


class Measured(NamedTuple):
    """Wrong answers of one model for one k: `wrong` of `scored` positions, those where hop_k is defined.

    `samples` is the size of the training set, `FRESH` (-1) where every step drew new strings.
    """

    depth: int
    heads: int
    samples: int
    k: int
    wrong: int
    scored: int

    @property
    def error(self) -> float:
        """``wrong / scored``: an estimate, with a standard error of about half a point at 50 %."""
        return self.wrong / self.scored


def authors_errors() -> tuple[Measured, ...]:
    """The 425 errors that the authors published: depths 2 to 6, 4 and 8 heads, k = 0..16, on 100 strings each.

    Exact counts of an experiment. Dropout was switched on in these runs, so that they are not the errors of the
    models; `errors_without_dropout` are, where the weights were at hand. Source: sanford2024log, Figure 2, through the
    file ``local/errors.json`` of the authors' repository.

    >>> next(row for row in authors_errors() if row[:4] == (3, 4, FRESH, 7))
    Measured(depth=3, heads=4, samples=-1, k=7, wrong=3210, scored=7600)
    """
    return _read("authors_errors.csv")


def errors_without_dropout() -> tuple[Measured, ...]:
    """68 errors of the authors' models with 4 heads and fresh strings, depths 2 to 5, on 200 strings, dropout off.

    Counts of one evaluation of the published weights. Source: docs/parallel.md, dropout.

    >>> next(row for row in errors_without_dropout() if (row.depth, row.k) == (3, 7))
    Measured(depth=3, heads=4, samples=-1, k=7, wrong=4816, scored=15200)
    """
    return _read("without_dropout.csv")


def _read(name: str) -> tuple[Measured, ...]:
    text = files("seprank.parallel").joinpath("data", name).read_text(encoding="utf-8")
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    return tuple(Measured(**{field: int(value) for field, value in row.items()}) for row in rows)
