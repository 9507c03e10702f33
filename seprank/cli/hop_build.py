"""`seprank hop build`: a k-hop transformer with explicit weights."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seprank.cli.hop_options import construction_options
from seprank.cli.options import output_options
from seprank.cli.output import check_output, emit, to_json
from seprank.errors import InvalidInput

if TYPE_CHECKING:
    from seprank.parallel.construction import Construction


@click.command()
@construction_options()
@click.option(
    "--export", type=click.Path(path_type=Path), metavar="FILE", help="Write the state of a torch module to FILE."
)
@output_options("table", "json")
def command(
    k: int,
    N: int,
    alphabet: int,
    construction: str,
    dtype: str,
    digits: int | None,
    export: Path | None,
    fmt: str,
    output: Path | None,
) -> None:
    """Build a causal softmax transformer that computes hop_k, with every weight written out.

    The table shows its layers; JSON holds the matrices. A number type that cannot carry the margin by which rounding
    is right is refused (exit 2), with what would work.

    \b
    seprank hop build --k 16 --N 100 --alphabet 4 --construction C1
    """
    from seprank.parallel.constructions import first_refused_length, hop_construction

    check_output(export)
    if export is not None and output is not None and export.resolve() == output.resolve():
        raise InvalidInput(f"export and output must be two files, got {str(export)!r} for both")
    built = hop_construction(construction, k, N, alphabet, dtype, digits)
    refused = first_refused_length(construction, k, alphabet, dtype, digits)
    text = to_json(_document(built, refused)) if fmt == "json" else _table(built, refused, output)
    if export is not None:
        _export(built, digits, export)
    emit(text, output)


def _document(built: Construction, refused: int | None) -> dict[str, Any]:
    return {
        "schema": "seprank.hop.build/1",
        **_sizes(built, refused),
        "layers": [
            {
                "name": layer.name,
                "heads": [
                    {name: getattr(head, name).tolist() for name in ("W_Q", "W_K", "W_V")} for head in layer.heads
                ],
            }
            for layer in built.layers
        ],
    }


def _sizes(built: Construction, refused: int | None) -> dict[str, Any]:
    return {
        "construction": built.name,
        "k": built.k,
        "N": built.N,
        "alphabet": built.alphabet,
        "dtype": built.dtype,
        "depth": len(built.layers),
        "depth_formula": built.depth_formula,
        "width": built.width,
        "heads": built.heads,
        "largest_logit": built.largest_logit,
        "gap": built.gap,
        "first_refused_N": refused,
    }


def _table(built: Construction, refused: int | None, output: Path | None) -> str:
    from seprank.cli.tables import to_table

    rows = [
        {
            "layer": number,
            "what it does": layer.name,
            "head": which,
            "W_Q": _shape(head.W_Q),
            "W_K": _shape(head.W_K),
            "W_V": _shape(head.W_V),
            "weights": sum(int((getattr(head, name) != 0).sum()) for name in ("W_Q", "W_K", "W_V")),
        }
        for number, layer in enumerate(built.layers, start=1)
        for which, head in enumerate(layer.heads, start=1)
    ]
    limit = "every N that was tried (2^40)" if refused is None else f"N up to {refused - 1}"
    lines = [
        f"{built.name} for hop_{built.k}, N = {built.N}, {built.alphabet} symbols: depth {len(built.layers)} "
        f"(formula {built.depth_formula}), width {built.width}, at most {built.heads} head(s) a layer",
        f"largest logit at most {built.largest_logit:.3g}, lead of the best key {built.gap:.3g}; "
        f"{built.dtype} carries the margin for {limit}",
        "",
        to_table(rows, for_terminal=None if output is None else False).rstrip("\n"),
        "",
        "weights: entries that are not zero; every matrix is fixed by a formula, none is trained",
    ]
    return "\n".join(lines)


def _shape(matrix: Any) -> str:
    return f"{matrix.shape[0]} x {matrix.shape[1]}"


def _export(built: Construction, digits: int | None, path: Path) -> None:
    import io

    import torch

    from seprank.cli.output import emit_bytes
    from seprank.parallel.torch_decoder import decoder_document

    buffer = io.BytesIO()
    torch.save(decoder_document(built, digits), buffer)
    emit_bytes(buffer.getvalue(), path)
