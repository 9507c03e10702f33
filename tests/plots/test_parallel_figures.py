"""Figures of attention, thresholds, errors, rounds and loads: what they draw is what they were given."""

import numpy as np
import pytest

from seprank.errors import InvalidInput
from seprank.parallel.attention_maps import construction_maps
from seprank.parallel.constructions import hop_construction
from seprank.parallel.inspection import HeadLook
from seprank.parallel.measured import authors_errors, errors_without_dropout
from seprank.parallel.round_counts import Case, RoundCount, components_of
from seprank.parallel.strings import string_without_repeats
from seprank.parallel.thresholds import thresholds
from seprank.plots.canvas import caption_of, image
from seprank.plots.hop_attention import hop_attention, letters
from seprank.plots.hop_errors import hop_errors
from seprank.plots.hop_heads import hop_heads
from seprank.plots.hop_thresholds import hop_thresholds
from seprank.plots.mpc_loads import mpc_loads
from seprank.plots.mpc_rounds import mpc_rounds


def test_attention_draws_the_weights_and_rings_the_targets():
    word = string_without_repeats(20, 4, 3)
    maps = construction_maps(hop_construction("C2", 6, 20, 4), word)
    figure = hop_attention({"C2": maps}, letters(word.tolist()), "One string.")
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert titles[1:] == [f"layer {layer}, head 1: find$^{{{j}}}$ (1.00)" for layer, j in ((2, 1), (3, 2), (4, 3))]
    for ax, each in zip(figure.axes, maps, strict=True):
        assert np.array_equal(ax.images[0].get_array(), each.weights)
        rings = {(int(x), int(y)) for line in ax.lines for x, y in zip(*line.get_data(), strict=True)}
        assert rings == {(int(j), i) for i, j in enumerate(each.targets, start=1) if j}
    assert [text.get_text() for text in figure.axes[0].get_xticklabels()] == letters(word.tolist())
    assert caption_of(figure).startswith("One string. Dark: all weight of row i on column j")


@pytest.mark.parametrize(("word", "shown"), [("a$b$a$b", list("a$b$a$b")), ("\u4e00\u4e8c" * 3 + "\u4e00", None)])
def test_any_text_can_be_drawn(word, shown):
    maps = construction_maps(hop_construction("C1", 1, 7, 2), [0, 1, 0, 1, 0, 1, 0])
    figure = hop_attention({"C1": maps}, list(word), "")
    assert image(figure, "png")
    labels = [text.get_text() for text in figure.axes[0].get_xticklabels()]
    assert (labels == shown) if shown else all(text.replace(".", "").isdigit() for text in labels if text)


def test_attention_of_two_networks_in_rows():
    word = string_without_repeats(50, 3, 0)
    rows = {name: construction_maps(hop_construction(name, 2, 50, 3), word) for name in ("C1", "C3")}
    figure = hop_attention(rows, letters(word.tolist()), "")
    assert len(figure.axes) == sum(map(len, rows.values()))
    assert [ax.get_ylabel() for ax in figure.axes if ax.get_ylabel()] == [
        "C1\nposition i",
        "C3\nposition i",
        "C3\nposition i",
    ]
    with pytest.raises(InvalidInput, match="maps must be 1 to 48 layers and heads, got 0"):
        hop_attention({"C1": []}, [], "")


def test_thresholds_draw_points_and_rules():
    figure = hop_thresholds(thresholds(authors_errors(), 0.05))
    ax = figure.axes[0]
    lines = {line.get_label(): list(map(int, line.get_ydata())) for line in ax.lines}
    assert lines["floor(log2 k) + 2"] == [2, 3, 3, *[4] * 4, *[5] * 8, 6]
    assert lines["ceil(log2 k) + 2"] == [2, 3, *[4] * 2, *[5] * 4, *[6] * 8]
    assert lines["trained models"] == [2, 3, 3, 4, 4, 5, 5, 5, *[6] * 7]
    assert lines["deeper"] == [7]
    assert "dropout 0.1 switched on" in caption_of(figure)
    assert "Caveat" not in caption_of(hop_thresholds(thresholds(errors_without_dropout()), "without dropout"))


def test_errors_draw_one_line_a_depth():
    rows = errors_without_dropout()
    figure = hop_errors({"one": rows, "two": rows[:17]}, "Errors.")
    one, two = figure.axes
    assert [line.get_label() for line in one.lines][1:] == ["2", "3", "4", "5"]
    assert list(two.lines[1].get_ydata()) == [100 * row.error for row in rows[:17]]
    with pytest.raises(InvalidInput, match=r"panels must be 1 to 4 tables of errors, none empty, got \[0\]"):
        hop_errors({"none": []}, "")


def test_heads_write_the_shares():
    looks = [HeadLook(1 + i // 2, 1 + i % 2, {"previous": i / 4, "find^1": 0.1}, {}, 0.05) for i in range(4)]
    figure = hop_heads(looks, "made up")
    ax = figure.axes[0]
    assert [text.get_text() for text in ax.texts] == ["0.00", "0.10", "0.25", "0.10", "0.50", "0.10", "0.75", "0.10"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["1.1", "1.2", "2.1", "2.2"]
    with pytest.raises(InvalidInput, match="heads must be 1 to 96 for a figure, got 0"):
        hop_heads([], "")


def count(family, n, protocol, rounds, delta=0.4):
    return RoundCount(Case(family, n, protocol, delta, 0), n, n, 8, 100, rounds // 2, rounds, 50)


def test_rounds_draw_one_line_a_protocol():
    counts = [
        count(family, n, protocol, factor * n)
        for family in ("path", "star")
        for protocol, factor in (("random-mate", 1), ("label-propagation", 3))
        for n in (32, 16)
    ]
    figure = mpc_rounds(counts)
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["path", "star"]
    lines = {line.get_label(): [list(values) for values in line.get_data()] for line in figure.axes[0].lines}
    assert lines == {"random-mate": [[16, 32], [16, 32]], "label-propagation": [[16, 32], [48, 96]]}
    assert "s = c (input words)^0.4" in caption_of(figure)
    assert image(figure, "svg")
    with pytest.raises(InvalidInput, match=r"one delta, got 1 families and \[0.4, 0.5\]"):
        mpc_rounds([count("path", 16, "random-mate", 4), count("path", 16, "random-mate", 4, delta=0.5)])


def test_loads_draw_every_round_and_the_memory():
    _, found = components_of("cycle:24", "random-mate", 0.4, 0)
    figure = mpc_loads(found, "cycle:24", "random-mate")
    sent, received, kept, memory = figure.axes[0].lines
    assert list(zip(sent.get_ydata(), received.get_ydata(), kept.get_ydata(), strict=True)) == list(found.run.loads)
    assert set(memory.get_ydata()) == {found.sizes.words}
    assert max(max(load) for load in found.run.loads) <= found.sizes.words
    assert f"{found.run.rounds} rounds" in caption_of(figure)
