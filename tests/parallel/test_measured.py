"""The tables of measured errors, and the thresholds read from them."""

from math import ceil, floor, log2

import pytest

from seprank.errors import InvalidInput
from seprank.parallel.measured import FRESH, Measured, authors_errors, errors_without_dropout
from seprank.parallel.thresholds import ceiling_rule, floor_rule, thresholds


def scored(k, strings):
    return strings * (98 if k == 0 else 97 - 3 * k)


def test_the_authors_table_is_whole():
    rows = authors_errors()
    kinds = {(row.heads, row.samples) for row in rows}
    assert len(rows) == 425
    assert kinds == {(4, FRESH), (4, 1000), (4, 3000), (4, 10000), (8, FRESH)}
    assert len({row[:4] for row in rows}) == 425
    assert all(row.scored == scored(row.k, 100) and 0 <= row.wrong <= row.scored for row in rows)


def test_the_table_without_dropout_is_whole():
    rows = errors_without_dropout()
    assert {(row.depth, row.k) for row in rows} == {(depth, k) for depth in range(2, 6) for k in range(17)}
    assert all(row.scored == scored(row.k, 200) for row in rows)


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ((2, 4, -1, 16), 3609),
        ((6, 4, -1, 16), 302),
        ((4, 8, -1, 9), 220),
        ((6, 4, 3000, 16), 556),
        ((2, 4, 1000, 0), 15),
    ],
)
def test_cells(key, wrong):
    assert [row.wrong for row in authors_errors() if row[:4] == key] == [wrong]


def test_errors_fall_with_depth_and_rise_with_k_up_to_noise():
    """Two points of noise are allowed; a table with rows or columns swapped breaks this."""
    error = {row[:4]: row.error for row in authors_errors()}
    for (depth, heads, samples, k), value in error.items():
        if samples == FRESH:
            assert error.get((depth + 1, heads, samples, k), 0) <= value + 0.02
            assert error.get((depth, heads, samples, k + 1), 1) >= value - 0.02


def test_dropout_makes_most_of_the_error():
    """Some cell falls by more than 10 points without dropout: the file does not hold the errors of the models."""
    file = {(row.depth, row.k): row.error for row in authors_errors() if (row.heads, row.samples) == (4, FRESH)}
    gaps = [file[row.depth, row.k] - row.error for row in errors_without_dropout()]
    assert max(gaps) > 0.10
    assert min(gaps) > -0.03


@pytest.mark.parametrize("k", range(1, 70))
def test_rules_against_logarithms(k):
    assert floor_rule(k) == floor(log2(k)) + 2
    assert ceiling_rule(k) == ceil(log2(k)) + 2


REACH = {
    (4, 0.01): [0, 2, 3, 4, 10],
    (4, 0.02): [1, 2, 4, 7, 12],
    (4, 0.05): [1, 3, 5, 8, 15],
    (4, 0.10): [1, 3, 6, 9, 16],
    (8, 0.01): [1, 3, 7, 13, 16],
    (8, 0.02): [1, 3, 8, 15, 16],
    (8, 0.05): [2, 4, 9, 16, 16],
    (8, 0.10): [2, 5, 11, 16, 16],
}


@pytest.mark.parametrize(("kind", "reach"), REACH.items())
def test_reach(kind, reach):
    heads, level = kind
    assert list(thresholds(authors_errors(), level, heads).reach.values()) == reach


@pytest.mark.parametrize(
    ("level", "reach"), [(0.01, [1, 3, 6, 11]), (0.02, [1, 3, 7, 11]), (0.05, [2, 4, 7, 12]), (0.1, [2, 4, 8, 13])]
)
def test_reach_without_dropout(level, reach):
    assert list(thresholds(errors_without_dropout(), level).reach.values()) == reach


@pytest.mark.parametrize(
    ("samples", "reach"), [(1000, [0, 0, 1, 2, 3]), (3000, [1, 2, 4, 7, 13]), (10000, [1, 2, 5, 9, 13])]
)
def test_reach_of_fixed_training_sets(samples, reach):
    assert list(thresholds(authors_errors(), 0.05, 4, samples).reach.values()) == reach


def test_which_rule_fits_depends_on_level_and_width():
    file = authors_errors()
    assert thresholds(file, 0.05, 4).ceiling_agrees == (13, 16)
    assert thresholds(file, 0.05, 4).floor_agrees == (6, 16)
    assert thresholds(file, 0.02, 4).ceiling_agrees == (11, 16)
    assert thresholds(file, 0.02, 8).floor_agrees == (15, 16)
    assert thresholds(file, 0.01, 8).floor_agrees == (14, 16)


def test_a_rule_beyond_the_table_is_not_judged():
    rows = [Measured(2, 1, FRESH, k, wrong, 100) for k, wrong in ((1, 0), (2, 50), (3, 60))]
    found = thresholds(rows, 0.05, 1)
    assert [row.smallest for row in found.rows] == [2, None, None]
    assert found.floor_agrees == (1, 1)
    assert found.reach == {2: 1}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"level": 0.0}, "level must be a positive number, got 0.0"),
        ({"level": 1.0}, "level must be a number between 0 and 1, got 1.0"),
        ({"heads": 5}, r"\(heads, samples\) must be one of \(4, -1\), .* got \(5, -1\)"),
        ({"samples": 7}, r"got \(4, 7\)"),
    ],
)
def test_refused(change, message):
    with pytest.raises(InvalidInput, match=message):
        thresholds(authors_errors(), **change)
