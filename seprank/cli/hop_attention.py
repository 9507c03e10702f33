"""`seprank hop attention`: where each layer of a k-hop transformer looks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seprank.cli.hop_options import construction_options
from seprank.cli.options import WholeNumber, output_options
from seprank.cli.output import emit, to_json
from seprank.cli.plot_options import checked_figure, draw
from seprank.errors import InvalidInput

if TYPE_CHECKING:
    from seprank.parallel.attention_maps import AttentionMap
    from seprank.parallel.construction import Construction


@click.command()
@click.argument("text", required=False)
@construction_options(sizes_required=False)
@click.option("--seed", type=WholeNumber(0), metavar="S", help="Seed of the string without TEXT.  [default: 0]")
@click.option(
    "--plot", type=click.Path(path_type=Path), metavar="FILE", callback=checked_figure, help="Draw into FILE as well."
)
@output_options("table", "json")
def command(
    text: str | None,
    k: int,
    N: int | None,
    alphabet: int | None,
    construction: str,
    dtype: str,
    digits: int | None,
    seed: int | None,
    plot: Path | None,
    fmt: str,
    output: Path | None,
) -> None:
    """Where each layer and head of a construction of hop_k looks, on TEXT or on a random string.

    Every layer doubles the number of hops, or doubles and adds one: find^1, find^2, find^4 ... TEXT has one character a
    symbol; N and the alphabet are then its own, unless given. Without TEXT, N and the alphabet are needed.

    \b
    seprank hop attention --k 4 abcabdcabdcabcabd --construction C1
    seprank hop attention --k 7 --N 32 --alphabet 4 --construction C2 --plot attention.png
    """
    from seprank.parallel.attention_maps import construction_maps
    from seprank.parallel.constructions import hop_construction

    symbols, word, alphabet = _string(text, N, alphabet, seed)
    built = hop_construction(construction, k, len(symbols), alphabet, dtype, digits)
    maps = construction_maps(built, symbols)
    if plot is not None:
        caption = f"Attention of {built.name} for hop_{k} with exact weights, on one string of {built.N} letters."
        draw(plot, "hop_attention", {built.name: maps}, word, caption)
    text = to_json(_document(built, word, maps)) if fmt == "json" else _page(built, word, maps, output)
    emit(text, output)


def _string(
    text: str | None, N: int | None, alphabet: int | None, seed: int | None
) -> tuple[list[int], list[str], int]:
    """Symbols from 0 on, the characters that show them, and the size of the alphabet."""
    if text is None:
        return _random_string(N, alphabet, seed or 0)
    if not text:
        raise InvalidInput("TEXT must have at least one character, got an empty text")
    if seed is not None:
        raise InvalidInput(f"seed is for strings drawn at random, got {seed} with TEXT")
    if N is not None and N != len(text):
        raise InvalidInput(f"N must be the length {len(text)} of TEXT, got {N}")
    known = sorted(set(text))
    if alphabet is not None and alphabet < len(known):
        raise InvalidInput(f"alphabet must be at least the {len(known)} symbols of TEXT, got {alphabet}")
    number = {symbol: place for place, symbol in enumerate(known)}
    return [number[symbol] for symbol in text], list(text), alphabet or len(known)


def _random_string(N: int | None, alphabet: int | None, seed: int) -> tuple[list[int], list[str], int]:
    from seprank.parallel.strings import string_without_repeats, uniform_string

    for name, value in (("N", N), ("alphabet", alphabet)):
        if value is None:
            raise InvalidInput(f"{name} must be given with --{name} where there is no TEXT, got no such option")
    assert N is not None
    assert alphabet is not None
    draw_string = string_without_repeats if alphabet > 1 else uniform_string
    symbols = draw_string(N, alphabet, seed).tolist()
    shown = [chr(ord("a") + symbol) if alphabet <= 26 else str(symbol) for symbol in symbols]
    return symbols, shown, alphabet


def _document(built: Construction, word: list[str], maps: list[AttentionMap]) -> dict[str, Any]:
    return {
        "schema": "seprank.hop.attention/1",
        "construction": built.name,
        "k": built.k,
        "N": built.N,
        "alphabet": built.alphabet,
        "dtype": built.dtype,
        "string": word,
        "heads": [
            {
                "layer": each.look.layer,
                "head": each.look.head,
                "looks_at": each.look.looks_at,
                "shares": each.look.shares,
                "strongest": (each.weights.argmax(axis=1) + 1).tolist(),
                "strongest_weight": each.weights.max(axis=1).tolist(),
            }
            for each in maps
        ],
    }


def _page(built: Construction, word: list[str], maps: list[AttentionMap], output: Path | None) -> str:
    from seprank.cli.tables import to_table

    rows = []
    for each in maps:
        last = int(each.weights[-1].argmax())
        rows.append(
            {
                "layer": each.look.layer,
                "head": each.look.head,
                "what it does": built.layers[each.look.layer - 1].name,
                "looks at": each.look.looks_at,
                "share": f"{each.look.share:.3f}",
                f"from {built.N} it looks at": f"{last + 1} ({word[last]})",
                "weight": f"{each.weights[-1, last]:.3f}",
            }
        )
    shown = "".join(word) if max(map(len, word)) == 1 else " ".join(word)
    return "\n".join(
        [
            f"{built.name} for hop_{built.k} on a string of {built.N} symbols: {shown if built.N <= 100 else '(long)'}",
            "",
            to_table(rows, for_terminal=None if output is None else False).rstrip("\n"),
            "",
            "share: mean weight on that token over positions beyond the first fifth; exact for this string",
        ]
    )
