"""Growth with depth: data of the lines, markers of what is exact, scales."""

import math

import numpy as np
import pytest

from seprank.errors import InvalidInput
from seprank.plots.canvas import caption_of, image
from seprank.plots.choose import Choice
from seprank.plots.rank_growth import rank_growth


def lines(figure, style):
    return [line for line in figure.axes[0].lines if line.get_linestyle() == style and len(line.get_xdata())]


def test_one_line_a_width_with_the_logarithms_of_the_ranks(grid):
    figure = rank_growth(grid)
    named = {line.get_label(): line for line in lines(figure, "-")}
    assert set(named) == {"dx = 2", "dx = 3", "dx = 4"}
    np.testing.assert_allclose(named["dx = 2"].get_xdata(), [1, 2, 3])
    np.testing.assert_allclose(named["dx = 2"].get_ydata(), [math.log(rank, 3) for rank in (3, 18, 232)])
    np.testing.assert_allclose(named["dx = 4"].get_ydata(), [math.log(rank, 3) for rank in (5, 110, 31456)])


def test_bounds_are_dashed_and_dotted_and_go_on_where_no_rank_is_known(grid):
    figure = rank_growth(grid)
    uppers, lowers = lines(figure, "--"), lines(figure, ":")
    assert len(uppers) == len(lowers) == 3
    np.testing.assert_allclose(uppers[2].get_xdata(), [1, 2, 3, 4])
    expected = [math.log(value, 3) for value in (5, 110, 31460, 94_600_000)]
    np.testing.assert_allclose(uppers[2].get_ydata(), expected)
    np.testing.assert_allclose(lowers[2].get_ydata()[-1], math.log(679581, 3))


def test_filled_markers_are_exact_and_open_ones_lower_bounds(grid):
    marked = [line for line in lines(rank_growth(grid), "None") if line.get_marker() == "o"]
    is_open = [line for line in marked if line.get_markerfacecolor() == "white"]
    assert [list(line.get_xdata()) for line in is_open] == [[3]]
    filled = sum(len(line.get_xdata()) for line in marked if line not in is_open)
    assert filled == 8


def test_the_axes_legends_and_caption(grid):
    figure = rank_growth(grid)
    ax = figure.axes[0]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("depth L (layers)", "$\\log_3$ rank")
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["dx = 4", "dx = 3", "dx = 2"]
    key = [text.get_text() for text in ax.get_legend().get_texts()]
    assert key == ["exact (certified)", "lower bound (measured)", "upper bound (proved)", "lower bound (proved)"]
    assert "Filled markers: exact (certified)" in caption_of(figure)
    assert "a proved lower bound for almost all weights" in caption_of(figure)
    assert ax.get_yscale() == "linear"


def test_huge_logarithms_have_a_logarithmic_axis(record):
    records = [record(L, 64, None, upper=3 ** (2**L), lower=1) for L in range(1, 14)]
    figure = rank_growth(records)
    assert figure.axes[0].get_yscale() == "log"
    assert image(figure, "png")


def test_of_many_widths_a_few_are_drawn_and_the_caption_says_so(record):
    figure = rank_growth([record(1, dx, dx + 1) for dx in range(1, 60)])
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert (len(set(names)), names[0], names[-1]) == (12, "dx = 59", "dx = 1")
    assert caption_of(figure).endswith("12 of 59 widths are drawn.")


def test_one_record_of_either_kind(record):
    for one in (record(2, 3, 49), record(2, 3, None, upper=49), record(1, 1, 1)):
        assert image(rank_growth([one]), "png")


def test_nothing_to_draw(grid):
    with pytest.raises(InvalidInput, match="store must hold records with H = 2, got H = 1"):
        rank_growth(grid, Choice(H=2))
    with pytest.raises(InvalidInput, match="got none in 0 records"):
        rank_growth([])
