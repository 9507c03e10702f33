"""The sheet that every figure is drawn on: size, colours, caption, and its bytes as PNG, SVG or PDF.

Figures are made without pyplot, so they leave no global state behind and need no display.
"""

from __future__ import annotations

import io
import textwrap
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from seprank.errors import InvalidInput

FORMATS = ("png", "svg", "pdf")
# Okabe and Ito's colours, told apart with every kind of colour vision, darkest first.
BLACK, BLUE, VERMILION, GREEN, ORANGE, SKY, PINK = (
    "#000000",
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#E69F00",
    "#56B4E9",
    "#CC79A7",
)
COLOURS = (BLUE, VERMILION, GREEN, ORANGE, PINK, SKY, BLACK)
GREY = "#666666"
SEQUENCE = "cividis"  # a colour map for quantities, even in lightness
SMALL, NORMAL, LARGE = 8, 9, 11
_DOTS = 200
_LINE = 0.155  # inches from one line of the caption to the next


class Sheet(Figure):
    """A figure that Jupyter shows as a picture without pyplot."""

    def _repr_png_(self) -> bytes:
        return image(self, "png")


def sheet(width: float, height: float, caption: str, columns: int = 1) -> tuple[Figure, list[Axes]]:
    """A figure of `width` by `height` inches for the axes, in a row of `columns`, with `caption` below them."""
    lines = textwrap.wrap(" ".join(caption.split()), max(40, round(width * 16.8)), break_on_hyphens=False)
    margin = _LINE * (len(lines) + 0.7)
    figure = Sheet(figsize=(width, height + margin), dpi=_DOTS)
    bottom = margin / (height + margin)
    figure.set_layout_engine(ConstrainedLayoutEngine(rect=(0, bottom, 1, 1 - bottom), w_pad=0.08, h_pad=0.06))
    figure.text(
        0.08 / width, 0.06 / (height + margin), "\n".join(lines), fontsize=SMALL, va="bottom", ha="left", gid="caption"
    )
    axes = [figure.add_subplot(1, columns, index + 1) for index in range(columns)]
    for ax in axes:
        ax.tick_params(labelsize=SMALL)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    return figure, axes


def label(ax: Axes, title: str, x: str, y: str) -> None:
    """Title and names of the axes, in the sizes of the sheet."""
    ax.set_title(title, fontsize=LARGE, loc="left")
    ax.set_xlabel(x, fontsize=NORMAL)
    ax.set_ylabel(y, fontsize=NORMAL)


def legend(ax: Axes, **options: Any) -> None:
    """A legend in the sizes of the sheet."""
    ax.legend(fontsize=SMALL, frameon=False, **options)


def caption_of(figure: Figure) -> str:
    """The caption as one line."""
    return " ".join(next(text.get_text() for text in figure.texts if text.get_gid() == "caption").split())


def image(figure: Figure, fmt: str) -> bytes:
    """The figure as the bytes of a file of format "png", "svg" or "pdf"; figures made alike give the same bytes.

    Raises `InvalidInput` for another format.
    """
    if fmt not in FORMATS:
        raise InvalidInput(f"format must be one of {', '.join(FORMATS)}, got {fmt!r}")
    undated = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[fmt]
    content = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "seprank", "pdf.fonttype": 42}):
        figure.savefig(content, format=fmt, dpi=_DOTS, metadata=undated)
    return content.getvalue()
