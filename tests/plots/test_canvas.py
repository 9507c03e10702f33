"""Files in three formats, the same bytes every time, and captions that are kept."""

import io

import matplotlib
import matplotlib.image
import pytest

from seprank.errors import InvalidInput
from seprank.plots.canvas import COLOURS, FORMATS, caption_of, image, label, sheet


def drawn():
    figure, (left, right) = sheet(6, 3, "Line one says\nwhat is exact, " + "and so on " * 30, columns=2)
    left.plot([1, 2], [3, 4])
    label(left, "Title", "depth L (layers)", "rank")
    right.plot([1], [1])
    return figure


@pytest.fixture
def figure():
    return drawn()


@pytest.mark.parametrize(("fmt", "start"), [("png", b"\x89PNG\r\n"), ("svg", b"<?xml"), ("pdf", b"%PDF-1.4")])
def test_a_figure_as_bytes(fmt, start):
    content = image(drawn(), fmt)
    assert content.startswith(start)
    assert len(content) > 5000
    assert image(drawn(), fmt) == content
    assert fmt in FORMATS


def test_a_png_is_printed_at_200_dots_an_inch(figure):
    pixels = matplotlib.image.imread(io.BytesIO(image(figure, "png")))
    height, width, _ = pixels.shape
    assert width == 6 * 200
    assert height > 3 * 200
    assert pixels[..., :3].std() > 0.05


def test_the_caption_is_below_the_axes_and_within_the_sheet(figure):
    image(figure, "png")
    (text,) = figure.texts
    box = text.get_window_extent()
    assert 0 < box.x0 < box.x1 < figure.bbox.x1
    assert 0 < box.y0
    assert all(ax.get_tightbbox().y0 > box.y1 for ax in figure.axes)
    assert caption_of(figure).startswith("Line one says what is exact, and so on and so on")


def test_another_format_is_refused(figure):
    with pytest.raises(InvalidInput, match="format must be one of png, svg, pdf, got 'jpg'"):
        image(figure, "jpg")


def test_nothing_global_is_left_behind(figure):
    before = dict(matplotlib.rcParams)
    image(figure, "svg")
    assert dict(matplotlib.rcParams) == before


def test_colours_are_distinct_in_lightness_or_hue():
    assert len(set(COLOURS)) == 7
    rgb = [matplotlib.colors.to_rgb(colour) for colour in COLOURS]
    distance = min(sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) for a in rgb for b in rgb if a != b)
    assert distance > 0.05


def test_jupyter_shows_a_picture(figure):
    assert figure._repr_png_() == image(figure, "png")
