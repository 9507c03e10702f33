"""The block profile: bars, steps, which network is shown."""

import numpy as np
import pytest

from seprank.errors import InvalidInput
from seprank.plots.blocks import blocks as block_figure
from seprank.plots.canvas import caption_of, image


@pytest.fixture
def records(record, blocks):
    return [
        record(2, 4, 107, H=2, upper=107, blocks=blocks([1, 10, 52, 40, 4], [1, 10, 52, 40, 4])),
        record(2, 3, 39, upper=41, sides=(1, 2), blocks=blocks([1, 6, 19, 10, 3], [1, 6, 21, 10, 3])),
        record(2, 3, 49),
        record(1, 2, 3, blocks=blocks([1, 2], [1, 2])),
    ]


def heights(figure):
    return {round(bar.get_x() + bar.get_width() / 2): bar.get_height() for bar in bars(figure)}


def bars(figure):
    return [bar for container in figure.axes[0].containers for bar in container]


def test_bars_are_ranks_and_steps_are_bounds(records):
    figure = block_figure(records, L=2, dx=3)
    assert heights(figure) == {0: 1, 1: 6, 2: 19, 3: 10, 4: 3}
    (steps,) = (patch for patch in figure.axes[0].patches if hasattr(patch, "get_data"))
    values, edges, _ = steps.get_data()
    np.testing.assert_array_equal(values, [1, 6, 21, 10, 3])
    np.testing.assert_allclose(edges, np.arange(6) - 0.5)


def test_blocks_below_their_bound_are_hatched(records):
    figure = block_figure(records, L=2, dx=3)
    hatched = {round(bar.get_x() + 0.4) for bar in bars(figure) if bar.get_hatch()}
    assert hatched == {2}
    names = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert names == ["upper bound", "rank, meets the bound", "rank, below it"]
    assert "The rank 39 is a lower bound. Shown: H = 1, NA = 1, NB = 2 tokens." in caption_of(figure)


def test_the_words(records):
    figure = block_figure(records, L=2, dx=4)
    ax = figure.axes[0]
    assert ax.get_title(loc="left") == "Blocks: L = 2, dx = 4, H = 2"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("block k (degree in the Gram matrix of side B)", "rank")
    assert [text.get_text() for text in ax.texts] == ["1", "10", "52", "40", "4"]
    assert caption_of(figure).endswith(
        "The rank 107 is exact (certified). Shown: H = 2, long input (NA = NB = dx). Other records in the store: 3."
    )


def test_the_largest_rank_of_the_kind_is_shown(record, blocks):
    ranks = {2: 18, 3: 49}
    records = [record(2, dx, rank, blocks=blocks([rank], [rank])) for dx, rank in ranks.items()]
    assert heights(block_figure(records)) == {0: 49}


def test_large_ranks_have_a_logarithmic_axis_and_no_numbers(record, blocks):
    profile = [3**k for k in range(20)]
    figure = block_figure([record(3, 3, sum(profile), blocks=blocks(profile, [None] * 20))])
    assert figure.axes[0].get_yscale() == "log"
    assert not figure.axes[0].texts
    assert "upper bound" not in [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert image(figure, "pdf")


@pytest.mark.parametrize("bound", [3**60, 10**400])
def test_numbers_beyond_the_range_of_whole_numbers_and_floats(record, blocks, bound):
    figure = block_figure([record(3, 3, 3**50, blocks=blocks([1, 3**50], [1, bound]))])
    names = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert ("upper bound" in names) == (bound < 1e300)
    assert image(figure, "svg")


def test_a_block_of_rank_zero(record, blocks):
    assert image(block_figure([record(1, 2, 500, blocks=blocks([0, 500], [0, 500]))]), "png")


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"L": 9}, "store must hold a measured rank with its blocks with L = 9, got none in 4 records"),
        ({"L": 9, "dx": 2}, "with L = 9 with dx = 2, got none in 4 records"),
    ],
)
def test_nothing_to_draw(records, sizes, message):
    with pytest.raises(InvalidInput, match=message):
        block_figure(records, **sizes)
    with pytest.raises(InvalidInput, match="got none in 0 records"):
        block_figure([])
