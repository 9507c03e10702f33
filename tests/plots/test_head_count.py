"""Rank against heads: lines, markers, which kind of input is shown."""

import numpy as np
import pytest

from seprank.errors import InvalidInput
from seprank.plots.canvas import caption_of, image
from seprank.plots.choose import Choice
from seprank.plots.head_count import head_count


@pytest.fixture
def records(record):
    ranks = {(4, 1): 110, (4, 2): 107, (4, 4): 85, (6, 1): 385, (6, 2): 379, (6, 3): 340, (6, 6): 231, (5, 1): 216}
    found = [record(2, dx, rank, H=H) for (dx, H), rank in ranks.items()]
    found += [record(3, 4, 31456, upper=31460), record(3, 4, 20000, H=2, upper=31460)]
    return [*found, record(2, 4, 1, H=1, sides=(1, 1)), record(4, 4, None, upper=10**8)]


def lines(ax, style="-"):
    found = [line for line in ax.lines if line.get_linestyle() == style and len(line.get_xdata()) > 1]
    return [dict(zip(map(int, line.get_xdata()), line.get_ydata(), strict=True)) for line in found]


def test_one_panel_a_depth_one_line_a_width(records):
    figure = head_count(records)
    two, three = figure.axes
    assert [ax.get_title(loc="left") for ax in (two, three)] == ["L = 2", "L = 3"]
    assert lines(two) == [{1: 110, 2: 107, 4: 85}, {1: 385, 2: 379, 3: 340, 6: 231}]
    assert lines(three) == [{1: 31456, 2: 20000}]
    assert lines(three, "--") == [{1: 31460, 2: 31460}]


def test_axes_legend_and_caption(records):
    figure = head_count(records)
    assert [ax.get_xlabel() for ax in figure.axes] == ["heads H", "heads H"]
    assert [ax.get_ylabel() for ax in figure.axes] == ["rank", ""]
    np.testing.assert_array_equal(figure.axes[0].get_xticks(), [1, 2, 3, 4, 6])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["dx = 6", "dx = 4"]
    assert "Open markers: a rank modulo a prime, a proved lower bound" in caption_of(figure)
    assert caption_of(figure).endswith("Shown: long input (NA = NB = dx). Other records in the store: 3.")


def test_markers_say_what_is_exact(records):
    marked = [line for line in head_count(records).axes[1].lines if line.get_marker() == "o"]
    assert [line.get_markerfacecolor() for line in marked] == ["white", "white"]
    marked = [line for line in head_count(records).axes[0].lines if line.get_marker() == "o"]
    assert "white" not in {line.get_markerfacecolor() for line in marked}


def test_ranks_are_written_and_lie_within_the_axes(records):
    ax = head_count(records).axes[0]
    assert [text.get_text() for text in ax.texts] == ["110", "107", "85", "385", "379", "340", "231"]
    low, high = ax.get_ylim()
    assert low <= 85
    assert high >= 1.3 * 385


def test_the_kind_of_input_with_several_heads_is_shown(record):
    records = [record(L, 4, 5) for L in (1, 2, 3)] + [record(2, 4, 80 + H, H=H, sides=(1, 2)) for H in (1, 2, 4)]
    figure = head_count(records)
    assert lines(figure.axes[0]) == [{1: 81, 2: 82, 4: 84}]
    assert "Shown: NA = 1, NB = 2 tokens. Other records in the store: 3." in caption_of(figure)


def test_a_number_of_heads_in_the_choice_does_not_matter(records):
    assert lines(head_count(records, Choice(H=2)).axes[0]) == lines(head_count(records).axes[0])


def test_the_deepest_and_the_widest_of_many(record):
    records = [record(L, dx, dx + L + H, H=H) for L in range(1, 7) for dx in range(2, 40, 2) for H in (1, 2)]
    figure = head_count(records)
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["L = 4", "L = 5", "L = 6"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [f"dx = {dx}" for dx in range(38, 24, -2)]


def test_numbers_beyond_the_range_of_floats(record):
    records = [record(2, 4, 3**50, H=1, upper=3**60), record(2, 4, 3**49, H=2, upper=10**400)]
    figure = head_count(records)
    assert image(figure, "svg")
    assert figure.axes[0].get_ylim()[1] < 10.0**30


def test_one_record_is_a_point(record):
    figure = head_count([record(1, 1, 1)])
    assert [text.get_text() for text in figure.axes[0].texts] == ["1"]
    assert image(figure, "png")


def test_nothing_to_draw(record):
    for records in ([], [record(4, 4, None, upper=10**8)]):
        with pytest.raises(InvalidInput, match=f"store must hold a measured rank to draw, got none in {len(records)}"):
            head_count(records)
