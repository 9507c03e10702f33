"""`seprank hop solve`: the k-hop task on a text, one character a symbol."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from seprank.cli.options import WholeNumber, output_options
from seprank.cli.output import emit, to_csv, to_json
from seprank.errors import InvalidInput

MOST_CHARACTERS = 10_000_000
BLANK = "_"


@click.command()
@click.argument("text", required=False)
@click.option("--k", "k", type=WholeNumber(0), metavar="K", required=True, help="Number of hops.")
@click.option(
    "--file", "file", type=click.Path(path_type=Path), metavar="FILE", help="Read the text from FILE ('-': stdin)."
)
@click.option("--alphabet", metavar="SYMBOLS", help="Refuse every character that is not one of SYMBOLS.")
@click.option("--trace", is_flag=True, help="Show the path of positions that each answer comes from.")
@output_options("text", "json", "csv")
def command(
    text: str | None, k: int, file: Path | None, alphabet: str | None, trace: bool, fmt: str, output: Path | None
) -> None:
    """hop_k of every position of TEXT: one character a symbol, any alphabet.

    Where a hop finds nothing the answer is blank: '_' in text, null in JSON. Without TEXT and --file the text is read
    from standard input; a line end at its end does not belong to it.

    \b
    seprank hop solve --k 1 abcabdca
    seprank hop solve --k 2 --trace abcabdca
    """
    word = _text(text, file)
    _check(word, alphabet)

    import numpy as np

    from seprank.parallel.hop import find

    codes = np.frombuffer(word.encode("utf-32-le"), dtype="<u4").astype(np.int64)
    found = find(codes, k).tolist()
    answer = [word[place - 1] if place else None for place in found]
    if fmt == "json":
        paths = {"paths": _paths(codes, k)} if trace else {}
        emit(to_json({"schema": "seprank.hop.solve/1", "k": k, "output": answer, **paths}), output)
    elif fmt == "csv" or trace:
        rows: list[dict[str, object]] = [
            {"position": i, "symbol": symbol, f"hop_{k}": BLANK if hop is None else hop}
            for i, (symbol, hop) in enumerate(zip(word, answer, strict=True), start=1)
        ]
        if trace:
            rows = [
                row | {"path": " -> ".join(map(str, path))} for row, path in zip(rows, _paths(codes, k), strict=True)
            ]
        if fmt == "csv":
            emit(to_csv(rows), output)
        else:
            from seprank.cli.tables import to_table

            emit(to_table(rows, for_terminal=None if output is None else False), output)
    else:
        emit("".join(BLANK if hop is None else hop for hop in answer), output)


def _text(text: str | None, file: Path | None) -> str:
    if text is not None and file is not None:
        raise InvalidInput(f"TEXT and file exclude each other, got both TEXT and --file {str(file)!r}")
    if text is not None:
        return text
    try:
        if file is None or str(file) == "-":
            if sys.stdin is None:
                raise InvalidInput("TEXT must be given where there is no standard input, got none")
            word = sys.stdin.read(MOST_CHARACTERS + 2)
        else:
            with file.open(encoding="utf-8", newline="") as stream:
                word = stream.read(MOST_CHARACTERS + 2)
    except OSError as error:
        raise InvalidInput(f"file must be a text file, got {str(file)!r}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"file must be a text file in UTF-8, got {str(file or '-')!r}") from None
    return word[:-2] if word.endswith("\r\n") else word.removesuffix("\n")


def _check(word: str, alphabet: str | None) -> None:
    if not word:
        raise InvalidInput("TEXT must have at least one character, got an empty text")
    if len(word) > MOST_CHARACTERS:
        raise InvalidInput(f"TEXT must have at most {MOST_CHARACTERS} characters, got more")
    if alphabet is not None:
        for i, symbol in enumerate(word, start=1):
            if symbol not in alphabet:
                raise InvalidInput(f"TEXT must use the symbols {alphabet!r} only, got {symbol!r} at position {i}")


def _paths(codes: object, k: int) -> list[list[int]]:
    """Positions visited from every position, at most k hops, up to and with the first 0."""
    from seprank.parallel.hop import find

    links = [0, *find(codes).tolist()]  # type: ignore[arg-type]
    paths = []
    for i in range(1, len(links)):
        path = [i]
        while path[-1] and len(path) <= k:
            path.append(links[path[-1]])
        paths.append(path)
    return paths
