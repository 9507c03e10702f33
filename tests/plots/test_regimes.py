"""The regime map: cells, their words, thresholds, colours."""

import math

import numpy as np
import pytest
from matplotlib.colors import LogNorm

from seprank.errors import InvalidInput
from seprank.plots.canvas import caption_of, image
from seprank.plots.choose import Choice
from seprank.plots.regimes import regimes


def part(figure, gid):
    return next(collection for collection in figure.axes[0].collections if collection.get_gid() == gid)


def cells(figure):
    """Column and row of every coloured cell, with its value."""
    values = part(figure, "cells").get_array()
    return {(x, y): values[y, x] for y, x in zip(*np.nonzero(~np.ma.getmaskarray(values)), strict=True)}


def hatched(figure):
    collection = part(figure, "hatched")
    assert collection.get_hatch() == "////"
    return {tuple(np.round(path.vertices[:4].mean(axis=0)).astype(int)) for path in collection.get_paths()}


def words(figure):
    return {tuple(round(value) for value in text.get_position()): text.get_text() for text in figure.axes[0].texts}


def test_every_case_is_a_cell_with_its_words(grid):
    figure = regimes(grid)
    assert len(cells(figure)) == len(grid) == 10
    assert words(figure) == {
        (0, 0): "= 3",
        (1, 0): "= 4",
        (2, 0): "= 5",
        (0, 1): "= 18",
        (1, 1): "= 49",
        (2, 1): "= 110",
        (0, 2): "= 232",
        (1, 2): "= 3102",
        (2, 2): "≥ 31456\n≤ 31460",
        (2, 3): "≤ $3^{\\mathrm{16.7}}$",
    }


def test_cells_without_a_measured_rank_are_hatched(grid):
    assert hatched(regimes(grid)) == {(2, 3)}
    assert hatched(regimes(grid[:-1])) == set()


def test_a_known_value_is_exact_without_a_measurement(record):
    figure = regimes([record(3, 4, None, upper=31456, lower=31456), record(1, 2, 3)])
    assert words(figure)[1, 1] == "= 31456"
    assert hatched(figure) == {(1, 1)}


def test_the_axes_have_names_and_ticks(grid):
    ax = regimes(grid).axes[0]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("width dx", "depth L (layers)")
    assert [text.get_text() for text in ax.get_xticklabels()] == ["2", "3", "4"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["1", "2", "3", "4"]
    assert ax.get_title(loc="left") == "Regimes: H = 1, long input (NA = NB = dx)"


def test_the_thresholds_are_where_they_belong(grid):
    figure = regimes(grid)
    lines = {line.get_label(): line for line in figure.axes[0].lines if not line.get_label().startswith("_")}
    assert set(lines) == {"$L = \\log_3 d_x$", "$L = 2\\,\\log_3 d_x$"}
    for name, factor in (("$L = \\log_3 d_x$", 1), ("$L = 2\\,\\log_3 d_x$", 2)):
        x, y = lines[name].get_data()
        np.testing.assert_allclose(x, [-0.5, 0, 1, 2, 2.5])
        expected = [factor * math.log(dx, 3) - 1 for dx in (2, 2, 3, 4, 4)]  # row 0 is depth 1
        np.testing.assert_allclose(y, expected)


def test_thresholds_between_rows_that_skip_depths(record):
    figure = regimes([record(L, 9, 10 * L) for L in (1, 2, 8)])
    line = next(line for line in figure.axes[0].lines if line.get_label() == "$L = 2\\,\\log_3 d_x$")
    np.testing.assert_allclose(line.get_ydata(), 1 + (4 - 2) / 6)  # L = 4 between the rows of 2 and 8


def test_colours_follow_the_rank_or_the_upper_bound(record, grid):
    found = cells(regimes(grid))
    assert found[2, 2] == pytest.approx(math.log(31456, 3))
    assert found[2, 3] == pytest.approx(math.log(94_600_000, 3))
    few = part(regimes([record(1, 2, 3), record(2, 2, 27)]), "cells")
    assert (few.norm.vmin, few.norm.vmax) == (0, 3)
    figure = regimes([record(1, 2, 3), record(2, 2, 3**90)])
    assert isinstance(part(figure, "cells").norm, LogNorm)
    assert figure.axes[1].get_ylabel() == "$\\log_3$ rank"


def test_a_large_map_has_colours_and_no_words(record):
    records = [record(L, dx, None, upper=3 ** (L * dx)) for L in range(1, 8) for dx in range(2, 32)]
    figure = regimes(records)
    assert len(cells(figure)) == len(records)
    assert not words(figure)
    assert len(figure.axes[0].get_xticks()) <= 25


def test_one_record_and_rank_one(record):
    for records in ([record(2, 3, 49)], [record(1, 1, 1)], [record(2, 3, None, upper=49)]):
        figure = regimes(records)
        assert len(cells(figure)) == 1
        assert image(figure, "svg")


def test_the_caption_says_what_is_exact_and_what_a_bound(grid):
    text = caption_of(regimes(grid))
    for part in (
        '"=": exact (certified)',
        "a proved lower bound for almost all weights",
        "the best proved upper bound",
    ):
        assert part in text
    assert text.endswith("Shown: H = 1, long input (NA = NB = dx).")


def test_nothing_to_draw():
    with pytest.raises(InvalidInput, match="store must hold a rank or a bound"):
        regimes([])


def test_a_choice(record, grid):
    figure = regimes([*grid, record(2, 4, 85, H=4), record(2, 3, 43, H=3)], Choice(H="dx"))
    assert words(figure) == {(0, 0): "= 43", (1, 0): "= 85"}
